import { createHash } from 'node:crypto'
import { chmodSync, createReadStream, existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Trusted } from '../signed.ts'
import { openManifest, type Platform, type Program, type ProgramFile, type UpdateManifest } from './formats.ts'
import { PROGRAM_SIGNED } from './program-path.ts'

export const fileIn = (folder: string, place: string): string => path.join(folder, ...place.split('/'))

/** The sealed manifest beside a program, as it was signed by whom a lane trusts; null: there is none such. */
export function readProgram(
  folder: string,
  platform: Platform,
  trusted: Trusted,
): { readonly manifest: UpdateManifest; readonly program: Program; readonly sealed: Buffer } | null {
  const file = path.join(folder, PROGRAM_SIGNED)
  if (!existsSync(file)) return null
  const sealed = readFileSync(file)
  const opened = openManifest(sealed, trusted, null)
  if ('refusal' in opened) return null
  const program = opened.manifest.programs.find((each) => each.platform === platform)
  return program === undefined ? null : { manifest: opened.manifest, program, sealed }
}

/** As the manifest has it: a file, of its length, with its bytes. A link may lead to what is changed later. */
export async function isAsSigned(folder: string, file: ProgramFile): Promise<boolean> {
  const place = fileIn(folder, file.path)
  const found = lstatSync(place, { throwIfNoEntry: false })
  if (!found?.isFile() || found.size !== file.bytes) return false
  return (await hashOf(place)) === file.sha256
}

/** The first file or link of a program that is not as it was signed; null: the program is whole. */
export async function firstDamaged(folder: string, { files, links = [] }: Program): Promise<string | null> {
  for (const file of files) if (!(await isAsSigned(folder, file))) return file.path
  return links.find((link) => !isLinkedAsSigned(folder, link))?.path ?? null
}

export const linkTarget = ({ path: place, to }: NonNullable<Program['links']>[number]): string =>
  path.posix.relative(path.posix.dirname(place), to)

function isLinkedAsSigned(folder: string, link: NonNullable<Program['links']>[number]): boolean {
  const place = fileIn(folder, link.path)
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return false
  return readlinkSync(place) === linkTarget(link)
}

export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Whoever runs the lane reads it; nobody writes to a program. */
export const giveMode = (file: string, { executable }: Pick<ProgramFile, 'executable'>): void => {
  chmodSync(file, executable ? 0o755 : 0o644)
}
