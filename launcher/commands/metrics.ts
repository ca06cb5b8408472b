import { TerminalRefused } from '../../electron/refused.ts'
import { orderMetrics } from '../metrics-orders.ts'
import { laneOf } from '../program.ts'
import { readOptions, type Command } from './command.ts'

/** `metrics on`, `off` and `status`: who may scrape the lane; the terminal may be running. */
export const metrics: Command = async (args, program) => {
  const given = readOptions(args, program, { beside: [1, 1] })
  const code = orderMetrics(laneOf(program, given.lane).dataFolder, given.words[0], program.say)
  if (code === null) throw new TerminalRefused(`${program.say('wrongWords')}\n${program.say('seeHelp')}`, 2)
  return code
}
