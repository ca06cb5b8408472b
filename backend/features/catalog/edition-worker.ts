import { parentPort, workerData } from 'node:worker_threads'
import { makeEdition, type EditionJob } from './make-edition.ts'

/** Told at most so often, in milliseconds. */
const TOLD_EVERY_MS = 200

let told = 0
const made = makeEdition(workerData as EditionJob, (progress) => {
  const now = performance.now()
  if (now - told < TOLD_EVERY_MS) return
  told = now
  parentPort?.postMessage({ progress })
})
parentPort?.postMessage({ made })
