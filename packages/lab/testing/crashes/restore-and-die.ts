import { applyOrder } from '../../../../backend/operations/restore/restore.ts'

/**
 * Restores what was asked for in a data folder and is killed after a step: `node restore-and-die.ts FOLDER NUMBER`,
 * counted from 1. Prints the name of each step that it came to.
 */
const [folder = '', dieAt = '0'] = process.argv.slice(2)
let steps = 0
applyOrder(folder, null, (step) => {
  steps += 1
  process.stdout.write(`${step}\n`)
  if (steps === Number(dieAt)) process.kill(process.pid, 'SIGKILL')
})
