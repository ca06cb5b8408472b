import { chmodSync, createReadStream, existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import {
  openManifest,
  Platform,
  type Program,
  PROGRAM_SIGNED,
  type ProgramFile,
  type UpdateManifest,
} from './formats.ts'
import { SlotName } from './slots-state.ts'
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import type { Trusted } from '../signed.ts'

export interface ProgramPlace {
  readonly root: string
  readonly slot: SlotName
}

/** Finds the place of a program from any of its folders; null outside a slot, as in a source tree. */
export function placeOf(folder: string): ProgramPlace | null {
  for (let at = path.resolve(folder); path.dirname(at) !== at; at = path.dirname(at)) {
    const slot = SlotName.safeParse(path.basename(at))
    const slots = path.dirname(at)
    if (slot.success && path.basename(slots) === 'slots') return { root: path.dirname(slots), slot: slot.data }
  }
  return null
}

const PROGRAMS: Readonly<Record<Platform, { readonly program: string; readonly args: readonly string[] }>> = {
  'linux-x64': { program: 'milepost', args: [] },
  'win-x64': { program: 'Milepost.exe', args: [] },
  'mac-arm64': { program: 'Milepost.app/Contents/MacOS/Milepost', args: [] },
  'mac-x64': { program: 'Milepost.app/Contents/MacOS/Milepost', args: [] },
  'linux-x64-browser': { program: 'bin/node', args: ['launcher/main.js'] },
}

/**
 * Returns how to start the program in a slot. The paths are the same in every version, because the previous version
 * starts the new one. A program without its own Node uses the starter's.
 */
export function startOf(
  slotFolder: string,
  platform: Platform,
): { readonly file: string; readonly args: readonly string[] } {
  const { program, args } = PROGRAMS[platform]
  const file = path.join(slotFolder, ...program.split('/'))
  const isOurNode = platform === 'linux-x64-browser' && !existsSync(file)
  return {
    file: isOurNode ? process.execPath : file,
    args: args.map((arg) => path.join(slotFolder, ...arg.split('/'))),
  }
}

/** Returns the platform of the program in a slot, by its files; null for another folder. */
export function platformIn(slotFolder: string): Platform | null {
  const exists = (file: string): boolean => existsSync(path.join(slotFolder, ...file.split('/')))
  const fitting = Platform.options.filter((platform) => {
    const { program, args } = PROGRAMS[platform]
    return exists(args[0] ?? program)
  })
  const isMac = fitting.includes('mac-x64')
  if (isMac) return process.arch === 'arm64' ? 'mac-arm64' : 'mac-x64'
  return fitting[0] ?? null
}

export const fileIn = (folder: string, place: string): string => path.join(folder, ...place.split('/'))

/** Reads the signed manifest next to a program; null if no trusted key has signed it. */
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

/**
 * Returns whether the file matches the manifest in type, length and content. Links do not match, because their target
 * could change later.
 */
export async function isAsSigned(folder: string, file: ProgramFile): Promise<boolean> {
  const place = fileIn(folder, file.path)
  const found = lstatSync(place, { throwIfNoEntry: false })
  if (!found?.isFile() || found.size !== file.bytes) return false
  return (await hashOf(place)) === file.sha256
}

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

/** Sets the mode of a program's file: every user can read it, and other users cannot write it. */
export const giveMode = (file: string, { executable }: Pick<ProgramFile, 'executable'>): void => {
  chmodSync(file, executable ? 0o755 : 0o644)
}
