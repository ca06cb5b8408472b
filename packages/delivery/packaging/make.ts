import { constants, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import PQueue from 'p-queue'
import { writeWhole } from '../whole-file.ts'
import { makeBundle } from '../commands/make-bundle.ts'
import { StoreFilesError } from '../commands/store-files.ts'
import { startProfileChecker } from '../commands/check-profile.ts'
import type { Keyring } from '../commands/keyring.ts'
import type { Platform } from './program-files.ts'
import {
  makeProgram,
  megabytes,
  PackagesError,
  type Program,
  type ProgramsOptions,
  requireRuntime,
} from './programs.ts'
import { csvReport, htmlReport, type Outcome, startProgress, sums, SUMS_FILE } from './report.ts'
import { type CheckedStore, checkStores, profilesIn, storeArchiveMember } from './stores.ts'
import { appendFile, copyFile, rename, rm, stat } from 'node:fs/promises'
import { hashOfFile } from './member.ts'

export interface MakeOptions extends ProgramsOptions {
  readonly stores: string
  readonly out: string
  readonly platforms: readonly Platform[]
  readonly jobs: number
  readonly resume: boolean
  readonly keyring: Keyring
  /** Creation time of every bundle; null: the time of the store's newest file. */
  readonly madeAt: Date | null
  readonly sequence: number | null
}

type Good = Extract<CheckedStore, { kind: 'good' }>

/**
 * Creates the packages of all profiles in a folder. Creates each program only once; a broken profile does not stop
 * other stores. Throws PackagesError if nothing can be created.
 */
export async function makePackages(options: MakeOptions): Promise<readonly Outcome[]> {
  for (const platform of options.platforms) requireRuntime(platform, options)
  const checked = await checkAll(options.stores)
  const good = checked.filter((one) => one.kind === 'good')
  const programs = await makePrograms(good, options)
  mkdirSync(options.out, { recursive: true })
  clearUnfinished(options.out)
  requireSpace(good, programs, options)
  const outcomes = await assembleAll(checked, programs, options)
  writeWhole(path.join(options.out, 'report.csv'), csvReport(outcomes), 0o644)
  writeWhole(path.join(options.out, SUMS_FILE), sums(outcomes), 0o644)
  writeWhole(path.join(options.out, 'report.html'), htmlReport(outcomes), 0o644)
  return outcomes
}

async function checkAll(stores: string): Promise<readonly CheckedStore[]> {
  const count = profilesIn(stores).length
  if (count === 0) throw new PackagesError(`There is no profile (.yaml) in ${stores}. Check --stores.`)
  const checker = startProfileChecker()
  const progress = startProgress('profiles checked', count)
  try {
    return await checkStores(stores, checker, () => progress.advance())
  } finally {
    progress.end()
    checker.close()
  }
}

async function makePrograms(good: readonly Good[], options: MakeOptions): Promise<readonly Program[]> {
  const programs: Program[] = []
  for (const platform of options.platforms)
    for (const mode of new Set(good.map((one) => one.mode))) programs.push(await makeProgram(platform, mode, options))
  return programs
}

const programsFor = ({ mode }: Good, programs: readonly Program[]): readonly Program[] =>
  programs.filter((program) => program.mode === mode)

function clearUnfinished(out: string): void {
  for (const name of readdirSync(out)) if (UNFINISHED.test(name)) rmSync(path.join(out, name), { force: true })
}

const STORE_BYTES = 2_000_000

function requireSpace(good: readonly Good[], programs: readonly Program[], { out }: MakeOptions): void {
  let needed = 0
  for (const store of good)
    for (const program of programsFor(store, programs)) {
      const there = statSync(fileIn(out, store.store, program), { throwIfNoEntry: false })?.size ?? 0
      needed += Math.max(0, program.first.bytes + STORE_BYTES - there)
    }
  const { bavail, bsize } = statfsSync(out)
  if (bavail * bsize < needed)
    throw new PackagesError(
      `The packages need ${megabytes(needed)} on the disk of ${out}, which has ${megabytes(bavail * bsize)} left. ` +
        'Free space, or choose another folder with --out.',
    )
}

async function assembleAll(
  checked: readonly CheckedStore[],
  programs: readonly Program[],
  options: MakeOptions,
): Promise<readonly Outcome[]> {
  const { out, jobs } = options
  const count = checked.reduce((sum, one) => sum + (one.kind === 'good' ? programsFor(one, programs).length : 0), 0)
  const progress = startProgress('packages', count)
  const queue = new PQueue({ concurrency: jobs })
  const perStore = await Promise.all(
    checked.map((store) =>
      queue.add(async () => {
        if (store.kind === 'broken') return [withoutPackage(store, out, options.platforms)]
        const outcomes = await packagesOf(store, programsFor(store, programs), options)
        progress.advance(programsFor(store, programs).length)
        return outcomes
      }),
    ),
  )
  progress.end()
  return perStore.flat()
}

/** Removes packages of earlier runs that could be mistaken for packages of the broken profile. */
function withoutPackage(
  { store, profile, mistakes }: Extract<CheckedStore, { kind: 'broken' }>,
  out: string,
  platforms: readonly Platform[],
): Outcome {
  const isName = path.basename(store) === store
  if (isName)
    for (const platform of platforms) rmSync(path.join(out, packageName(store, { platform })), { force: true })
  return { kind: 'broken', store, profile, mistakes }
}

async function packagesOf(store: Good, programs: readonly Program[], options: MakeOptions): Promise<Outcome[]> {
  const { out, resume, keyring } = options
  const madeAt = options.madeAt ?? store.newest
  const sequence = options.sequence ?? Math.max(1, Math.floor(madeAt.getTime() / 1_000))
  const { profile: profileFile } = store
  try {
    const bundle = makeBundle({ profileFile, madeAt, sequence, activeFrom: null, expiresAt: null }, keyring)
    const outcomes: Outcome[] = []
    for (const program of programs) {
      const second = await storeArchiveMember(program, bundle, keyring)
      const made = await assemble(program, second, fileIn(out, store.store, program), resume)
      outcomes.push({
        kind: made.reused ? 'reused' : 'made',
        store: store.store,
        name: bundle.store.name,
        lanes: store.lanes,
        mode: store.mode,
        platform: program.platform.name,
        file: packageName(store.store, program),
        bytes: made.bytes,
        sha256: made.sha256,
        warnings: [...(store.mode === 'training' ? ['training: its sales do not count'] : []), ...program.warnings],
      })
    }
    return outcomes
  } catch (error) {
    if (!(error instanceof StoreFilesError)) throw error
    return [
      withoutPackage(
        { kind: 'broken', store: store.store, profile: profileFile, mistakes: [error.message] },
        out,
        options.platforms,
      ),
    ]
  }
}

export interface Assembled {
  readonly sha256: string
  readonly bytes: number
  readonly reused: boolean
}

/** Names of unfinished packages; the next run removes them. */
export const UNFINISHED = /\.tar\.gz\.\d+\.new$/

/**
 * Creates one package: the program, compressed once for all stores, then the store's files. The package's hash
 * continues from the program's hash. With `resume`, an existing file with the same hash is reused.
 */
export async function assemble({ first }: Program, second: Buffer, file: string, resume: boolean): Promise<Assembled> {
  const sha256 = first.hash.copy().update(second).digest('hex')
  const bytes = first.bytes + second.byteLength
  const there = resume ? await stat(file).catch(() => null) : null
  if (there?.size === bytes && (await hashOfFile(file)) === sha256) return { sha256, bytes, reused: true }
  const staged = `${file}.${process.pid}.new`
  try {
    // A reflink copy shares blocks with the original if the file system supports it.
    await copyFile(first.file, staged, constants.COPYFILE_FICLONE)
    await appendFile(staged, second)
    await rename(staged, file)
  } catch (error) {
    await rm(staged, { force: true })
    throw error
  }
  return { sha256, bytes, reused: false }
}

export const packageName = (store: string, { platform }: Pick<Program, 'platform'>): string =>
  `${store}-${platform.name}.tar.gz`

export const fileIn = (out: string, store: string, program: Pick<Program, 'platform'>): string =>
  path.join(out, packageName(store, program))
