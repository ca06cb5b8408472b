import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import {
  type AutostartKind,
  type FoundAutostart,
  type LaneStart,
  configFolderOf,
  findAutostart,
  installAutostart,
  removeAutostart,
} from '../../delivery/autostart.ts'
import type { Translate } from './translators.ts'

export interface AutostartRequest {
  readonly action: string | undefined
  readonly kind: AutostartKind
  readonly start: LaneStart
  /**
   * Whether a lane was named on the command line. Otherwise the subcommand applies to the lane that starts
   * automatically.
   */
  readonly named: boolean
}

export interface Machine {
  readonly platform: NodeJS.Platform
  readonly configFolder: string
  readonly systemd: number | null
  /** The user who ran sudo; null without sudo. With sudo, autostart would be set up for the session of root. */
  readonly sudoOf: string | null
}

export const thisMachine = (): Machine => ({
  platform: process.platform,
  configFolder: configFolderOf(process.env, homedir()),
  systemd: systemdVersion(),
  sudoOf: process.getuid?.() === 0 ? (process.env['SUDO_USER'] ?? null) : null,
})

/**
 * Enables, disables or shows the automatic start of a lane with its user’s session. Returns the exit code, or null for
 * an unknown action. Throws file system errors unchanged.
 */
export function runAutostartSubcommand(
  request: AutostartRequest,
  machine: Machine,
  translate: Translate,
): number | null {
  const { action, kind, start } = request
  if (action !== 'install' && action !== 'remove' && action !== 'show') return null
  if (machine.platform !== 'linux') {
    console.error(translate('autostart.linuxOnly'))
    return 2
  }
  const { configFolder, systemd } = machine
  if (machine.sudoOf !== null && action !== 'show') {
    console.error(translate('autostart.sudo', { user: machine.sudoOf }))
    return 2
  }
  const before = findAutostart(configFolder)
  const other = otherFolder(before, start.dataFolder)
  if (action === 'show') return show(before, request.named ? other : null, translate)
  if (action === 'remove') {
    if (request.named && other !== null) {
      console.error(`${translate('autostart.other', { folder: other })} ${translate('autostart.otherStays')}`)
      return 2
    }
    const removed = removeAutostart(configFolder)
    for (const { file } of removed) console.log(translate('autostart.removed', { file }))
    printReplaced(removed, start, translate)
    if (removed.length === 0) console.log(translate('autostart.none'))
    reload()
    return 0
  }
  if (kind === 'unit' && systemd === null) {
    console.error(translate('autostart.noSystemd'))
    return 2
  }
  const file = installAutostart(configFolder, kind, start, systemd)
  console.log(translate(kind === 'unit' ? 'autostart.unit' : 'autostart.entry', { file }))
  printReplaced(before, start, translate)
  reload()
  return 0
}

function printReplaced(found: readonly FoundAutostart[], { dataFolder }: LaneStart, translate: Translate): void {
  for (const { dataFolder: folder } of found)
    if (folder !== null && !isSame(folder, dataFolder)) console.log(translate('autostart.noMore', { folder }))
}

const otherFolder = (found: readonly FoundAutostart[], requested: string): string | null =>
  found.map(({ dataFolder }) => dataFolder).find((folder) => folder !== null && !isSame(folder, requested)) ?? null

const isSame = (one: string, other: string): boolean => path.resolve(one) === path.resolve(other)

function show(found: readonly FoundAutostart[], other: string | null, translate: Translate): number {
  if (other !== null) console.log(translate('autostart.other', { folder: other }))
  if (found.length === 0) console.log(translate('autostart.none'))
  for (const { file, enabled } of found)
    console.log(`${translate(enabled ? 'autostart.on' : 'autostart.off', { file })}\n\n${readFileSync(file, 'utf8')}`)
  return other === null && found.some(({ enabled }) => enabled) ? 0 : 1
}

function systemdVersion(): number | null {
  try {
    const output = execFileSync('systemctl', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const version = /^systemd (\d+)/.exec(output)?.[1]
    return version === undefined ? null : Number(version)
  } catch {
    return null
  }
}

/**
 * Makes the new unit known to `systemctl --user start`. Without a running systemd session, the next session reads it.
 */
function reload(): void {
  try {
    execFileSync('systemctl', ['--user', 'daemon-reload'], { stdio: 'ignore', timeout: 10_000 })
  } catch {}
}
