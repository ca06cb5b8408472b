import { applyRestore } from '../../../../backend/operations/restore/restore.ts'

/**
 * Applies a restore instruction in a data folder and kills its own process after a step: `node restore-and-exit.ts
 * FOLDER NUMBER`, with steps counted from 1. Prints the name of each step.
 */
const [folder = '', crashAt = '0'] = process.argv.slice(2)
let steps = 0
applyRestore(folder, null, (step) => {
  steps += 1
  process.stdout.write(`${step}\n`)
  if (steps === Number(crashAt)) process.kill(process.pid, 'SIGKILL')
})
