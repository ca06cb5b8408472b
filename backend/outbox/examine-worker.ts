import { parentPort, workerData } from 'node:worker_threads'
import type { Examination } from './examine.ts'
import { examineCopy, examineInUse } from './integrity-check.ts'

const { file, masterKey, inUse, markFile } = workerData as Examination
parentPort?.postMessage(inUse ? examineInUse(file, masterKey) : examineCopy(file, masterKey, markFile))
