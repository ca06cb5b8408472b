import { answerInWorker } from '../../core/worker.ts'
import { type BackupTask, copyAway } from './copy-away.ts'
import { previewRestore } from './restore-preview.ts'

await answerInWorker((task: BackupTask) => (task.kind === 'copy' ? copyAway(task.order) : previewRestore(task.files)))
