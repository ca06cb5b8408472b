import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCommandLine } from '../../../contracts/core/command-line.ts'
import { APP, buildPrograms, runNode } from '../../../scripts/build-app.ts'
import {
  DEFAULT_KEYS,
  type Keyring,
  KeyringError,
  openKeyring,
  passphraseFromEnvironment,
} from '../commands/keyring.ts'
import { makePackages } from './make.ts'
import { PLATFORM_NAMES, platformsNamed, type Platform } from './program-files.ts'
import { PackagesError } from './programs.ts'
import { verifyPackages } from './verify.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export const PACKAGES_HELP = `npm run package -- --stores FOLDER [options]   creates a package for each store
npm run package -- --verify FOLDER [options]   verifies packages as a lane would, and starts some

  --stores FOLDER      profiles from npm run milepost -- profiles render; broken ones are skipped
  --platform LIST      ${PLATFORM_NAMES}
                       (default: linux-browser)
  --jobs N             parallel packages (default: ${availableParallelism()})
  --resume             reuse complete packages
  --keys FOLDER        the installer's keys (${DEFAULT_KEYS})
  --electron-dist FOLDER  an unpacked Electron runtime; stand-in: only a layout that cannot start
  --made-at TIME       time of all bundles, 2026-12-01T05:00:00Z (default: SOURCE_DATE_EPOCH, else that of each store's
                       newest file): the same files and time give the same packages
  --sequence NUMBER    number of all bundles (default: that time in seconds)
  --out FOLDER         the folder of the packages, report.csv and report.html (release/packages)
  --all, --sample N    with --verify: start every package, or N of them (default: one of each kind)
`

export const isForMany = (args: readonly string[]): boolean => args.some((arg) => /^--(stores|verify)(=|$)/.test(arg))

/**
 * Runs `npm run package -- --stores …` and `--verify …`. Returns the exit code: 1 for mistakes, 2 for a wrong command
 * line.
 */
export async function runPackages(args: readonly string[]): Promise<number> {
  try {
    const values = readValues(args)
    if ((values.stores === undefined) === (values.verify === undefined))
      throw new PackagesError(`Give either --stores or --verify.\n${PACKAGES_HELP}`)
    return values.stores === undefined ? await verify(values) : await make(values)
  } catch (error) {
    if (!(error instanceof PackagesError || error instanceof KeyringError)) throw error
    console.error(error.message)
    return 2
  }
}

function readValues(args: readonly string[]) {
  try {
    return readCommandLine(args, {
      texts: 'stores verify platform jobs keys electron-dist made-at sequence out sample',
      flags: 'resume all',
    }).values
  } catch (error) {
    throw new PackagesError(`${error instanceof Error ? error.message : String(error)}\n${PACKAGES_HELP}`)
  }
}

type Values = ReturnType<typeof readValues>

async function make(values: Values): Promise<number> {
  const stores = folderOf('stores', values.stores ?? '')
  const platforms = platformsOf(values.platform ?? 'linux-browser')
  const keyring = keyringOf(values.keys)
  const madeAt = madeAtOf(values['made-at'])
  const jobs = numberOf('jobs', values.jobs) ?? availableParallelism()
  const sequence = numberOf('sequence', values.sequence)
  await buildPrograms(APP, { onlyWhenStale: true, log: console.log })
  await runNode('the build of the screens', path.join(root, 'scripts', 'prepare.mjs'), ['screens'])
  const out = path.resolve(values.out ?? path.join(root, 'release', 'packages'))
  const dist = values['electron-dist'] ?? null
  const outcomes = await makePackages({
    root,
    stores,
    out,
    platforms,
    jobs,
    resume: values.resume,
    keyring,
    madeAt,
    sequence,
    signer: keyring.signer(),
    releasedAt: madeAt ?? commitTime(),
    electronDist: dist === null || dist === 'stand-in' ? dist : folderOf('electron-dist', dist),
    log: console.log,
  })
  const broken = outcomes.filter((one) => one.kind === 'broken')
  for (const { mistakes } of broken) for (const line of mistakes) console.error(line)
  const reused = outcomes.filter(({ kind }) => kind === 'reused').length
  const count = outcomes.length - broken.length
  console.log(
    `${count} packages in ${out}${reused === 0 ? '' : `, ${reused} reused`}; ${broken.length} stores without one. ` +
      'See report.csv and report.html there.',
  )
  return broken.length === 0 ? 0 : 1
}

function verify(values: Values): Promise<number> {
  return verifyPackages({
    root,
    folder: folderOf('verify', values.verify ?? ''),
    start: values.all ? 'all' : (numberOf('sample', values.sample) ?? 'one-of-each'),
    keyring: keyringOf(values.keys),
    keys: path.resolve(values.keys ?? DEFAULT_KEYS),
    log: console.log,
    printError: console.error,
  })
}

const keyringOf = (folder: string | undefined): Keyring =>
  openKeyring(path.resolve(folder ?? DEFAULT_KEYS), root, passphraseFromEnvironment())

function folderOf(option: string, value: string): string {
  const folder = path.resolve(value)
  if (value !== '' && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder
  throw new PackagesError(`--${option}: there is no folder ${value === '' ? 'named' : folder}.`)
}

function platformsOf(list: string): readonly Platform[] {
  const platforms = platformsNamed(list)
  if (typeof platforms === 'string')
    throw new PackagesError(`--platform: there is no “${platforms}”. There are: ${PLATFORM_NAMES}.`)
  return platforms
}

function numberOf(option: string, value: string | undefined): number | null {
  if (value === undefined) return null
  if (!/^[1-9]\d{0,14}$/.test(value)) throw new PackagesError(`--${option} needs a whole number from 1.`)
  return Number(value)
}

function commitTime(): Date {
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%cI'], { cwd: root, encoding: 'utf8' })
  const time = new Date((stdout ?? '').trim())
  return Number.isNaN(time.getTime()) ? new Date(Date.UTC(1980, 0, 1)) : time
}

/**
 * Parses `--made-at`, else SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch): seconds since
 * 1970.
 */
function madeAtOf(given: string | undefined): Date | null {
  const epoch = process.env['SOURCE_DATE_EPOCH']
  if (given === undefined && !epoch) return null
  const isTime = given === undefined || /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(given)
  const time = given === undefined ? new Date(Number(epoch) * 1_000) : new Date(given)
  if (!isTime || Number.isNaN(time.getTime()))
    throw new PackagesError('--made-at needs a time with its zone, as 2026-12-01T05:00:00Z.')
  return time
}
