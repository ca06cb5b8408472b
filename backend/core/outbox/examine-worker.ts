import { answerInWorker } from '../worker.ts'
import { type Examination, examineCopy, examineInUse } from './integrity-check.ts'

await answerInWorker(({ file, masterKey, inUse, markFile }: Examination) =>
  inUse ? examineInUse(file, masterKey) : examineCopy(file, masterKey, markFile),
)
