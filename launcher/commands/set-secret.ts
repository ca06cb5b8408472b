import { refuseOtherOwner } from '../../electron/lane-profile.ts'
import { laneOf } from '../program.ts'
import { runBeside } from '../run-beside.ts'
import { readOptions, type Command } from './command.ts'

/** The client secret, from standard input, while the terminal is stopped. */
export const setSecret: Command = async (args, program) => {
  const lane = laneOf(program, readOptions(args, program).lane)
  refuseOtherOwner(lane)
  return runBeside(program, 'provision.js', ['set-secret', '--data', lane.dataFolder])
}
