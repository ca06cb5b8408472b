import { helpTyped } from '../../../contracts/core/command-line.ts'
import { COMMANDS } from './commands.ts'
import type { Translate } from './translators.ts'
import { type LaneIdentity, laneMarkOf, ownerOf } from '../../delivery/identity.ts'
import { TerminalRefused } from '../terminal-refused.ts'

type CommandName = keyof typeof COMMANDS
const NAMES = Object.keys(COMMANDS).filter((name): name is CommandName => name in COMMANDS)

interface Chosen {
  readonly language: string | null
  readonly command: CommandName | 'help' | null
  readonly args: readonly string[]
}

/** Parses `milepost [COMMAND] …`: without a CLI command it starts the terminal. The language option may be anywhere. */
export function chooseCommand(argv: readonly string[]): Chosen {
  const { language, rest } = takeLanguage(argv)
  const [first, ...args] = rest
  if (helpTyped(rest) || first === 'help') return { language, command: 'help', args: [] }
  if (first === undefined || first.startsWith('-')) return { language, command: 'start', args: rest }
  return { language, command: NAMES.find((name) => name === first) ?? null, args }
}

function takeLanguage(argv: readonly string[]): { readonly language: string | null; readonly rest: readonly string[] } {
  const at = argv.findIndex((argument) => argument === '--language' || argument.startsWith('--language='))
  const argument = argv[at]
  if (argument === undefined) return { language: null, rest: argv }
  const [, inline] = argument.split('=')
  const rest = argv.toSpliced(at, inline === undefined ? 2 : 1)
  return { language: inline ?? argv[at + 1] ?? '', rest }
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

export const usage = (translate: Translate): string =>
  [
    translate('usage'),
    '',
    ...NAMES.map((name) => `  ${translate(`commands.${name}`)}`),
    `  ${translate('help')}`,
    '',
    ...OPTIONS.map((name) => `  ${translate(`options.${name}`)}`),
  ].join('\n')

/**
 * Returns the lane that owns the data folder; null before its first start, when its first bundle determines the
 * identity. Throws TerminalRefused if the owner cannot be read: otherwise a bundle of any store would be accepted.
 */
export function laneIdentity(dataFolder: string): LaneIdentity | null {
  try {
    return ownerOf(dataFolder)
  } catch {
    throw new TerminalRefused([['laneMark', { file: laneMarkOf(dataFolder) }]], 2)
  }
}
