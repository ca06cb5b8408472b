import path from 'node:path'
import { identityOf, refuseOtherOwner, shelfOf } from '../../electron/lane-profile.ts'
import { TerminalRefused } from '../../electron/refused.ts'
import { listsIn, orderOnShelf } from '../bundle-orders.ts'
import { laneOf } from '../program.ts'
import { bundleWordsOf } from '../words.ts'
import { readOptions, type Command } from './command.ts'

/**
 * `put FILE`, `cancel NUMBER`, `undo`, `list`; the terminal may be running. The package says whose lane it is and which
 * keys count.
 */
export const bundle: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: ['trust'], beside: [1, 2] })
  const lane = laneOf(program, given.lane)
  refuseOtherOwner(lane)
  const shelf = shelfOf(lane.dataFolder, lane.trustFile)
  const [action, file] = given.words
  const say = bundleWordsOf(program.locale)
  // A lane that missed the bundle with the news of a key learns of it from the installer's own lists.
  const place = given.text('trust')
  const newer = place === null ? [] : listsIn(path.resolve(place), say)
  const code = shelf && orderOnShelf(shelf, { action, file, identity: () => identityOf(lane), put: { newer } }, say)
  if (code === null) throw new TerminalRefused(`${program.say('wrongWords')}\n${program.say('seeHelp')}`, 2)
  return code
}
