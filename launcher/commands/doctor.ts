import { laneOf } from '../program.ts'
import { runBeside } from '../run-beside.ts'
import { findBrowser } from '../window/browser.ts'
import { readOptions, type Command } from './command.ts'

/** A check of the whole lane, running or not: 0, 1 where something needs attention, 2 where something is wrong. */
export const doctor: Command = async (args, program) => {
  const given = readOptions(args, program, { flags: ['json'] })
  const { lane, dataFolder, bundleFile, trustFile } = laneOf(program, given.lane)
  return runBeside(program, 'doctor.js', [
    '--data',
    dataFolder,
    '--lane',
    lane,
    '--trust',
    trustFile,
    ...(bundleFile === undefined ? [] : ['--bundle', bundleFile]),
    `--browser=${findBrowser()?.name ?? ''}`,
    ...(given.has('json') ? ['--json'] : []),
  ])
}
