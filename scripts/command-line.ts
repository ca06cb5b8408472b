import { statSync } from 'node:fs'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { FIRST_LOCALE, localeNamed } from '../contracts/i18n/languages.ts'
import type { Locale, Localized } from '../contracts/locales.ts'
import { words } from './profiles/words.ts'

/** What somebody typed cannot be understood, or names a place that will not do: in words, in every language. */
export class MistypedError extends Error {
  override name = 'MistypedError'
  readonly messages: Localized
  constructor(messages: Localized) {
    super(messages['en-CA'])
    this.messages = messages
  }
}

/** The language that is asked for in what was typed, however wrong the rest of it is. */
export const languageTyped = (args: readonly string[] = process.argv): Locale => {
  const named = args.find((arg) => arg.startsWith('--language='))?.slice('--language='.length)
  return localeNamed(named ?? args[args.indexOf('--language') + 1] ?? '') ?? FIRST_LOCALE
}

/** What was typed. Throws MistypedError: Node's own words for it are a programmer's, and English. */
export function readArgs<const Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  let read
  try {
    read = parseArgs(config)
  } catch (error) {
    throw new MistypedError(wordsFor(error))
  }
  for (const [name, value] of Object.entries(read.values))
    if (value === '') throw new MistypedError(words('command.valueMissing', { option: `--${name}` }))
  return read
}

function wordsFor(error: unknown): Localized {
  const { code, message } = error instanceof Error && 'code' in error ? error : { code: '', message: String(error) }
  // Node names what it speaks of first, and in quotes.
  const [, named = ''] = /'([^']*)'/.exec(message) ?? []
  const option = named.split(/[ ,]/).at(-1)?.startsWith('-') ? (named.split(', ').at(-1) ?? named) : named
  const [word = named] = option.split(' ')
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return words('command.tooMuch', { word: named })
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return words('command.unknownOption', { option: word })
  const key = message.includes('does not take') ? 'command.valueUnwanted' : 'command.valueMissing'
  return words(key, { option: word })
}

/** Throws MistypedError where the place is no file that can be read. */
export function needFile(place: string): void {
  const found = statSync(place, { throwIfNoEntry: false })
  if (found === undefined) throw new MistypedError(words('command.noFile', { place }))
  if (found.isDirectory()) throw new MistypedError(words('command.isFolder', { place }))
  if (!found.isFile()) throw new MistypedError(words('command.isNeither', { place }))
}

/** Throws MistypedError where the place is no folder. */
export function needFolder(place: string): void {
  const found = statSync(place, { throwIfNoEntry: false })
  if (found === undefined) throw new MistypedError(words('command.noFolder', { place }))
  if (!found.isDirectory()) throw new MistypedError(words('command.isFile', { place }))
}

/** Throws MistypedError where a file cannot be made because something else has its name: it would be replaced. */
export function mayBecomeFile(place: string): void {
  if (statSync(place, { throwIfNoEntry: false }) !== undefined) needFile(place)
}

/** The same of a folder. */
export function mayBecomeFolder(place: string): void {
  if (statSync(place, { throwIfNoEntry: false }) !== undefined) needFolder(place)
}

/** What the system said of a place, in words; null: it was something else that went wrong. */
export function systemWords(error: unknown): Localized | null {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return null
  const place = 'path' in error ? String(error.path) : String(error.syscall)
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') return words('command.noRoom', { place })
  if (['EACCES', 'EPERM', 'EROFS'].includes(String(error.code))) return words('command.notAllowed', { place })
  return words('command.unusable', { place, reason: String(error.code) })
}

/** Why a command was not done, for whoever typed it. */
export function complaintOf(error: unknown, help: string, locale: Locale = FIRST_LOCALE): string {
  if (error instanceof MistypedError) return `${error.messages[locale]}\n\n${help}`
  return systemWords(error)?.[locale] ?? (error instanceof Error ? error.message : String(error))
}
