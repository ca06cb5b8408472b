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
import type { Source } from './request.ts'
import { filePlace, type Program, PROGRAM_SIGNED, type ProgramFile } from './formats.ts'
import { getFile, Unreachable } from './get.ts'
import { fileIn, giveMode, hashOf, isAsSigned, linkTarget } from './program-files.ts'

const AT_ONCE = 4
const TRIES = 3
const PAUSE_MS = 200
/** Free bytes that must remain for the journal and other files of the lane. */
const RESERVED_BYTES = 64_000_000

export interface Progress {
  /** Decompressed bytes of the program: `done` are on the disk, `all` is the total. */
  readonly done: number
  readonly all: number
}

export interface InstalledProgram {
  readonly folder: string
  readonly program: Program
}

export interface FetchProgram {
  readonly source: Source
  readonly program: Program
  readonly sealed: Uint8Array
  /** Staging folder of the download. Files of an earlier download of the same program are reused. */
  readonly staging: string
  readonly installed: readonly InstalledProgram[]
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

export type FetchedProgram =
  | { readonly kind: 'whole' }
  /** The server's content of one file differs from the signed content. */
  | { readonly kind: 'other-content'; readonly path: string }
  | { readonly kind: 'no-room'; readonly needs: number; readonly free: number }

/**
 * Downloads a program into `staging`; each file is synced to disk and verified before it gets its final name. Rejects
 * with Unreachable, TooLarge or a file system error; the next call resumes.
 */
export async function fetchProgram(options: FetchProgram): Promise<FetchedProgram> {
  const { program, sealed, staging, onProgress } = options
  prepare(staging, sealed)
  const missing = await filesMissing(staging, program.files)
  const needs = sum(missing) + RESERVED_BYTES
  const { bavail, bsize } = statfsSync(staging)
  if (needs > bavail * bsize) return { kind: 'no-room', needs, free: bavail * bsize }
  const all = sum(program.files)
  let done = all - sum(missing)
  const here = byContent(options.installed)
  const queue = missing.values()
  const other: string[] = []
  let failed = false
  const work = async (staged: string): Promise<void> => {
    for (const file of queue) {
      if (failed || other.length > 0) return
      options.source.signal?.throwIfAborted()
      const isSame = (await takeOver(options, file, staged, here)) || (await fetchOne(options, file, staged))
      if (!isSame) other.push(file.path)
      done += file.bytes
      onProgress?.({ done, all })
    }
  }
  onProgress?.({ done, all })
  // Downloads are staged next to the program, under names that no file of a program can have. All of them end before a
  // failure is reported, because the next call uses the same names.
  const downloads = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, async (_, at) => {
      try {
        await work(`${staging}.${at}.part`)
      } catch (error) {
        failed = true
        throw error
      }
    }),
  )
  const failure = downloads.find((download) => download.status === 'rejected')
  if (failure) throw failure.reason
  const [path_] = other
  if (path_ !== undefined) return { kind: 'other-content', path: path_ }
  linkAndSync(staging, program)
  return { kind: 'whole' }
}

const sum = (files: readonly ProgramFile[]): number => files.reduce((bytes, file) => bytes + file.bytes, 0)

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

const byContent = (installed: readonly InstalledProgram[]): ReadonlyMap<string, string> =>
  new Map(
    installed
      .toReversed()
      .flatMap(({ folder, program }) => program.files.map(({ path: file, sha256 }) => [sha256, fileIn(folder, file)])),
  )

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
  // A hard link shares the mode of its file, so a file with another mode is copied.
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

function linkAndSync(staging: string, { files, links = [] }: Program): void {
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
