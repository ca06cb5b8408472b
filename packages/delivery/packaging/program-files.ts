import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import type { Profile } from '../../../contracts/core/profile.ts'
import { LOADED_FROM_PACKAGES } from '../../../scripts/bundle-app.ts'
import { type Lockfile, packagesBehind } from './package-programs.ts'
import { filesUnder } from '../../../scripts/source-hash.ts'
import { Platform as PlatformName } from '../updates/formats.ts'

export interface ProgramFile {
  readonly path: string
  readonly from: { readonly file: string } | { readonly bytes: Buffer }
  readonly executable: boolean
}

export type Mode = Profile['mode']
const IDENTITY_PROVIDER = 'oidc-provider'

/**
 * Returns the files that run on a lane, except an Electron runtime: the built programs, the screens, and the npm
 * packages that are loaded at run time, for one system. Production excludes the reference services for training and
 * their dependencies.
 */
export function programFiles(root: string, platform: Platform, mode: Mode): ProgramFile[] {
  const production = mode === 'production'
  const app = under(path.join(root, 'build', 'app'), '').filter(
    ({ path: name }) => !/(^|\/)testing\//.test(name) && !(production && /^(packages\/)?central\//.test(name)),
  )
  const screens = under(path.join(root, 'build', 'renderer'), 'renderer/').filter(
    ({ path: name }) => name !== 'renderer/.stamp',
  )
  return [...app, ...screens, ...packageFiles(root, platform, production)]
}

const under = (folder: string, prefix: string): ProgramFile[] =>
  filesUnder(folder).map((file) => ({
    path: prefix + path.relative(folder, file).split(path.sep).join('/'),
    from: { file },
    executable: false,
  }))

function packageFiles(root: string, platform: Platform, production: boolean): ProgramFile[] {
  const lockfile = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as Lockfile
  const names = LOADED_FROM_PACKAGES.filter((name) => !(production && name === IDENTITY_PROVIDER))
  const excluded = excludedPatterns(root)
  return packagesBehind(lockfile, names).flatMap((folder) =>
    ownFiles(path.join(root, folder), `${folder}/`).filter(
      ({ path: name }) =>
        !excluded.some((pattern) => path.posix.matchesGlob(name, pattern)) && !isForeign(name, platform),
    ),
  )
}

/**
 * Lists a package's own files. Nested packages are omitted: those that are needed have their own entry in the lockfile.
 */
const ownFiles = (folder: string, prefix: string): ProgramFile[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules')
    .flatMap((entry) => {
      const file = path.join(folder, entry.name)
      if (entry.isDirectory()) return under(file, `${prefix}${entry.name}/`)
      return entry.isFile() ? [{ path: prefix + entry.name, from: { file }, executable: false }] : []
    })

const Settings = z.looseObject({ files: z.array(z.unknown()) })

function excludedPatterns(root: string): string[] {
  const { files } = Settings.parse(parse(readFileSync(path.join(root, 'electron-builder.yml'), 'utf8')))
  return files.flatMap((one) => (typeof one === 'string' && one.startsWith('!node_modules/') ? [one.slice(1)] : []))
}

const SQLITE = 'node_modules/better-sqlite3/prebuilds/'
const SERIAL = 'node_modules/@serialport/bindings-cpp/prebuilds/'

function isForeign(name: string, { os, arch }: Platform): boolean {
  if (name.startsWith(SQLITE)) return name !== `${SQLITE}${os}-${arch}.node`
  if (!name.startsWith(SERIAL)) return false
  const folder = os === 'darwin' ? 'darwin-x64+arm64' : `${os}-${arch}`
  return !name.startsWith(`${SERIAL}${folder}/`)
}

export interface Platform {
  readonly name: PlatformName
  readonly os: 'linux' | 'win32' | 'darwin'
  readonly arch: 'x64' | 'arm64'
  readonly window: 'electron' | 'browser'
}

export const PLATFORMS: Readonly<Record<PlatformName, Platform>> = {
  'linux-x64': { name: 'linux-x64', os: 'linux', arch: 'x64', window: 'electron' },
  'win-x64': { name: 'win-x64', os: 'win32', arch: 'x64', window: 'electron' },
  'mac-arm64': { name: 'mac-arm64', os: 'darwin', arch: 'arm64', window: 'electron' },
  'mac-x64': { name: 'mac-x64', os: 'darwin', arch: 'x64', window: 'electron' },
  'linux-x64-browser': { name: 'linux-x64-browser', os: 'linux', arch: 'x64', window: 'browser' },
}

const SHORT: Readonly<Record<string, readonly PlatformName[]>> = {
  linux: ['linux-x64'],
  win: ['win-x64'],
  mac: ['mac-arm64', 'mac-x64'],
  'linux-browser': ['linux-x64-browser'],
}
export const PLATFORM_NAMES = [...Object.keys(SHORT), ...PlatformName.options].join(', ')

/**
 * Parses a list of platforms such as `linux,win,mac,linux-browser`, or whole names. Returns a string with the first
 * unknown name.
 */
export function platformsNamed(list: string): readonly Platform[] | string {
  const found = new Set<PlatformName>()
  for (const entry of list.split(',').map((one) => one.trim())) {
    const whole = PlatformName.safeParse(entry)
    const names = SHORT[entry] ?? (whole.success ? [whole.data] : null)
    if (names === null) return entry
    for (const name of names) found.add(name)
  }
  return [...found].map((name) => PLATFORMS[name])
}

export const runsHere = ({ os, arch }: Platform): boolean => os === process.platform && arch === process.arch
