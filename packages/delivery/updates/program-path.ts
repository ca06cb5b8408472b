import { z } from 'zod'
import { RESERVED_ON_WINDOWS } from '../manifest.ts'

const WORDS =
  'a program’s path has letters A to Z, digits, blanks and . ( ) + - _ @ [ ] % alone, and no name that Windows keeps'

const PART = /^(?!\.+$)[\w@.[(]([\w .()+@[\]%-]*[\w()+@[\]%-])?$/

/** Where a slot keeps its sealed manifest: no file of a program may be called so. */
export const PROGRAM_SIGNED = 'program.signed'

/**
 * Of a file below the program's folder, as in a bundle: no drive, no way up, nothing that two systems read differently.
 * Packages have more signs in their names, and files that begin with a dot.
 */
export const ProgramPath = z
  .string()
  .max(240)
  .refine((path) => path.split('/').every((part) => PART.test(part)), WORDS)
  .regex(RESERVED_ON_WINDOWS, WORDS)
  .refine((path) => path.toLowerCase() !== PROGRAM_SIGNED, `${PROGRAM_SIGNED} is the manifest’s own`)

/** Each its own on a disk of every kind: Windows tells no capitals from small letters, and no file is also a folder. */
export function areApart(paths: readonly string[]): boolean {
  const all = new Set(paths.map((path) => path.toLowerCase()))
  return all.size === paths.length && [...all].every((path) => foldersOf(path).every((folder) => !all.has(folder)))
}

const foldersOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'))
