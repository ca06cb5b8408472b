import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Configuration } from 'electron-builder'
import { parse } from 'yaml'
import { z } from 'zod'
import { sha256 } from '../bundle.ts'
import type { Signer } from '../keys.ts'
import { PROGRAM_SIGNED, type ProgramFile as SignedFile, sealManifest } from '../updates/formats.ts'
import { findElectron, supportWarning } from '../../../scripts/window/electron-runtime.ts'
import { fakeRuntime } from '../../../scripts/fake-runtime.ts'
import { electronProgram } from './electron-program.ts'
import { bytesOf, readFirst, writeFirstMember, type First } from './member.ts'
import { type Mode, type Platform, type ProgramFile, programFiles, runsHere } from './program-files.ts'
import { billOfMaterials } from './sbom.ts'

export class PackagesError extends Error {
  override name = 'PackagesError'
}

/**
 * A program of one platform, with or without the reference services for training. Every package begins with a program.
 */
export interface Program {
  readonly platform: Platform
  readonly mode: Mode
  readonly version: string
  readonly first: First
  readonly sealed: Buffer
  readonly warnings: readonly string[]
}

export const SLOT = 'slots/a/'
/** Value of `electronDist` that gives a program only the file layout of an Electron runtime, not a runtime. */
export const STAND_IN = 'stand-in'

export interface ProgramsOptions {
  readonly root: string
  /** Folder of an Electron runtime, a folder of runtimes by platform, or STAND_IN; null: the installed runtime. */
  readonly electronDist: string | null
  readonly signer: Signer
  readonly releasedAt: Date
  readonly log: (line: string) => void
}

/** Creates a program, or reuses an earlier one: the name of the cached file is a hash of the program's input. */
export async function makeProgram(platform: Platform, mode: Mode, options: ProgramsOptions): Promise<Program> {
  const { root, log } = options
  const version = versionIn(root)
  const built = versionIn(path.join(root, 'build', 'app'))
  if (built !== version)
    throw new PackagesError(
      `The programs in build/app have version ${built}, but package.json has ${version}. Build them: npm run build`,
    )
  const { files: layoutFiles, warnings } = await createLayout(platform, mode, version, options)
  const files = [...layoutFiles, ...billOfMaterials(root, platform, version)]
  const sealed = sealProgram(files, platform, version, options)
  const cacheFolder = path.join(root, 'build', 'programs')
  const file = path.join(cacheFolder, `${platform.name}-${mode}-${nameOf(sealed)}.tar.gz`)
  if (!existsSync(file)) {
    mkdirSync(cacheFolder, { recursive: true })
    for (const old of readdirSync(cacheFolder))
      if (old.startsWith(`${platform.name}-${mode}-`)) rmSync(path.join(cacheFolder, old), { force: true })
    const list: ProgramFile = { path: PROGRAM_SIGNED, from: { bytes: sealed }, executable: false }
    await writeFirstMember(`${file}.new`, SLOT, [...files, list])
    renameSync(`${file}.new`, file)
  }
  const first = await readFirst(file)
  log(`Program for ${platform.name} (${mode}): ${files.length} files, ${megabytes(first.bytes)} packed.`)
  return { platform, mode, version, first, sealed, warnings }
}

const versionIn = (folder: string): string =>
  z.object({ version: z.string() }).parse(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))).version

/**
 * Hash of the signed list, which covers the whole content, and of the version of zlib, because versions of zlib may
 * compress the same content differently.
 */
const nameOf = (sealed: Buffer): string =>
  createHash('sha256').update(sealed).update(process.versions.zlib).digest('hex').slice(0, 20)

