import { laneOf } from '../program.ts'
import { runBeside } from '../run-beside.ts'
import { readOptions, type Command } from './command.ts'

/** `trace RECEIPT` or `trace TRACE`: the calls of a receipt that moved miles; the terminal may be running. */
export const trace: Command = async (args, program) => {
  const given = readOptions(args, program, { flags: ['json'], beside: [1, 1] })
  const json = given.has('json') ? ['--json'] : []
  const { dataFolder } = laneOf(program, given.lane)
  return runBeside(program, 'find-trace.js', [...given.words, '--data', dataFolder, ...json])
}
