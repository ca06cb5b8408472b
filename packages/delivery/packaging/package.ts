import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCommandLine } from '../../../contracts/core/command-line.ts'
import { listPackage } from '@electron/asar'
import { Arch, type Configuration, Platform, build } from 'electron-builder'
import { parse } from 'yaml'
import { readProfileOutline } from '../../supervisor/profile-outline.ts'
import { makeBundle } from '../commands/make-bundle.ts'
import { KeyringError, openKeyring, passphraseFromEnvironment } from '../commands/keyring.ts'
import { readStoreFiles, StoreFilesError } from '../commands/store-files.ts'
import { APP, buildPrograms, runNode } from '../../../scripts/build-app.ts'
import { checkProfile } from '../commands/check-profile.ts'
import { fetchElectron, supportWarning } from '../../../scripts/window/electron-runtime.ts'
import { fuseDifferences, programForArchive } from './electron-program.ts'
import { fakeRuntime } from '../../../scripts/fake-runtime.ts'
import { programsInPackage, type Lockfile } from './package-programs.ts'
import { isForMany, PACKAGES_HELP, runPackages } from './command.ts'

/**
 * Program of `npm run package -- --store FILE [--dir] [--electron-dist FOLDER] [--out FOLDER]`: creates a package for
 * one store, with its profile and catalog inside the archive, where the integrity check covers them.
 */
const root = fileURLToPath(new URL('../../..', import.meta.url))
const at = (...segments: string[]): string => path.join(root, ...segments)
const HELP = `npm run package -- --store FILE [options]

  --store FILE           the store's profile, in the same folder as its catalog
  --dir                  a folder with the program instead of an installer
  --electron-dist FOLDER an unpacked Electron runtime (default: the installed or a downloaded one)
  --keys FOLDER          add the store as a signed bundle, and the keys that its lanes trust
  --out FOLDER           the folder of the package (release/<store id>)

${PACKAGES_HELP}`

function stop(message: string): never {
  console.error(message)
  process.exit(2)
}

interface Options {
  readonly store: string
  readonly dir: boolean
  readonly electronDist: string | null
  readonly keys: string | null
  readonly out: string | null
}
function readOptions(): Options {
  try {
    const { values, help } = readCommandLine(process.argv.slice(2), {
      texts: 'store electron-dist keys out',
      flags: 'dir',
    })
    if (help) {
      process.stdout.write(HELP)
      process.exit(0)
    }
    if (values.store === undefined) return stop(`--store is missing.\n${HELP}`)
    return {
      store: path.resolve(values.store),
      dir: values.dir,
      electronDist: values['electron-dist'] ?? null,
      keys: values.keys ?? null,
      out: values.out ?? null,
    }
  } catch (error) {
    return stop(`${error instanceof Error ? error.message : String(error)}\n${HELP}`)
  }
}

function stageStore(profileFile: string): void {
  const staged = at('build', 'store')
  rmSync(staged, { recursive: true, force: true })
  mkdirSync(staged, { recursive: true })
  try {
    for (const [name, bytes] of readStoreFiles(profileFile)) {
      const file = path.join(staged, ...name.split('/'))
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, bytes)
    }
  } catch (error) {
    if (error instanceof StoreFilesError) stop(error.message)
    throw error
  }
}

function stageBundle(profileFile: string, keys: string): void {
  try {
    const keyring = openKeyring(path.resolve(keys), root, passphraseFromEnvironment())
    const madeAt = new Date()
    const sequence = Math.floor(madeAt.getTime() / 1_000)
    const { bytes } = makeBundle({ profileFile, madeAt, sequence, activeFrom: null, expiresAt: null }, keyring)
    writeFileSync(at('build', 'store', 'store.bundle'), bytes)
    // Only the newest key list is needed: it can be verified by itself and contains the key that signed the bundle.
    const newest = keyring.lists.at(-1)
    if (newest) writeFileSync(at('build', 'store', 'trust.keys'), newest)
  } catch (error) {
    if (error instanceof KeyringError) stop(error.message)
    throw error
  }
}

function foreignBinaries(): string[] {
  const own = `${process.platform}-${process.arch}`
  const sqlite = readdirSync(at('node_modules', 'better-sqlite3', 'prebuilds')).filter((file) => file !== `${own}.node`)
  const serial = readdirSync(at('node_modules', '@serialport', 'bindings-cpp', 'prebuilds')).filter(
    (folder) => folder !== own && !(process.platform === 'darwin' && folder.startsWith('darwin-')),
  )
  return [
    ...sqlite.map((file) => `!node_modules/better-sqlite3/prebuilds/${file}`),
    ...serial.map((folder) => `!node_modules/@serialport/bindings-cpp/prebuilds/${folder}/**`),
  ]
}