function sealProgram(
  files: readonly ProgramFile[],
  { name }: Platform,
  version: string,
  { root, signer, releasedAt }: ProgramsOptions,
): Buffer {
  const listed = files
    .map((file): SignedFile => {
      const bytes = bytesOf(file)
      return { path: file.path, sha256: sha256(bytes), bytes: bytes.byteLength, executable: file.executable }
    })
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
  return sealManifest(
    {
      format: 1,
      kind: 'program update',
      version,
      releasedAt: releasedAt.toISOString(),
      schema: readdirSync(path.join(root, 'build', 'app', 'backend', 'core', 'db', 'migrations')).filter((file) =>
        file.endsWith('.sql'),
      ).length,
      readsBack: OLDEST_SCHEMA,
      notes: { 'en-CA': '', 'fr-CA': '' },
      programs: [{ platform: name, files: listed }],
    },
    signer,
  )
}

/** Oldest database schema that a program can migrate: every program has all migrations since the first. */
const OLDEST_SCHEMA = 1

export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

/** Throws PackagesError early if the program of a platform cannot be created here. */
export function requireRuntime(platform: Platform, options: ProgramsOptions): void {
  if (platform.window === 'browser') nodeOf(platform, options.root)
  else if (options.electronDist !== STAND_IN) runtimeOf(platform, options)
}

interface Layout {
  readonly files: readonly ProgramFile[]
  readonly warnings: readonly string[]
}

async function createLayout(
  platform: Platform,
  mode: Mode,
  version: string,
  options: ProgramsOptions,
): Promise<Layout> {
  const files = programFiles(options.root, platform, mode)
  if (platform.window === 'browser') return { files: [...files, nodeOf(platform, options.root)], warnings: [] }
  const { runtime, warnings } = runtimeOf(platform, options)
  const settings = parse(readFileSync(path.join(options.root, 'electron-builder.yml'), 'utf8')) as Configuration
  return { files: await electronProgram({ platform, runtime, settings, files, version }), warnings }
}

/** Returns the Node executable of the lockfile: packages contain the version that was tested. */
function nodeOf(platform: Platform, root: string): ProgramFile {
  if (!runsHere(platform))
    throw new PackagesError(
      `Packages for ${platform.name} must be created on such a system, because they contain its Node.`,
    )
  return { path: 'bin/node', from: { file: path.join(root, 'node_modules', 'node', 'bin', 'node') }, executable: true }
}

function runtimeOf(
  platform: Platform,
  { root, electronDist }: ProgramsOptions,
): { runtime: string; warnings: string[] } {
  const electron = path.join(root, 'node_modules', 'electron')
  if (electronDist === STAND_IN) {
    const { version } = JSON.parse(readFileSync(path.join(electron, 'package.json'), 'utf8')) as { version: string }
    const runtime = fakeRuntime(path.join(root, 'build', 'made-runtimes', platform.name), version, platform.os)
    return { runtime, warnings: ['layout only: it was created without an Electron runtime and cannot start'] }
  }
  // Programs of Windows and macOS have the archive's hash in resources that can only be written on their own system.
  if (platform.os !== 'linux')
    throw new PackagesError(
      `Packages of many stores for ${platform.name} can only be layouts (--electron-dist ${STAND_IN}). Create ` +
        'packages that start one by one on such a system: npm run package -- --store FILE',
    )
  const installed = findElectron({ packageFolder: electron })
  const runtime =
    electronDist ?? ('program' in installed && runsHere(platform) ? path.dirname(installed.program) : null)
  if (runtime === null)
    throw new PackagesError(
      `There is no Electron runtime for ${platform.name} here. Unpack one and give --electron-dist FOLDER, or create ` +
        `only the layout with --electron-dist ${STAND_IN}.`,
    )
  const own = path.join(runtime, platform.name)
  const folder = existsSync(own) ? own : runtime
  if (!existsSync(path.join(folder, 'electron')))
    throw new PackagesError(`--electron-dist: there is no runtime of ${platform.name} in ${folder}.`)
  const outOfSupport = supportWarning(new Date())
  return { runtime: folder, warnings: outOfSupport === null ? [] : [outOfSupport] }
}
