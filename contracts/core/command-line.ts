import { parseArgs } from 'node:util'
import { FIRST_LOCALE, localeNamed } from '../i18n/languages.ts'
import type { Locale } from './locales.ts'

/*
 * Reads the command lines of every program (docs/decisions/0009-libraries-outside-our-trade.md). Depends on Node: the
 * screens must not import it.
 */

type Range = readonly [low: number, high: number]

/** Splits a type of names: `'data lane'` → `'data' | 'lane'`. */
type Names<Listed extends string> = Listed extends `${infer First} ${infer Rest}` ? First | Names<Rest> : Listed

export interface Declared<
  Texts extends string = string,
  Flags extends string = string,
  Lists extends string = string,
  Wholes extends string = string,
> {
  readonly texts?: Texts
  readonly flags?: Flags
  readonly lists?: Lists
  readonly numbers?: Readonly<Record<Wholes, Range>>
  /** Options that accept an empty value. An empty path is refused: it would mean the working folder. */
  readonly mayBeEmpty?: string
  readonly words?: boolean
  /**
   * Whether to accept unknown options, positional arguments and repetitions. The shell's arguments also contain
   * switches of Chromium.
   */
  readonly lenient?: boolean
}

export interface CommandLine<
  Texts extends string,
  Flags extends string,
  Lists extends string = never,
  Wholes extends string = never,
> {
  readonly values: { readonly [Name in Names<Texts>]: string | undefined } & {
    readonly [Name in Names<Flags>]: boolean
  } & { readonly [Name in Names<Lists>]: readonly string[] } & { readonly [Name in Wholes]: number | undefined }
  readonly words: readonly string[]
  /** Whether help was requested; the other options are then neither read nor checked. */
  readonly help: boolean
}

/**
 * English messages, for CLI commands in English; other CLI commands translate the keys, under `files.command` of the
 * message catalogs.
 */
const ENGLISH = {
  unknownOption: "Unknown option '{option}'.",
  valueMissing: '{option} is given without a value.',
  valueUnwanted: '{option} takes no value.',
  optionTwice: '{option} is given more than once.',
  tooMuch: '"{value}" is not expected here.',
  wholeNumber: '{option} needs a whole number from {low} to {high}, not "{value}".',
} as const

type MistakeKey = keyof typeof ENGLISH
type MistakeValues = Readonly<Record<'option' | 'value' | 'low' | 'high', string>>

export class CommandLineError extends Error {
  override name = 'CommandLineError'
  readonly key: MistakeKey
  readonly values: MistakeValues
  constructor(key: MistakeKey, option: string, value = '', [low, high]: Range = [0, 0]) {
    const values = { option, value, low: String(low), high: String(high) }
    super(ENGLISH[key].replaceAll(/\{(\w+)\}/g, (_, name: keyof MistakeValues) => values[name]))
    this.key = key
    this.values = values
  }
}

/** Reads a command line. Throws CommandLineError for its first mistake. */
export function readCommandLine<
  const Texts extends string = never,
  const Flags extends string = never,
  const Lists extends string = never,
  const Wholes extends string = never,