interface Runtime {
  readonly folder: string
  /** Set if the folder has only the layout of an Electron runtime, so that the package cannot start. */
  readonly layoutOnly: string | null
}
async function chooseRuntime(given: string | null): Promise<Runtime> {
  if (given !== null) {
    const folder = path.resolve(given)
    if (!existsSync(folder)) stop(`--electron-dist: there is no folder ${folder}.`)
    return { folder, layoutOnly: null }
  }
  const found = await fetchElectron({
    packageFolder: at('node_modules', 'electron'),
    memoryFile: at('build', '.stamps', 'electron-runtime.json'),
    cacheFolder: at('build', 'electron-download'),
    now: Date.now,
    log: console.log,
  })
  if ('program' in found) return { folder: at('node_modules', 'electron', 'dist'), layoutOnly: null }
  const { version } = JSON.parse(readFileSync(at('node_modules', 'electron', 'package.json'), 'utf8')) as {
    version: string
  }
  return { folder: fakeRuntime(at('build', 'made-runtime'), version), layoutOnly: found.missing }
}

const sizeOf = (place: string): number => {
  if (!existsSync(place)) return 0
  if (statSync(place).isFile()) return statSync(place).size
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0)
}
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

if (isForMany(process.argv)) process.exit(await runPackages(process.argv.slice(2)))
const options = readOptions()
const complaint = await checkProfile(options.store)
if (complaint !== null) stop(complaint)
const outline = readProfileOutline(options.store)
if (outline === null) stop(`${options.store} cannot be read.`)
stageStore(options.store)
if (options.keys !== null) stageBundle(options.store, options.keys)
await buildPrograms(APP, { onlyWhenStale: true, log: console.log })
await runNode('the build of the screens', at('scripts', 'prepare.mjs'), ['screens'])
if (!existsSync(at('build', 'renderer', 'index.html')))
  stop('There are no built screens in build/renderer. Build them: npm run build')

const outOfSupport = supportWarning(new Date())
if (outOfSupport !== null) console.warn(outOfSupport)
const runtime = await chooseRuntime(options.electronDist)
if (runtime.layoutOnly !== null)
  console.log(
    'Layout only: this package has the files of a real one but cannot start, because there is no Electron runtime ' +
      `here (${runtime.layoutOnly}). Give one with --electron-dist.`,
  )
if (runtime.layoutOnly !== null && !options.dir)
  stop('An installer needs a real Electron runtime. Use --dir to inspect the layout.')

const settings = parse(readFileSync(at('electron-builder.yml'), 'utf8')) as Configuration
const lockfile = JSON.parse(readFileSync(at('package-lock.json'), 'utf8')) as Lockfile
const programs = programsInPackage(outline.mode, lockfile)
console.log(programs.message)
const output = path.resolve(options.out ?? at('release', outline.storeId))
const hasFuses = runtime.layoutOnly === null || process.platform !== 'darwin'
const config: Configuration = {
  ...settings,
  directories: { ...settings.directories, output },
  files: [...[settings.files ?? []].flat(), ...programs.files, ...foreignBinaries()],
  electronDist: runtime.folder,
  // The test stand-in for the macOS runtime has no framework with fuses.
  ...(hasFuses ? {} : { electronFuses: null }),
}
const platform = Platform.current()
const target = options.dir
  ? platform.createTarget('dir', Arch[process.arch as 'x64' | 'arm64'])
  : platform.createTarget(null, Arch[process.arch as 'x64' | 'arm64'])
await build({ projectDir: root, targets: target, config, publish: 'never' })

const archive = findArchive(output)
if (hasFuses) await checkFuses(programForArchive(archive, process.platform, settings))
const packages = new Set(
  listPackage(archive, { isPack: false }).flatMap(
    (file) => /^[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1] ?? [],
  ),
)
console.log(
  `Package for store ${outline.storeId} in ${path.dirname(path.dirname(archive))}: archive ` +
    `${megabytes(sizeOf(archive))}, native modules ${megabytes(sizeOf(`${archive}.unpacked`))}, ${packages.size} ` +
    'production packages.',
)

/**
 * Reads back the fuses of the built program, because a package must not contain a program that can run foreign code.
 */
async function checkFuses(program: string): Promise<void> {
  const wrong = await fuseDifferences(program, settings.electronFuses ?? {})
  if (wrong.length > 0) stop(`The fuses of ${program} differ from electron-builder.yml: ${wrong.join('; ')}.`)
  const what = runtime.layoutOnly === null ? program : 'the stand-in program'
  console.log(`Fuses read back from ${what}: as set.`)
}

function findArchive(folder: string): string {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).find(
    (entry) => entry.isFile() && entry.name === 'app.asar',
  )
  if (found === undefined) return stop(`There is no app.asar in ${folder}.`)
  return path.join(found.parentPath, found.name)
}
