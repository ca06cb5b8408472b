import { statSync } from 'node:fs'
import { CommandLineError, readCommandLine } from '../contracts/core/command-line.ts'
import { FIRST_LOCALE } from '../contracts/i18n/languages.ts'
import type { Locale, Localized } from '../contracts/core/locales.ts'
import { LocalizedError } from '../contracts/core/refusal.ts'
import { localized } from '../packages/delivery/commands/profiles/settings.ts'

/** Error of a user: invalid arguments, or a path of the wrong kind. Its message is localized. */
export class MistypedError extends LocalizedError {
  override name = 'MistypedError'
}

/** Reads a command line for localized CLI commands. Throws MistypedError. */
export const readArgs: typeof readCommandLine = (args, declared) => {
  try {
    return readCommandLine(args, declared)
  } catch (error) {
    if (!(error instanceof CommandLineError)) throw error
    throw new MistypedError(localized(`command.${error.key}`, error.values))
  }
}

/** Throws MistypedError unless the path is a file. */
export function needFile(place: string): void {
  const found = statSync(place, { throwIfNoEntry: false })
  if (found === undefined) throw new MistypedError(localized('command.noFile', { place }))
  if (found.isDirectory()) throw new MistypedError(localized('command.isFolder', { place }))
  if (!found.isFile()) throw new MistypedError(localized('command.isNeither', { place }))
}

/** Throws MistypedError unless the path is a folder. */
export function needFolder(place: string): void {
  const found = statSync(place, { throwIfNoEntry: false })
  if (found === undefined) throw new MistypedError(localized('command.noFolder', { place }))
  if (!found.isDirectory()) throw new MistypedError(localized('command.isFile', { place }))
}

/** Throws MistypedError if the path exists and is not a file. */
export function mayBecomeFile(place: string): void {
  if (statSync(place, { throwIfNoEntry: false }) !== undefined) needFile(place)
}

/** Throws MistypedError if the path exists and is not a folder. */
export function mayBecomeFolder(place: string): void {
  if (statSync(place, { throwIfNoEntry: false }) !== undefined) needFolder(place)
}

/** Returns a localized message for a system error; null for other errors. */
export function systemErrorText(error: unknown): Localized | null {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return null
  const place = 'path' in error ? String(error.path) : String(error.syscall)
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') return localized('command.noRoom', { place })
  if (['EACCES', 'EPERM', 'EROFS'].includes(String(error.code))) return localized('command.notAllowed', { place })
  return localized('command.unusable', { place, reason: String(error.code) })
}

export function errorText(error: unknown, help: string, locale: Locale = FIRST_LOCALE): string {
  if (error instanceof MistypedError) return `${error.messages[locale]}\n\n${help}`
  if (error instanceof LocalizedError) return error.messages[locale]
  return systemErrorText(error)?.[locale] ?? (error instanceof Error ? error.message : String(error))
}
