import { settleProxy } from '../../delivery/outgoing.ts'
import { proxyOfLane } from '../../electron/lane-profile.ts'
import { ownSlots } from '../../electron/own-slots.ts'
import { TerminalRefused } from '../../electron/refused.ts'
import { laneOf } from '../program.ts'
import { orderUpdate } from '../update-orders.ts'
import { updateWordsOf } from '../words.ts'
import { readOptions, type Command } from './command.ts'

/** `status`, `check`, `now`, `tonight` and `back`; the terminal may be running. */
export const update: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: ['from'], beside: [1, 1] })
  const lane = laneOf(program, given.lane)
  const say = updateWordsOf(program.locale)
  await settleProxy(proxyOfLane(lane))
  const slots = ownSlots(program.folder, lane)
  if (slots === null) throw new TerminalRefused(program.say('noPackage', { folder: program.folder }), 2)
  const { storeId: store } = lane.outline
  const [action] = given.words
  const place = { slots: slots.slots, dataFolder: lane.dataFolder, lane: { store, lane: lane.lane }, now: lane.now }
  const code = await orderUpdate({ ...place, from: given.text('from') }, action, say)
  if (code === null) throw new TerminalRefused(`${program.say('wrongWords')}\n${program.say('seeHelp')}`, 2)
  return code
}
