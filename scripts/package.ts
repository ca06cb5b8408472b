import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { listPackage } from '@electron/asar'
import { Arch, build, Platform } from 'electron-builder'
import type { Configuration } from 'electron-builder'
import { parse } from 'yaml'
import { Profile } from '../contracts/profile.ts'
import { readProfileOutline } from '../electron/profile-outline.ts'
import { APP, buildPrograms, runNode } from './build-app.ts'
import { checkProfile } from './check-profile.ts'
import { madeRuntime } from './made-runtime.ts'
import { programsInPackage, type Lockfile } from './package-programs.ts'
import { fetchElectron } from './window/electron-runtime.ts'

/**
 * `npm run package -- --store FILE [--dir] [--electron-dist FOLDER] [--out FOLDER]`: one package for one store, with
 * its profile and catalog inside the archive, where the integrity check covers them.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const at = (...parts: string[]): string => path.join(root, ...parts)
const HELP = `npm run package -- --store FILE [options]

  --store FILE           the store's profile; its catalog is found beside it
  --dir                  a folder with the program in it, no installer
  --electron-dist FOLDER an unpacked Electron runtime to build on (default: the installed one, fetched where it can be)
  --out FOLDER           where the package goes (release/<store id>)
`

function stop(message: string): never {
  console.error(message)
  process.exit(2)
}

function readOptions(): { store: string; dir: boolean; electronDist: string | null; out: string | null } {
  try {
    const { values } = parseArgs({
      options: {
        store: { type: 'string' },
        dir: { type: 'boolean' },
        'electron-dist': { type: 'string' },
        out: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help) {
      process.stdout.write(HELP)
      process.exit(0)
    }
    if (values.store === undefined) return stop(`--store is needed.\n${HELP}`)
    return {
      store: path.resolve(values.store),
      dir: values.dir === true,
      electronDist: values['electron-dist'] ?? null,
      out: values.out ?? null,
    }
  } catch (error) {
    return stop(`${error instanceof Error ? error.message : String(error)}\n${HELP}`)
  }
}

/** Puts the profile and the files that it names into build/store, under the names that the shell looks for. */
function stageStore(profileFile: string): void {
  const staged = at('build', 'store')
  rmSync(staged, { recursive: true, force: true })
  mkdirSync(staged, { recursive: true })
  const { catalog, receipt, lanes } = Profile.parse(parse(readFileSync(profileFile, 'utf8')))
  const terminals = lanes.flatMap(({ devices }) => devices.cardTerminal?.connection ?? [])
  const files = [
    ['catalog.file', catalog.file],
    ...(receipt.logo ? [['receipt.logo.file', receipt.logo.file]] : []),
    ...terminals.flatMap((terminal) =>
      terminal.kind === 'tcp' ? [['cardTerminal.connection.certificateFile', terminal.certificateFile]] : [],
    ),
  ] as const
  for (const [setting = '', file = ''] of files) {
    const source = path.resolve(path.dirname(profileFile), file)
    const target = path.resolve(staged, file)
    if (!target.startsWith(staged + path.sep))
      stop(
        `${profileFile}: ${setting}: ${file} lies outside of the profile's folder; a package holds only what ` +
          'is beside or below the profile.',
      )
    if (!existsSync(source)) stop(`${profileFile}: ${setting}: there is no file ${source}.`)
    cpSync(source, target)
  }
  cpSync(profileFile, path.join(staged, 'profile.yaml'))
}

/** Native builds for other systems than the one that the package is for. */
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
  /** Set when the folder only has the shape of a runtime. */
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
  return { folder: madeRuntime(at('build', 'made-runtime'), version), layoutOnly: found.missing }
}

const sizeOf = (place: string): number => {
  if (!existsSync(place)) return 0
  if (statSync(place).isFile()) return statSync(place).size
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0)
}
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

const options = readOptions()
const complaint = await checkProfile(options.store)
if (complaint !== null) stop(complaint)
const outline = readProfileOutline(options.store)
if (outline === null) stop(`${options.store} cannot be read.`)
stageStore(options.store)
await buildPrograms(APP, { onlyWhenStale: true, log: console.log })
await runNode('the build of the screens', at('scripts', 'prepare.mjs'), ['screens'])
if (!existsSync(at('build', 'renderer', 'index.html'))) stop('There are no built screens in build/renderer.')

const runtime = await chooseRuntime(options.electronDist)
if (runtime.layoutOnly !== null)
  console.log(
    'Layout only: this package has the files of a real one but cannot start, because no Electron runtime is ' +
      `here (${runtime.layoutOnly}). Give one with --electron-dist.`,
  )
if (runtime.layoutOnly !== null && !options.dir)
  stop('An installer needs a real Electron runtime. Use --dir to look at the layout.')

const settings = parse(readFileSync(at('electron-builder.yml'), 'utf8')) as Configuration
const lockfile = JSON.parse(readFileSync(at('package-lock.json'), 'utf8')) as Lockfile
const programs = programsInPackage(outline.mode, lockfile)
console.log(programs.words)
const output = path.resolve(options.out ?? at('release', outline.storeId))
const config: Configuration = {
  ...settings,
  directories: { ...settings.directories, output },
  files: [...[settings.files ?? []].flat(), ...programs.files, ...foreignBinaries()],
  electronDist: runtime.folder,
  // There is no program in a made runtime whose fuses could be set.
  ...(runtime.layoutOnly === null ? {} : { electronFuses: null }),
}
const platform = Platform.current()
const target = options.dir
  ? platform.createTarget('dir', Arch[process.arch as 'x64' | 'arm64'])
  : platform.createTarget(null, Arch[process.arch as 'x64' | 'arm64'])
await build({ projectDir: root, targets: target, config, publish: 'never' })

const archive = findArchive(output)
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

function findArchive(folder: string): string {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).find(
    (entry) => entry.isFile() && entry.name === 'app.asar',
  )
  if (found === undefined) return stop(`There is no app.asar in ${folder}.`)
  return path.join(found.parentPath, found.name)
}
