import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Configuration } from 'electron-builder'
import { parse } from 'yaml'
import type { PackageManifest } from '../package-manifest.ts'
import { trustedIn } from '../trust.ts'
import { fuseDifferences, programForArchive } from './electron-program.ts'
import { type Keyring, passphraseFromEnvironment } from '../commands/keyring.ts'
import { filesUnder } from '../../../scripts/source-hash.ts'
import { hashOfFile } from './member.ts'
import { PLATFORMS, runsHere } from './program-files.ts'
import { PackagesError } from './programs.ts'
import { SUMS_FILE, startProgress } from './report.ts'
import { checkContents } from './verify-contents.ts'
import { startPackage } from './start-package.ts'
import { sha256 } from '../bundle.ts'
import { type PlantedSecret, secretFinder } from '../../../scripts/testing/planted-secrets.ts'

export interface VerifyOptions {
  readonly root: string
  readonly folder: string
  /** How many of the verified packages are also started; by default one of each platform and mode. */
  readonly start: 'all' | 'one-of-each' | number
  readonly keyring: Keyring
  readonly keys: string
  readonly log: (line: string) => void
  readonly printError: (line: string) => void
}

/**
 * Verifies every package of a folder as a lane would, and starts some of them. Prints mistakes, one per line. Returns
 * the exit code: 1 if there are mistakes.
 */
export async function verifyPackages(options: VerifyOptions): Promise<number> {
  const { folder, keyring, log, printError } = options
  if (keyring.trust === null)
    throw new PackagesError('There is no trusted key to verify with. Give the folder of the keys with --keys.')
  const names = readdirSync(folder).filter((name) => name.endsWith('.tar.gz'))
  if (names.length === 0) throw new PackagesError(`There is no package (.tar.gz) in ${folder}.`)
  const sums = readSums(folder)
  const toStart = chooseStarts(options.start, names.length)
  const look = lookForSecrets(options.keys)
  const progress = startProgress('packages verified', names.length)
  const mistakes: string[] = []
  const failed = new Set<string>()
  for (const name of names.toSorted()) {
    const wrong = await verifyOne(name)
    for (const line of wrong) mistakes.push(`${name}: ${line}`)
    if (wrong.length > 0) failed.add(name)
    progress.advance()
  }
  progress.end()
  for (const name of [...sums.keys()].filter((one) => !names.includes(one))) {
    mistakes.push(`${name}: in ${SUMS_FILE}, but not in the folder`)
    failed.add(name)
  }
  for (const line of mistakes) printError(line)
  log(`${names.length} packages read, ${toStart.started()} started; ${failed.size} with mistakes.`)
  return failed.size === 0 ? 0 : 1

  async function verifyOne(name: string): Promise<readonly string[]> {
    const archive = path.join(folder, name)
    const sum = sums.get(name)
    const known = sum === undefined ? [`not in ${SUMS_FILE}`] : []
    if (sum !== undefined && (await hashOfFile(archive)) !== sum) return [`its SHA-256 differs from ${SUMS_FILE}`]
    const work = mkdtempSync(path.join(tmpdir(), 'milepost-verify-'))
    try {
      const unpacked = path.join(work, 'milepost')
      const trusted = trustedIn(keyring.trust ?? { format: 1, version: 1, keys: [], revoked: [] })
      const { manifest, profile, wrong } = await checkContents({ archive, trusted, look, into: null })
      if (manifest === null || wrong.length > 0) return [...known, ...wrong]
      const platform = PLATFORMS[manifest.platform]
      const isNext = toStart.next(manifest)
      if (isNext || platform.window === 'electron')
        await checkContents({ archive, trusted, look: () => [], into: unpacked })
      const fuses = await fuseMistakes(unpacked, manifest, options.root)
      if (fuses.length > 0 || !isNext) return [...known, ...fuses]
      if (!runsHere(platform)) {
        log(`${name}: not started, because this machine is not ${manifest.platform}`)
        return known
      }
      const seen = await startPackage({ folder: unpacked, manifest, profile, data: path.join(work, 'data') })
      log(`${name}: ${seen}`)
      return known
    } catch (error) {
      return [...known, `does not start: ${error instanceof Error ? error.message : String(error)}`]
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  }
}

function readSums(folder: string): ReadonlyMap<string, string> {
  const file = path.join(folder, SUMS_FILE)
  if (!existsSync(file)) throw new PackagesError(`There is no ${SUMS_FILE} in ${folder}. Create the packages again.`)
  const lines = readFileSync(file, 'utf8').split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [, sum, name] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? []
      return sum === undefined || name === undefined ? [] : [[name, sum] as const]
    }),
  )
}

