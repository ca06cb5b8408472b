import { parentPort, workerData } from 'node:worker_threads'
import { examineCopy } from './sound.ts'

parentPort?.postMessage(examineCopy(String(workerData)))
