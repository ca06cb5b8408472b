import path from 'node:path'
import { laneOf } from '../program.ts'
import { runBeside } from '../run-beside.ts'
import { readOptions, type Command } from './command.ts'

/** `support [FILE]`: the support file of a lane; the terminal may be running. */
export const support: Command = async (args, program) => {
  const given = readOptions(args, program, { beside: [0, 1] })
  const [file] = given.words
  const out = file === undefined ? [] : ['--out', path.resolve(file)]
  return runBeside(program, 'support-file.js', ['--data', laneOf(program, given.lane).dataFolder, ...out])
}
