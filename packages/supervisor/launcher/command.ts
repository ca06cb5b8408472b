import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { TerminalRefused } from '../refused.ts'
import type { Program } from './program.ts'

/** A command of `milepost` and what stands behind its name: the exit code. Throws TerminalRefused in words. */
export type Command = (args: readonly string[], program: Program) => Promise<number>

/** What every command of a lane takes; `--language` is read before them all. */
const OF_A_LANE = { lane: { type: 'string' }, data: { type: 'string' } } as const

interface Wanted<Flag extends string, Text extends string> {
  readonly flags?: readonly Flag[]
  readonly texts?: readonly Text[]
  /** How many words beside the options. */
  readonly beside?: readonly [least: number, most: number]
}

export interface Given<Flag extends string, Text extends string> {
  readonly lane: { readonly lane?: string; readonly data?: string }
  readonly words: readonly string[]
  readonly has: (flag: Flag) => boolean
  readonly text: (name: Text) => string | null
}

/** A port of this machine, null where none was named. Throws TerminalRefused in words. */
export function portOf(text: string | null, { say }: Program): number | null {
  if (text === null) return null
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new TerminalRefused(say('wrongPort', { port: text }), 2)
  return Number(text)
}

/** The options of a command. Throws TerminalRefused with what is wrong and where the help is. */
export function readOptions<Flag extends string = never, Text extends string = never>(
  args: readonly string[],
  { say }: Program,
  { flags = [], texts = [], beside: [least, most] = [0, 0] }: Wanted<Flag, Text> = {},
): Given<Flag, Text> {
  const refuse = (message: string): never => {
    throw new TerminalRefused(`${message}\n${say('seeHelp')}`, 2)
  }
  const options: ParseArgsOptionsConfig = {
    ...OF_A_LANE,
    ...Object.fromEntries(flags.map((name) => [name, { type: 'boolean' }])),
    ...Object.fromEntries(texts.map((name) => [name, { type: 'string' }])),
  }
  let parsed
  try {
    parsed = parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    // Node names the option in quotes, and says the rest in English.
    const option = /'(-[^ ']+)/.exec(error instanceof Error ? error.message : '')?.[1] ?? ''
    return refuse(say('wrongOption', { option }))
  }
  const values = new Map(Object.entries(parsed.values))
  // A path that is empty would be the working folder.
  for (const [name, value] of values)
    if (typeof value === 'string' && value.trim() === '') refuse(say('wrongOption', { option: `--${name}` }))
  if (parsed.positionals.length < least || parsed.positionals.length > most) refuse(say('wrongWords'))
  const text = (name: string): string | null => {
    const value = values.get(name)
    return typeof value === 'string' ? value : null
  }
  const [lane, data] = [text('lane'), text('data')]
  return {
    lane: { ...(lane === null ? {} : { lane }), ...(data === null ? {} : { data }) },
    words: parsed.positionals,
    has: (flag) => values.get(flag) === true,
    text,
  }
}
