import { laneOf } from '../program.ts'
import { runBeside } from '../run-beside.ts'
import { readOptions, type Command } from './command.ts'

/** The client secret, from standard input, while the terminal is stopped. */
export const setSecret: Command = async (args, program) => {
  const { lane } = readOptions(args, program)
  return runBeside(program, 'provision.js', ['set-secret', '--data', laneOf(program, lane).dataFolder])
}
