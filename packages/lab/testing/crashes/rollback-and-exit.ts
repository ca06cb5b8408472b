import { rollBack } from '../../../../backend/operations/restore/rollback.ts'

/**
 * Restores the database of the previous release and kills its own process after a step: `node rollback-and-exit.ts
 * FOLDER NUMBER`, with steps counted from 1. Prints the name of each step.
 */
const [folder = '', crashAt = '0'] = process.argv.slice(2)
let steps = 0
rollBack(folder, null, (step) => {
  steps += 1
  process.stdout.write(`${step}\n`)
  if (steps === Number(crashAt)) process.kill(process.pid, 'SIGKILL')
})
