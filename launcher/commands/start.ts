import { settleProxy } from '../../delivery/outgoing.ts'
import { laneProfile, proxyOfLane } from '../../electron/lane-profile.ts'
import { ownSlots } from '../../electron/own-slots.ts'
import { TerminalRefused } from '../../electron/refused.ts'
import { startInSlots } from '../start-in-slots.ts'
import { laneOf, programFile } from '../program.ts'
import { needsKeyStore, runTerminal, untilAskedToEnd } from '../run-terminal.ts'
import { browserWindow, noWindow } from '../window/choose-window.ts'
import { portOf, readOptions, type Command } from './command.ts'

/** The terminal of a lane, in an app window of the machine's browser or in none, until it is asked to end. */
export const start: Command = async (args, program) => {
  const given = readOptions(args, program, { flags: ['no-window', 'kiosk'], texts: ['port'] })
  const port = portOf(given.text('port'), program) ?? 0
  const lane = laneOf(program, given.lane)
  if (needsKeyStore(lane)) throw new TerminalRefused([['keyAway']], 2)
  const none = noWindow(given.has('no-window'), program.say)
  const askedToEnd = untilAskedToEnd()
  const terminal = (): Promise<number> =>
    runTerminal({
      ...lane,
      profile: laneProfile(lane),
      port,
      kiosk: given.has('kiosk'),
      backendMain: programFile(program, 'backend', 'main.js'),
      centralMain: programFile(program, 'central', 'main.js'),
      staticFolder: programFile(program, 'renderer'),
      window:
        none === null ? browserWindow(program.say('window.packageHasNone'), program.say) : { kind: 'none', why: none },
      askedToEnd,
      log: program.log,
      say: program.say,
    })
  await settleProxy(proxyOfLane(lane))
  const slots = ownSlots(program.folder, lane)
  return slots === null ? terminal() : startInSlots({ ...slots, ...lane, terminal, askedToEnd, args, program })
}
