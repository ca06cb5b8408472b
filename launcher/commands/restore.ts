import path from 'node:path'
import { refuseOtherOwner } from '../../electron/lane-profile.ts'
import { laneOf } from '../program.ts'
import { runBeside } from '../run-beside.ts'
import { readOptions, type Command } from './command.ts'

/** `restore FILE`: a backup in the place of the database, while the terminal is stopped. */
export const restore: Command = async (args, program) => {
  const given = readOptions(args, program, { beside: [1, 1] })
  const lane = laneOf(program, given.lane)
  refuseOtherOwner(lane)
  const [backup = ''] = given.words
  return runBeside(program, 'provision.js', ['restore', '--data', lane.dataFolder, '--from', path.resolve(backup)])
}
