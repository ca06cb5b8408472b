import { CommandLineError, type Declared, readCommandLine } from '../../../contracts/core/command-line.ts'
import { TerminalRefused } from '../refused.ts'
import type { Program } from './program.ts'

/** A command of `milepost` and what stands behind its name: the exit code. Throws TerminalRefused in words. */
export type Command = (args: readonly string[], program: Program) => Promise<number>

/**
 * The options of a command and the words besides them; `--language` is read before them all. Throws TerminalRefused
 * with the mistake and where the help is.
 */
export function readOptions<
  const Texts extends string,
  const Flags extends string = never,
  const Wholes extends string = never,
>(
  args: readonly string[],
  { say }: Program,
  declared: Omit<Declared<Texts, Flags, never, Wholes>, 'words'>,
  [least, most]: readonly [least: number, most: number] = [0, 0],
) {
  const refuse = (message: string): never => {
    throw new TerminalRefused(`${message}\n${say('seeHelp')}`, 2)
  }
  try {
    const read = readCommandLine(args, { ...declared, words: true })
    return read.words.length < least || read.words.length > most ? refuse(say('wrongWords')) : read
  } catch (error) {
    if (!(error instanceof CommandLineError)) throw error
    const { option, word: port } = error.values
    if (error.key === 'wholeNumber') throw new TerminalRefused(say('wrongPort', { port }), 2)
    return refuse(say(error.key === 'optionTwice' ? 'optionTwice' : 'wrongOption', { option }))
  }
}
