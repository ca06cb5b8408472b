import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import path from 'node:path'
import { syncFolder, syncWhole, writeWhole } from '../whole-file.ts'
import type { Source } from './ask.ts'
import { filePlace, type Program, PROGRAM_SIGNED, type ProgramFile } from './formats.ts'
import { getFile, Unreachable } from './get.ts'
import { fileIn, giveMode, hashOf, isAsSigned, linkTarget } from './program-files.ts'

const AT_ONCE = 4
const TRIES = 3
const PAUSE_MS = 200
/** Left over for the journal and everything else that the lane writes. */
const ROOM_LEFT = 64_000_000

export interface Progress {
  /** Bytes of the program, unpacked: those that are on the disk, and all. */
  readonly done: number
  readonly all: number
}

/** A program that stands on this lane. */
export interface Standing {
  readonly folder: string
  readonly program: Program
}

export interface FetchProgram {
  readonly source: Source
  readonly program: Program
  readonly sealed: Uint8Array
  /** Where it is put together. What an earlier fetch of the same program left is gone on with. */
  readonly staging: string
  /** Whose files are taken where they are the same. */
  readonly standing: readonly Standing[]
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

export type FetchedProgram =
  | { readonly kind: 'whole' }
  /** What the place gives for this file is not what was signed. */
  | { readonly kind: 'other-content'; readonly path: string }
  | { readonly kind: 'no-room'; readonly needs: number; readonly free: number }

/**
 * Puts a program together in `staging`, file by file, each on the disk and as signed before it has its name there.
 * Rejects with Unreachable, TooLarge, or what the file system says; the next call goes on from what is there.
 */
export async function fetchProgram(options: FetchProgram): Promise<FetchedProgram> {
  const { program, sealed, staging, onProgress } = options
  prepare(staging, sealed)
  const missing = await filesMissing(staging, program.files)
  const needs = sum(missing) + ROOM_LEFT
  const { bavail, bsize } = statfsSync(staging)
  if (needs > bavail * bsize) return { kind: 'no-room', needs, free: bavail * bsize }
  const all = sum(program.files)
  let done = all - sum(missing)
  const here = byContent(options.standing)
  const left = missing.values()
  const other: string[] = []
  const work = async (staged: string): Promise<void> => {
    for (const file of left) {
      if (other.length > 0) return
      options.source.signal?.throwIfAborted()
      if (!(await takeOver(options, file, staged, here)) && !(await fetchOne(options, file, staged)))
        other.push(file.path)
      done += file.bytes
      onProgress?.({ done, all })
    }
  }
  onProgress?.({ done, all })
  // Beside the program and not in it: no file of a program can have such a name.
  await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => work(`${staging}.${at}.part`)))
  const [path_] = other
  if (path_ !== undefined) return { kind: 'other-content', path: path_ }
  settle(staging, program)
  return { kind: 'whole' }
}

const sum = (files: readonly ProgramFile[]): number => files.reduce((bytes, file) => bytes + file.bytes, 0)

/** What another program left there is of no use. */
function prepare(staging: string, sealed: Uint8Array): void {
  const file = path.join(staging, PROGRAM_SIGNED)
  if (existsSync(file) && readFileSync(file).equals(sealed)) return
  rmSync(staging, { recursive: true, force: true })
  mkdirSync(staging, { recursive: true })
  writeWhole(file, sealed, 0o644)
}

async function filesMissing(staging: string, files: readonly ProgramFile[]): Promise<ProgramFile[]> {
  const missing: ProgramFile[] = []
  for (const file of files) if (!(await isAsSigned(staging, file))) missing.push(file)
  return missing
}

/** Where files of these programs stand, by their content. */
const byContent = (standing: readonly Standing[]): ReadonlyMap<string, string> =>
  new Map(
    standing
      .toReversed()
      .flatMap(({ folder, program }) => program.files.map(({ path: file, sha256 }) => [sha256, fileIn(folder, file)])),
  )

/** A file that stands on the lane already, and is still what it was, is linked or copied. */
async function takeOver(
  { staging }: FetchProgram,
  file: ProgramFile,
  staged: string,
  here: ReadonlyMap<string, string>,
): Promise<boolean> {
  const from = here.get(file.sha256)
  if (from === undefined || !existsSync(from) || (await hashOf(from)) !== file.sha256) return false
  rmSync(staged, { force: true })
  const isExecutable = (statSync(from).mode & 0o100) !== 0
  // A link shares its mode.
  if (isExecutable !== file.executable || !linked(from, staged)) {
    copyFileSync(from, staged)
    giveMode(staged, file)
    syncWhole(staged)
  }
  name(staged, staging, file)
  return true
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch {
    // Another disk, or one without links.
    return false
  }
}

async function fetchOne({ source, staging }: FetchProgram, file: ProgramFile, staged: string): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      const isSame = await getFile(source, filePlace(file.sha256), file, staged)
      if (isSame) {
        giveMode(staged, file)
        name(staged, staging, file)
      }
      if (isSame || tries >= TRIES) return isSame
    } catch (error) {
      if (!(error instanceof Unreachable) || tries >= TRIES || source.signal?.aborted === true) throw error
    } finally {
      rmSync(staged, { force: true })
    }
    await new Promise((resolve) => {
      setTimeout(resolve, PAUSE_MS * 2 ** tries * Math.random())
    })
  }
}

function name(staged: string, staging: string, file: ProgramFile): void {
  const place = fileIn(staging, file.path)
  mkdirSync(path.dirname(place), { recursive: true })
  rmSync(place, { recursive: true, force: true })
  renameSync(staged, place)
}

/** Links, and the names of all that is there, are on the disk. */
function settle(staging: string, { files, links = [] }: Program): void {
  for (const link of links) {
    const place = fileIn(staging, link.path)
    mkdirSync(path.dirname(place), { recursive: true })
    rmSync(place, { recursive: true, force: true })
    symlinkSync(linkTarget(link), place)
  }
  const folders = new Set([staging])
  for (const { path: file } of [...files, ...links])
    for (let at = path.dirname(fileIn(staging, file)); !folders.has(at); at = path.dirname(at)) folders.add(at)
  for (const folder of folders) syncFolder(folder)
}
