import { helpTyped } from '../../../contracts/core/command-line.ts'
import { COMMANDS } from './commands.ts'
import type { Say } from './words.ts'
import { type LaneIdentity, laneMarkOf, ownerOf } from '../../delivery/identity.ts'
import { TerminalRefused } from '../refused.ts'

type CommandName = keyof typeof COMMANDS
const NAMES = Object.keys(COMMANDS).filter((name): name is CommandName => name in COMMANDS)

interface Chosen {
  /** As it was named; null: not at all. */
  readonly language: string | null
  /** Null where the first word is no command. */
  readonly command: CommandName | 'help' | null
  readonly args: readonly string[]
}

/** `milepost [COMMAND] …`: without a command it starts the terminal. The language may stand anywhere. */
export function chooseCommand(argv: readonly string[]): Chosen {
  const { language, rest } = takeLanguage(argv)
  const [first, ...args] = rest
  if (helpTyped(rest) || first === 'help') return { language, command: 'help', args: [] }
  if (first === undefined || first.startsWith('-')) return { language, command: 'start', args: rest }
  return { language, command: NAMES.find((name) => name === first) ?? null, args }
}

function takeLanguage(argv: readonly string[]): { readonly language: string | null; readonly rest: readonly string[] } {
  const at = argv.findIndex((word) => word === '--language' || word.startsWith('--language='))
  const word = argv[at]
  if (word === undefined) return { language: null, rest: argv }
  const [, beside] = word.split('=')
  const rest = argv.toSpliced(at, beside === undefined ? 2 : 1)
  return { language: beside ?? argv[at + 1] ?? '', rest }
}

const OPTIONS = [
  'lane',
  'data',
  'language',
  'noWindow',
  'kiosk',
  'port',
  'from',
  'service',
  'certificate',
  'trust',
] as const

/** Every command with what it does, in one language. */
export const usage = (say: Say): string =>
  [
    say('usage'),
    '',
    ...NAMES.map((name) => `  ${say(`commands.${name}`)}`),
    `  ${say('help')}`,
    '',
    ...OPTIONS.map((name) => `  ${say(`options.${name}`)}`),
  ].join('\n')

/**
 * Whose data the folder holds; null: it has never been started, and its first bundle says whose it is. Throws
 * TerminalRefused where that cannot be read: a bundle of any store would be taken.
 */
export function laneIdentity(dataFolder: string): LaneIdentity | null {
  try {
    return ownerOf(dataFolder)
  } catch {
    throw new TerminalRefused([['laneMark', { file: laneMarkOf(dataFolder) }]], 2)
  }
}
