import { laneOf, withProfile } from '../program.ts'
import { runBeside } from '../run-beside.ts'
import { readOptions, type Command } from './command.ts'

/** `set-pin STAFF`: a first PIN, from standard input, while the terminal is stopped. */
export const setPin: Command = async (args, program) => {
  const given = readOptions(args, program, { beside: [1, 1] })
  const lane = laneOf(program, given.lane)
  const [staff = ''] = given.words
  return withProfile(lane, program, (profile) =>
    runBeside(program, 'provision.js', [
      'set-pin',
      '--data',
      lane.dataFolder,
      '--profile',
      profile,
      `--staff=${staff}`,
    ]),
  )
}
