import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Configuration } from 'electron-builder'
import { parse } from 'yaml'
import type { PackageManifest } from '../package-manifest.ts'
import { trustedIn } from '../trust.ts'
import { fuseDifferences, programBeside } from './electron-program.ts'
import { type Keyring, passphraseGiven } from '../commands/keyring.ts'
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
  /** How many of them are started as well; one of each platform and mode where nobody says. */
  readonly start: 'all' | 'one-of-each' | number
  /** Whose signatures count. */
  readonly keyring: Keyring
  /** Where the private keys are that no package may hold. */
  readonly keys: string
  readonly log: (line: string) => void
  readonly complain: (line: string) => void
}

/**
 * Reads every package of a folder as a lane would, and starts some of them. What is wrong is told, a line each. Answers
 * the exit code: 1 where something is.
 */
export async function verifyPackages(options: VerifyOptions): Promise<number> {
  const { folder, keyring, log, complain } = options
  if (keyring.trust === null)
    throw new PackagesError('No trusted key is there to verify by: give the folder of the keys with --keys.')
  const names = readdirSync(folder).filter((name) => name.endsWith('.tar.gz'))
  if (names.length === 0) throw new PackagesError(`There is no package (.tar.gz) in ${folder}.`)
  const sums = readSums(folder)
  const toStart = chooseStarts(options.start, names.length)
  const look = lookForSecrets(options.keys)
  const progress = startProgress('packages verified', names.length)
  const told: string[] = []
  const failed = new Set<string>()
  for (const name of names.toSorted()) {
    const wrong = await verifyOne(name)
    for (const line of wrong) told.push(`${name}: ${line}`)
    if (wrong.length > 0) failed.add(name)
    progress.advance()
  }
  progress.end()
  for (const name of [...sums.keys()].filter((one) => !names.includes(one))) {
    told.push(`${name}: in ${SUMS_FILE}, and not in the folder`)
    failed.add(name)
  }
  for (const line of told) complain(line)
  log(`${names.length} packages read, ${toStart.started()} started; ${failed.size} are not as they should be.`)
  return failed.size === 0 ? 0 : 1

  async function verifyOne(name: string): Promise<readonly string[]> {
    const archive = path.join(folder, name)
    const sum = sums.get(name)
    const known = sum === undefined ? [`not in ${SUMS_FILE}`] : []
    if (sum !== undefined && (await hashOfFile(archive)) !== sum) return [`its SHA-256 is not that of ${SUMS_FILE}`]
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
        log(`${name}: not started, this is no ${manifest.platform}`)
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
  if (!existsSync(file)) throw new PackagesError(`There is no ${SUMS_FILE} in ${folder}: make the packages again.`)
  const lines = readFileSync(file, 'utf8').split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [, sum, name] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? []
      return sum === undefined || name === undefined ? [] : [[name, sum] as const]
    }),
  )
}

/** Which packages are started: spread over the folder, or the first of each kind. */
function chooseStarts(start: VerifyOptions['start'], all: number) {
  let asked = 0
  let started = 0
  const kinds = new Set<string>()
  const isNext = ({ platform, mode }: PackageManifest): boolean => {
    if (start === 'all') return true
    if (start !== 'one-of-each') return Math.floor((asked * start) / all) < Math.floor(((asked + 1) * start) / all)
    const kind = `${platform} ${mode}`
    if (kinds.has(kind)) return false
    kinds.add(kind)
    return true
  }
  return {
    next(manifest: PackageManifest): boolean {
      const next = isNext(manifest)
      asked += 1
      if (next && runsHere(PLATFORMS[manifest.platform])) started += 1
      return next
    },
    started: () => started,
  }
}

/** Of a program in Electron; on macOS a made runtime has no framework whose fuses could be read. */
async function fuseMistakes(unpacked: string, { platform }: PackageManifest, root: string): Promise<readonly string[]> {
  const { window, os } = PLATFORMS[platform]
  if (window === 'browser') return []
  const settings = parse(readFileSync(path.join(root, 'electron-builder.yml'), 'utf8')) as Configuration
  const archive = filesUnder(path.join(unpacked, 'slots', 'a')).find((file) => path.basename(file) === 'app.asar')
  if (archive === undefined) return ['there is no app.asar in it']
  const program = programBeside(archive, os, settings)
  const isMade = os === 'darwin' && !existsSync(path.join(program, 'Contents', 'Frameworks'))
  return isMade ? [] : fuseDifferences(program, settings.electronFuses ?? {})
}

/** Shorter ones are found by chance. */
const SHORTEST = 8

/**
 * Looks for what the machine that makes packages knows and no package may hold: the installer's private keys, their
 * passphrase, a client secret of the environment. A content that was looked at before is not looked at again.
 */
export function lookForSecrets(keysFolder: string): (name: string, bytes: Buffer) => readonly string[] {
  const known = [passphraseGiven(), process.env['MILEPOST_CLIENT_SECRET'] ?? null]
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
    const found = [...new Set(find(bytes).map(({ as }) => `holds a secret of the installer’s (${as})`))]
    seen.set(id, found)
    return found
  }
}

/** As it came, and the largest of all: its hash in the signed list says what it is. */
const RUNTIME = /^slots\/a\/(bin\/node|milepost|Milepost\.exe|.*\.(pak|dat|bin))$/

/** What stands in the files of private keys, a line of base64 each. */
function privateLines(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.private.pem'))
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n'))
    .filter((line) => /^[\w+/=]{32,}$/.test(line))
}
