import { parentPort, workerData } from 'node:worker_threads'
import { copyAway } from './copy-away.ts'
import type { BackupTask } from './beside.ts'
import { previewRestore } from './restore-preview.ts'

const task = workerData as BackupTask
parentPort?.postMessage(task.kind === 'copy' ? copyAway(task.order) : previewRestore(task.files))
