import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createPackageWithOptions, getRawHeader } from '@electron/asar'
import type { Configuration } from 'electron-builder'
import { filesUnder } from '../source-hash.ts'
import { sha256 } from '../../delivery/bundle.ts'
import { programBeside, setFuses } from '../fuses.ts'
import { bytesOf } from './member.ts'
import type { Platform } from './platforms.ts'
import type { ProgramFile } from './program-files.ts'

export interface ElectronOrder {
  readonly platform: Platform
  /** An unpacked runtime of this system, or what has the shape of one. */
  readonly runtime: string
  readonly settings: Configuration
  /** The programs, the screens and the packages. */
  readonly files: readonly ProgramFile[]
  /** Of the program. */
  readonly version: string
}

/**
 * The files of a program in Electron, as electron-builder lays them out: the runtime under its own name, everything of
 * ours in one archive that names the hash of each file, native modules beside it, and the fuses set.
 */
export async function electronProgram(order: ElectronOrder): Promise<ProgramFile[]> {
  const work = mkdtempSync(path.join(tmpdir(), 'milepost-electron-'))
  try {
    const program = path.join(work, 'program')
    cpSync(order.runtime, program, { recursive: true, verbatimSymlinks: true })
    const archive = path.join(nameOwn(program, order), 'app.asar')
    await writeArchive(path.join(work, 'app'), archive, order)
    const main = programBeside(archive, order.platform.os, order.settings)
    if (order.platform.os === 'darwin') nameHash(main, archive, order)
    // A made runtime for macOS has no framework whose fuses could be set.
    if (order.platform.os !== 'darwin') await setFuses(main, order.settings.electronFuses ?? {})
    const executable = new Set(executablesOf(main, order.platform))
    return filesUnder(program).map((file) => {
      const name = path.relative(program, file).split(path.sep).join('/')
      return { path: name, from: { bytes: bytesOf({ from: { file } }) }, executable: executable.has(file) }
    })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Gives the runtime the program's name; answers its folder of resources. */
function nameOwn(program: string, { platform, settings }: ElectronOrder): string {
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

async function writeArchive(app: string, archive: string, { files, version }: ElectronOrder): Promise<void> {
  for (const one of files) {
    const file = path.join(app, ...one.path.split('/'))
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, bytesOf(one))
  }
  const own = { name: 'milepost', version, type: 'module', main: 'electron/main.js' }
  writeFileSync(path.join(app, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
  await createPackageWithOptions(app, archive, { unpack: '**/*.node' })
}

/** On macOS the runtime asks for the archive's hash in its own list of properties. */
function nameHash(bundle: string, archive: string, { version, settings }: ElectronOrder): void {
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
