import { identityOf, refuseOtherOwner, shelfOf } from '../../electron/lane-profile.ts'
import { TerminalRefused } from '../../electron/refused.ts'
import { orderOnShelf } from '../bundle-orders.ts'
import { laneOf } from '../program.ts'
import { bundleWordsOf } from '../words.ts'
import { readOptions, type Command } from './command.ts'

/** `put FILE`, `undo`, `list`; the terminal may be running. The package says whose lane it is and which keys count. */
export const bundle: Command = async (args, program) => {
  const { lane: asked, words } = readOptions(args, program, { beside: [1, 2] })
  const lane = laneOf(program, asked)
  refuseOtherOwner(lane)
  const shelf = shelfOf(lane.dataFolder, lane.trustFile)
  const [action, file] = words
  const order = { action, file, identity: () => identityOf(lane) }
  const code = shelf && orderOnShelf(shelf, order, bundleWordsOf(program.locale))
  if (code === null) throw new TerminalRefused(`${program.say('wrongWords')}\n${program.say('seeHelp')}`, 2)
  return code
}
