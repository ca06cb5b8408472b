import { dirname, resolve } from 'node:path'
import type { Profile } from '../../contracts/profile.ts'
import type { Bitmap } from '../../contracts/receipt.ts'
import { EXIT, StartRefusedError } from '../data-folder.ts'
import { shortFile } from '../text-file.ts'
import { PngError, readPng } from './png.ts'

/** The widest picture that paper of 42 columns holds: twelve dots a column. */
const MOST_DOTS = 504

/**
 * The store's mark as dots, from the PNG that the profile names; null when it names none. Throws a StartRefusedError
 * that says what is wrong with the file.
 */
export function loadLogo({ receipt }: Pick<Profile, 'receipt'>, profileFile: string): Bitmap | null {
  if (!receipt.logo) return null
  const file = resolve(dirname(profileFile), receipt.logo.file)
  const refused = (reason: string): StartRefusedError =>
    new StartRefusedError(
      `${profileFile}: receipt.logo.file: ${file}: ${reason}. The logo is a PNG, black on white, at most ` +
        `${MOST_DOTS} dots wide.`,
      EXIT.badArguments,
    )
  let bytes: Uint8Array
  try {
    bytes = shortFile(file)
  } catch (error) {
    throw refused(
      error instanceof Error && 'code' in error && error.code === 'ENOENT'
        ? 'there is no such file'
        : 'it cannot be read',
    )
  }
  try {
    const logo = readPng(bytes)
    if (logo.width > MOST_DOTS) throw refused(`it is ${logo.width} dots wide`)
    return logo
  } catch (error) {
    throw error instanceof PngError ? refused(error.message) : error
  }
}