>(
  args: readonly string[],
  { texts, flags, lists, numbers, mayBeEmpty, words = false, lenient = false }: Declared<Texts, Flags, Lists, Wholes>,
): CommandLine<Texts, Flags, Lists, Wholes> {
  const help = !lenient && helpTyped(args)
  const [flagNames, listNames, emptyNames] = [namesOf(flags), namesOf(lists), namesOf(mayBeEmpty)]
  const ranges = new Map<string, Range>(Object.entries<Range>(numbers ?? {}))
  const withValue = [...namesOf(texts), ...listNames, ...ranges.keys()]
  // Node only splits the line into tokens, because its own error messages exist only in English.
  const { tokens } = parseArgs({
    args: help ? [] : [...args],
    strict: false,
    tokens: true,
    options: Object.fromEntries(withValue.map((name) => [name, { type: 'string' }])),
  })
  const found: string[] = []
  const values = new Map<string, string | number | boolean | string[]>(flagNames.map((name) => [name, false]))
  for (const name of listNames) values.set(name, [])
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (!words && !lenient) throw new CommandLineError('tooMuch', '', token.value)
      found.push(token.value)
    } else if (token.kind === 'option') {
      const { name, rawName: option } = token
      const before = values.get(name)
      if (flagNames.includes(name)) {
        if (token.value !== undefined && !lenient) throw new CommandLineError('valueUnwanted', option)
        values.set(name, token.value === undefined)
      } else if (withValue.includes(name)) {
        const value = valueOf(token, emptyNames.includes(name))
        const range = ranges.get(name)
        if (Array.isArray(before)) before.push(value)
        else if (before !== undefined && !lenient) throw new CommandLineError('optionTwice', option)
        else values.set(name, range === undefined ? value : wholeNumber(option, value, range))
      } else if (!lenient) throw new CommandLineError('unknownOption', option)
    }
  }
  // The cast of the parsed values is safe: each value has the type that its name was declared with.
  return { values: Object.fromEntries(values), words: found, help } as unknown as CommandLine<
    Texts,
    Flags,
    Lists,
    Wholes
  >
}

const namesOf = (listed: string | undefined): string[] => listed?.split(' ') ?? []

interface ValueToken {
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

function valueOf({ rawName, value, inlineValue }: ValueToken, mayBeEmpty: boolean): string {
  // An option in place of a value means that the value is missing: the folder in `--data --lane 02`.
  const isNextOption = inlineValue === false && value !== undefined && /^-./.test(value)
  if (value === undefined || isNextOption || (value.trim() === '' && !mayBeEmpty))
    throw new CommandLineError('valueMissing', rawName)
  return value
}

/** Parses a whole number. Throws CommandLineError unless it is within the limits. */
export function wholeNumber(option: string, text: string, range: Range): number {
  const value = Number(text)
  if (!/^\d{1,15}$/.test(text) || value < range[0] || value > range[1])
    throw new CommandLineError('wholeNumber', option, text, range)
  return value
}

interface Host {
  readonly argv: readonly string[]
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
  exitCode?: number | string | null | undefined
}

/**
 * Runs a CLI command whose texts are in English. Sets the exit code: the result of `run`, 0 after `--help`, or 2 with
 * the reason on standard error.
 */
export async function runCommand<
  const Texts extends string = never,
  const Flags extends string = never,
  const Lists extends string = never,
  const Wholes extends string = never,
>(
  host: Host,
  help: string,
  declared: Declared<Texts, Flags, Lists, Wholes>,
  run: (given: CommandLine<Texts, Flags, Lists, Wholes>) => number | Promise<number>,
): Promise<void> {
  try {
    const given = readCommandLine(host.argv.slice(2), declared)
    if (given.help) host.stdout.write(help)
    else host.exitCode = await run(given)
  } catch (error) {
    const usage = error instanceof CommandLineError ? `\n\n${help}` : '\n'
    host.stderr.write(`${error instanceof Error ? error.message : String(error)}${usage}`)
    host.exitCode = 2
  }
}

/** Whether the arguments request help, even when the other arguments are invalid. */
export const helpTyped = (args: readonly string[]): boolean => args.some((arg) => arg === '--help' || arg === '-h')

/** Returns the value of `--language`, even when the other arguments are invalid. */
export function languageValue(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => arg === '--language' || arg.startsWith('--language='))
  return at === -1 ? undefined : (args[at]?.split('=')[1] ?? args[at + 1])
}

/** Returns the language that the arguments request, or the first language when they request none that exists. */
export const languageTyped = (args: readonly string[]): Locale => localeNamed(languageValue(args) ?? '') ?? FIRST_LOCALE
