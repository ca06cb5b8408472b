import { FIRST_LOCALE, localeNamed } from '../i18n/languages.ts'
import type { Locale } from './locales.ts'

/** The language that is asked for in what was typed, however wrong the rest of it is; else the first. */
export const languageTyped = (args: readonly string[]): Locale => {
  const named = args.find((arg) => arg.startsWith('--language='))?.slice('--language='.length)
  return localeNamed(named ?? args[args.indexOf('--language') + 1] ?? '') ?? FIRST_LOCALE
}

/** A message of `files.command` and what it names. */
interface Mistyped {
  readonly key: 'tooMuch' | 'unknownOption' | 'valueUnwanted' | 'valueMissing'
  readonly values: { readonly word: string; readonly option: string }
}

/** What parseArgs of Node could not understand: its own words for it are a programmer's, and English. */
export function mistyped(error: unknown): Mistyped {
  const { code, message } = error instanceof Error && 'code' in error ? error : { code: '', message: String(error) }
  // Node names what it speaks of first, and in quotes.
  const [, named = ''] = /'([^']*)'/.exec(message) ?? []
  const last = named.split(/[ ,]/).at(-1)?.startsWith('-') ? (named.split(', ').at(-1) ?? named) : named
  const [option = named] = last.split(' ')
  const values = { word: named, option }
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return { key: 'tooMuch', values }
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return { key: 'unknownOption', values }
  return { key: message.includes('does not take') ? 'valueUnwanted' : 'valueMissing', values }
}
