import path from 'node:path'
import { packageFolderOf } from '../../electron/packaged-store.ts'
import { TerminalRefused } from '../../electron/refused.ts'
import { orderAutostart, thisMachine } from '../autostart.ts'
import { laneOf } from '../program.ts'
import { portOf, readOptions, type Command } from './command.ts'

/** `install`, `remove`, `show`: whether the lane starts with the session of its user. */
export const autostart: Command = async (args, program) => {
  const given = readOptions(args, program, { beside: [1, 1], flags: ['kiosk', 'entry'], texts: ['port'] })
  const port = portOf(given.text('port'), program)
  const { lane, dataFolder } = laneOf(program, given.lane)
  const folder = packageFolderOf(program.folder) ?? program.folder
  const code = orderAutostart(
    {
      action: given.words[0],
      named: given.lane.lane !== undefined || given.lane.data !== undefined,
      kind: given.has('entry') ? 'entry' : 'unit',
      start: {
        // By the package's own starter: the program that it starts changes with each update.
        command: [
          path.join(folder, 'milepost'),
          'start',
          '--lane',
          lane,
          '--data',
          dataFolder,
          ...(given.has('kiosk') ? ['--kiosk'] : []),
          ...(port === null ? [] : ['--port', String(port)]),
        ],
        workingFolder: folder,
        dataFolder,
      },
    },
    thisMachine(),
    program.say,
  )
  if (code === null) throw new TerminalRefused(`${program.say('wrongWords')}\n${program.say('seeHelp')}`, 2)
  return code
}