function chooseStarts(start: VerifyOptions['start'], all: number) {
  let count = 0
  let started = 0
  const kinds = new Set<string>()
  const isNext = ({ platform, mode }: PackageManifest): boolean => {
    if (start === 'all') return true
    if (start !== 'one-of-each') return Math.floor((count * start) / all) < Math.floor(((count + 1) * start) / all)
    const kind = `${platform} ${mode}`
    if (kinds.has(kind)) return false
    kinds.add(kind)
    return true
  }
  return {
    next(manifest: PackageManifest): boolean {
      const next = isNext(manifest)
      count += 1
      if (next && runsHere(PLATFORMS[manifest.platform])) started += 1
      return next
    },
    started: () => started,
  }
}

/**
 * Returns mistakes in the fuses of a program in Electron; the test stand-in for the macOS runtime has no fuses to read.
 */
async function fuseMistakes(unpacked: string, { platform }: PackageManifest, root: string): Promise<readonly string[]> {
  const { window, os } = PLATFORMS[platform]
  if (window === 'browser') return []
  const settings = parse(readFileSync(path.join(root, 'electron-builder.yml'), 'utf8')) as Configuration
  const archive = filesUnder(path.join(unpacked, 'slots', 'a')).find((file) => path.basename(file) === 'app.asar')
  if (archive === undefined) return ['it has no app.asar']
  const program = programForArchive(archive, os, settings)
  const isMade = os === 'darwin' && !existsSync(path.join(program, 'Contents', 'Frameworks'))
  return isMade ? [] : fuseDifferences(program, settings.electronFuses ?? {})
}

const SHORTEST = 8

/**
 * Returns a function that searches files for secrets of the build machine that no package may contain: the installer's
 * private keys, their passphrase, and a client secret in the environment. It searches each distinct content once.
 */
export function lookForSecrets(keysFolder: string): (name: string, bytes: Buffer) => readonly string[] {
  const known = [passphraseFromEnvironment(), process.env['MILEPOST_CLIENT_SECRET'] ?? null]
  const secrets: PlantedSecret[] = [
    ...privateLines(keysFolder),
    ...known.filter((value) => value !== null && value.length >= SHORTEST).map((value) => value ?? ''),
  ].map((value) => ({ kind: 'key', value }))
  const find = secretFinder(secrets)
  const seen = new Map<string, readonly string[]>()
  return (name, bytes) => {
    if (secrets.length === 0 || RUNTIME.test(name)) return []
    const id = sha256(bytes)
    const before = seen.get(id)
    if (before !== undefined) return before
    const found = [...new Set(find(bytes).map(({ as }) => `contains a secret of the installer (${as})`))]
    seen.set(id, found)
    return found
  }
}

/**
 * Files of the runtime, which are the largest, and unmodified except for the fuses: their hash in the signed list
 * identifies them, so they are not searched.
 */
const RUNTIME = /^slots\/a\/(bin\/node|milepost|Milepost\.exe|.*\.(pak|dat|bin))$/

function privateLines(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.private.pem'))
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n'))
    .filter((line) => /^[\w+/=]{32,}$/.test(line))
}
