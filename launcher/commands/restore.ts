import path from 'node:path'
import { laneOf } from '../program.ts'
import { runBeside } from '../run-beside.ts'
import { readOptions, type Command } from './command.ts'

/** `restore FILE`: a backup in the place of the database, while the terminal is stopped. */
export const restore: Command = async (args, program) => {
  const given = readOptions(args, program, { beside: [1, 1] })
  const { dataFolder } = laneOf(program, given.lane)
  const [backup = ''] = given.words
  return runBeside(program, 'provision.js', ['restore', '--data', dataFolder, '--from', path.resolve(backup)])
}
