import { answerInWorker } from '../../core/worker.ts'
import { type BackupTask, copyBackup } from './copy-backup.ts'
import { previewRestore } from './restore-preview.ts'

await answerInWorker((task: BackupTask) => (task.kind === 'copy' ? copyBackup(task.copy) : previewRestore(task.files)))
