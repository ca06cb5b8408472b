import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createPackageWithOptions, getRawHeader } from '@electron/asar'
import type { Configuration } from 'electron-builder'
import { filesUnder } from '../../../scripts/source-hash.ts'
import { sha256 } from '../bundle.ts'
import { bytesOf } from './member.ts'
import type { Platform, ProgramFile } from './program-files.ts'
import { FuseState, FuseV1Options, FuseVersion, flipFuses, getCurrentFuseWire } from '@electron/fuses'

export interface ElectronOptions {
  readonly platform: Platform
  /** Folder of an unpacked Electron runtime of this system, or of a test stand-in with the same layout. */
  readonly runtime: string
  readonly settings: Configuration
  readonly files: readonly ProgramFile[]
  readonly version: string
}

/**
 * Returns the files of a program in Electron, in the layout of electron-builder: the renamed runtime, our files in one
 * archive with the hash of each file, native modules next to the archive, and the runtime's fuses set.
 */
export async function electronProgram(options: ElectronOptions): Promise<ProgramFile[]> {
  const work = mkdtempSync(path.join(tmpdir(), 'milepost-electron-'))
  try {
    const program = path.join(work, 'program')
    cpSync(options.runtime, program, { recursive: true, verbatimSymlinks: true })
    const archive = path.join(renameRuntime(program, options), 'app.asar')
    await writeArchive(path.join(work, 'app'), archive, options)
    const main = programForArchive(archive, options.platform.os, options.settings)
    if (options.platform.os === 'darwin') nameHash(main, archive, options)
    // The test stand-in for the macOS runtime has no framework with fuses.
    if (options.platform.os !== 'darwin') await setFuses(main, options.settings.electronFuses ?? {})
    const executable = new Set(executablesOf(main, options.platform))
    return filesUnder(program).map((file) => {
      const name = path.relative(program, file).split(path.sep).join('/')
      return { path: name, from: { bytes: bytesOf({ from: { file } }) }, executable: executable.has(file) }
    })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function renameRuntime(program: string, { platform, settings }: ElectronOptions): string {
  const product = `${settings.productName}`
  const rename = (from: string, to: string): void => renameSync(path.join(program, from), path.join(program, to))
  const rest = path.join(program, 'resources', 'default_app.asar')
  rmSync(rest, { force: true })
  switch (platform.os) {
    case 'darwin': {
      rename('Electron.app', `${product}.app`)
      const contents = path.join(program, `${product}.app`, 'Contents')
      renameSync(path.join(contents, 'MacOS', 'Electron'), path.join(contents, 'MacOS', product))
      mkdirSync(path.join(contents, 'Resources'), { recursive: true })
      return path.join(contents, 'Resources')
    }
    case 'win32':
      rename('electron.exe', `${product}.exe`)
      return path.join(program, 'resources')
    case 'linux':
      rename('electron', settings.linux?.executableName ?? product)
      return path.join(program, 'resources')
  }
}

async function writeArchive(app: string, archive: string, { files, version }: ElectronOptions): Promise<void> {
  for (const one of files) {
    const file = path.join(app, ...one.path.split('/'))
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, bytesOf(one))
  }
  const own = { name: 'milepost', version, type: 'module', main: 'electron/main.js' }
  writeFileSync(path.join(app, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
  await createPackageWithOptions(app, archive, { unpack: '**/*.node' })
}

/** Writes the archive's hash into the property list, from which the runtime reads it on macOS. */
function nameHash(bundle: string, archive: string, { version, settings }: ElectronOptions): void {
  const { headerString } = getRawHeader(archive)
  const list = plistOf({
    name: `${settings.productName}`,
    id: `${settings.appId}`,
    version,
    hash: sha256(Buffer.from(headerString)),
  })
  writeFileSync(path.join(bundle, 'Contents', 'Info.plist'), list)
}

interface Properties {
  readonly name: string
  readonly id: string
  readonly version: string
  readonly hash: string
}
const plistOf = ({ name, id, version, hash }: Properties): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>CFBundleExecutable</key><string>${name}</string>
<key>CFBundleIdentifier</key><string>${id}</string>
<key>CFBundleName</key><string>${name}</string>
<key>CFBundlePackageType</key><string>APPL</string>
<key>CFBundleShortVersionString</key><string>${version}</string>
<key>ElectronAsarIntegrity</key><dict>
<key>Resources/app.asar</key><dict>
<key>algorithm</key><string>SHA256</string><key>hash</key><string>${hash}</string>
</dict></dict>
</dict></plist>
`

const executablesOf = (main: string, { os }: Platform): string[] => {
  if (os === 'darwin') return filesUnder(path.join(main, 'Contents', 'MacOS'))
  return [
    main,
    path.join(path.dirname(main), 'chrome-sandbox'),
    path.join(path.dirname(main), 'chrome_crashpad_handler'),
  ]
}

export type FuseSettings = Omit<NonNullable<Configuration['electronFuses']>, 'resetAdHocDarwinSignature'>

const PLACE_IN_WIRE: Readonly<Record<keyof FuseSettings, FuseV1Options>> = {
  runAsNode: FuseV1Options.RunAsNode,
  enableCookieEncryption: FuseV1Options.EnableCookieEncryption,
  enableNodeOptionsEnvironmentVariable: FuseV1Options.EnableNodeOptionsEnvironmentVariable,
  enableNodeCliInspectArguments: FuseV1Options.EnableNodeCliInspectArguments,
  enableEmbeddedAsarIntegrityValidation: FuseV1Options.EnableEmbeddedAsarIntegrityValidation,
  onlyLoadAppFromAsar: FuseV1Options.OnlyLoadAppFromAsar,
  loadBrowserProcessSpecificV8Snapshot: FuseV1Options.LoadBrowserProcessSpecificV8Snapshot,
  grantFileProtocolExtraPrivileges: FuseV1Options.GrantFileProtocolExtraPrivileges,
}
export const FUSE_NAMES: readonly string[] = Object.keys(PLACE_IN_WIRE)

/**
 * Reads the fuses of a built program and returns those that differ from the settings. Rejects if the file has no fuses.
 */
export async function fuseDifferences(program: string, expected: FuseSettings): Promise<string[]> {
  const wire = await getCurrentFuseWire(program)
  return Object.entries(PLACE_IN_WIRE).flatMap(([name, place]) => {
    const set = Object.entries(expected).find(([setting]) => setting === name)?.[1]
    const found = wire[place]
    if (typeof set !== 'boolean') return [`${name}: not set`]
    return found === (set ? FuseState.ENABLE : FuseState.DISABLE) ? [] : [`${name}: ${found ?? 'not there'}`]
  })
}

/** Sets the fuses of a program, as electron-builder does. Rejects if the file has no fuses. */
export async function setFuses(program: string, expected: FuseSettings): Promise<void> {
  const config = Object.entries(PLACE_IN_WIRE).flatMap(([name, place]) => {
    const set = Object.entries(expected).find(([setting]) => setting === name)?.[1]
    return typeof set === 'boolean' ? [[place, set] as const] : []
  })
  await flipFuses(program, { version: FuseVersion.V1, ...Object.fromEntries(config) })
}

/** Returns the configurable fuses that a runtime does not support. Rejects if the file has no fuses. */
export async function missingFuses(program: string): Promise<string[]> {
  const wire = await getCurrentFuseWire(program)
  return Object.entries(PLACE_IN_WIRE)
    .filter(([, place]) => wire[place] !== FuseState.ENABLE && wire[place] !== FuseState.DISABLE)
    .map(([name]) => name)
}

/**
 * Finds the program of a package by the path of its archive; on macOS the application bundle, which contains the fuses.
 */
export function programForArchive(archive: string, platform: NodeJS.Platform, settings: Configuration): string {
  const resources = path.dirname(archive)
  if (platform === 'darwin') return path.dirname(path.dirname(resources))
  const name =
    platform === 'win32' ? `${settings.productName}.exe` : (settings.linux?.executableName ?? `${settings.productName}`)
  return path.join(path.dirname(resources), name)
}
