import { statSync } from 'node:fs'
import { CommandLineError, readCommandLine } from '../contracts/core/command-line.ts'
import { FIRST_LOCALE } from '../contracts/i18n/languages.ts'
import type { Locale, Localized } from '../contracts/core/locales.ts'
import { LocalizedError } from '../contracts/core/refusal.ts'
import { words } from '../packages/delivery/commands/profiles/settings.ts'

/** What somebody typed cannot be understood, or names a place that will not do: in words, in every language. */
export class MistypedError extends LocalizedError {
  override name = 'MistypedError'
}

/** Reads a command line, for commands that answer in every language. Throws MistypedError. */
export const readArgs: typeof readCommandLine = (args, declared) => {
  try {
    return readCommandLine(args, declared)
  } catch (error) {
    if (!(error instanceof CommandLineError)) throw error
    throw new MistypedError(words(`command.${error.key}`, error.values))
  }
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
  if (error instanceof LocalizedError) return error.messages[locale]
  return systemWords(error)?.[locale] ?? (error instanceof Error ? error.message : String(error))
}
