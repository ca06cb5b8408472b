import { laneOf, withProfile } from '../program.ts'
import { runBeside } from '../run-beside.ts'
import { readOptions, type Command } from './command.ts'

/** In the place of a code, or without one. */
const ASKED = '-'

/**
 * `enrol`: the code of the lane's sheet becomes its secret and first PINs, while the terminal is stopped. It is asked
 * for; one that is given stands in the shell's history, and in the list of processes.
 */
export const enrol: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: ['service', 'certificate'], beside: [0, 1] })
  const lane = laneOf(program, given.lane)
  const [code = ASKED] = given.words
  const [service, certificate] = [given.text('service'), given.text('certificate')]
  // A list of processes shows no second place of it.
  if (code !== ASKED) process.env['MILEPOST_PROVISION_VALUE'] = code
  return withProfile(lane, program, (profile) =>
    runBeside(program, 'provision.js', [
      'enrol',
      '--data',
      lane.dataFolder,
      '--profile',
      profile,
      `--lane=${lane.lane}`,
      ...(service === null ? [] : [`--service=${service}`]),
      ...(certificate === null ? [] : [`--certificate=${certificate}`]),
    ]),
  )
}
