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
import { madeRuntime } from '../../../scripts/made-runtime.ts'
import { electronProgram } from './electron-program.ts'
import { bytesOf, readFirst, writeFirstMember, type First } from './member.ts'
import { type Mode, type Platform, type ProgramFile, programFiles, runsHere } from './program-files.ts'
import { billOfMaterials } from './sbom.ts'

/** What an installer has to mend before anything is made; in words for them. */
export class PackagesError extends Error {
  override name = 'PackagesError'
}

/** A program of one platform, with the services of training or without: what every package of it begins with. */
export interface Program {
  readonly platform: Platform
  readonly mode: Mode
  readonly version: string
  readonly first: First
  /** Its own signed list, by which a lane knows it: `program.signed`. */
  readonly sealed: Buffer
  /** For every store that gets it. */
  readonly warnings: readonly string[]
}

/** Where a program lies in a package, below its folder. */
export const SLOT = 'slots/a/'
/** In the place of a runtime's folder: only its shape, to look at layouts. */
export const STAND_IN = 'stand-in'

export interface ProgramsOptions {
  readonly root: string
  /** An Electron runtime, a folder of them by platform, or STAND_IN; null: the installed one. */
  readonly electronDist: string | null
  readonly signer: Signer
  /** What the programs' lists say. */
  readonly releasedAt: Date
  readonly log: (line: string) => void
}

/** Makes a program, or finds it as it was made before: the name of what is kept says what went into it. */
export async function makeProgram(platform: Platform, mode: Mode, options: ProgramsOptions): Promise<Program> {
  const { root, log } = options
  const version = versionIn(root)
  const built = versionIn(path.join(root, 'build', 'app'))
  if (built !== version)
    throw new PackagesError(
      `The programs in build/app are of version ${built}, and package.json says ${version}. Build them: npm run build`,
    )
  const { files: laidOut, warnings } = await layOut(platform, mode, version, options)
  const files = [...laidOut, ...billOfMaterials(root, platform, version)]
  const sealed = sealProgram(files, platform, version, options)
  const kept = path.join(root, 'build', 'programs')
  const file = path.join(kept, `${platform.name}-${mode}-${nameOf(sealed)}.tar.gz`)
  if (!existsSync(file)) {
    mkdirSync(kept, { recursive: true })
    for (const old of readdirSync(kept))
      if (old.startsWith(`${platform.name}-${mode}-`)) rmSync(path.join(kept, old), { force: true })
    const list: ProgramFile = { path: PROGRAM_SIGNED, from: { bytes: sealed }, executable: false }
    await writeFirstMember(`${file}.new`, SLOT, [...files, list])
    renameSync(`${file}.new`, file)
  }
  const first = await readFirst(file)
  log(`The program for ${platform.name} (${mode}): ${files.length} files, ${megabytes(first.bytes)} packed.`)
  return { platform, mode, version, first, sealed, warnings }
}

const versionIn = (folder: string): string =>
  z.object({ version: z.string() }).parse(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))).version

/** Whatever is in the program is in its list; the same may be packed otherwise by another zlib. */
const nameOf = (sealed: Buffer): string =>
  createHash('sha256').update(sealed).update(process.versions.zlib).digest('hex').slice(0, 20)

/** The list of the program as a lane's slot has it, and as an update would bring it. */
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

/** Every migration since the first is in a program. */
const OLDEST_SCHEMA = 1

export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

/** Throws PackagesError where a platform's program cannot be made here: before anything takes time. */
export function requireRuntime(platform: Platform, options: ProgramsOptions): void {
  if (platform.window === 'browser') nodeOf(platform, options.root)
  else if (options.electronDist !== STAND_IN) runtimeOf(platform, options)
}

interface LaidOut {
  readonly files: readonly ProgramFile[]
  readonly warnings: readonly string[]
}

async function layOut(platform: Platform, mode: Mode, version: string, options: ProgramsOptions): Promise<LaidOut> {
  const files = programFiles(options.root, platform, mode)
  if (platform.window === 'browser') return { files: [...files, nodeOf(platform, options.root)], warnings: [] }
  const { runtime, warnings } = runtimeOf(platform, options)
  const settings = parse(readFileSync(path.join(options.root, 'electron-builder.yml'), 'utf8')) as Configuration
  return { files: await electronProgram({ platform, runtime, settings, files, version }), warnings }
}

/** The Node that the package brings is the one of the lockfile, by which everything was tested. */
function nodeOf(platform: Platform, root: string): ProgramFile {
  if (!runsHere(platform))
    throw new PackagesError(`Packages for ${platform.name} are made on such a system: its Node is installed there.`)
  return { path: 'bin/node', from: { file: path.join(root, 'node_modules', 'node', 'bin', 'node') }, executable: true }
}

function runtimeOf(
  platform: Platform,
  { root, electronDist }: ProgramsOptions,
): { runtime: string; warnings: string[] } {
  const electron = path.join(root, 'node_modules', 'electron')
  if (electronDist === STAND_IN) {
    const { version } = JSON.parse(readFileSync(path.join(electron, 'package.json'), 'utf8')) as { version: string }
    const runtime = madeRuntime(path.join(root, 'build', 'made-runtimes', platform.name), version, platform.os)
    return { runtime, warnings: ['layout only: it was made without an Electron runtime and cannot start'] }
  }
  // Their programs carry the archive's hash in resources that are written on their own system.
  if (platform.os !== 'linux')
    throw new PackagesError(
      `Packages of many stores for ${platform.name} can be looked at with --electron-dist ${STAND_IN} alone. Make ` +
        'those that start one by one on such a system: npm run package -- --store FILE',
    )
  const installed = findElectron({ packageFolder: electron })
  const runtime =
    electronDist ?? ('program' in installed && runsHere(platform) ? path.dirname(installed.program) : null)
  if (runtime === null)
    throw new PackagesError(
      `There is no Electron runtime for ${platform.name} here. Unpack one and give --electron-dist FOLDER, or look ` +
        `at the layout with --electron-dist ${STAND_IN}.`,
    )
  const own = path.join(runtime, platform.name)
  const folder = existsSync(own) ? own : runtime
  if (!existsSync(path.join(folder, 'electron')))
    throw new PackagesError(`--electron-dist: there is no runtime of ${platform.name} in ${folder}.`)
  const outOfSupport = supportWarning(new Date())
  return { runtime: folder, warnings: outOfSupport === null ? [] : [outOfSupport] }
}
