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
import type { Say } from './words.ts'

export interface AutostartOrder {
  /** `install`, `remove` or `show`. */
  readonly action: string | undefined
  readonly kind: AutostartKind
  readonly start: LaneStart
  /** Whether this lane was asked for by name, rather than whichever starts. */
  readonly named: boolean
}

export interface Machine {
  readonly platform: NodeJS.Platform
  readonly configFolder: string
  /** The version of systemd; null: there is none. */
  readonly systemd: number | null
  /** Who became root for this command alone; null: nobody. What is set up then is root's. */
  readonly sudoOf: string | null
}

export const thisMachine = (): Machine => ({
  platform: process.platform,
  configFolder: configFolderOf(process.env, homedir()),
  systemd: systemdVersion(),
  sudoOf: process.getuid?.() === 0 ? (process.env['SUDO_USER'] ?? null) : null,
})

/**
 * Sets up that the lane starts with the session of its user, takes it away, or shows it, and says so: the exit code.
 * Null where the action is none. Errors of the file system are thrown as they are.
 */
export function orderAutostart(order: AutostartOrder, machine: Machine, say: Say): number | null {
  const { action, kind, start } = order
  if (action !== 'install' && action !== 'remove' && action !== 'show') return null
  if (machine.platform !== 'linux') {
    console.error(say('autostart.linuxOnly'))
    return 2
  }
  const { configFolder, systemd } = machine
  if (machine.sudoOf !== null && action !== 'show') {
    console.error(say('autostart.sudo', { user: machine.sudoOf }))
    return 2
  }
  const before = findAutostart(configFolder)
  const other = otherFolder(before, start.dataFolder)
  if (action === 'show') return show(before, order.named ? other : null, say)
  if (action === 'remove') {
    if (order.named && other !== null) {
      console.error(`${say('autostart.other', { folder: other })} ${say('autostart.otherStays')}`)
      return 2
    }
    const removed = removeAutostart(configFolder)
    for (const { file } of removed) console.log(say('autostart.removed', { file }))
    sayOthers(removed, start, say)
    if (removed.length === 0) console.log(say('autostart.none'))
    reload()
    return 0
  }
  if (kind === 'unit' && systemd === null) {
    console.error(say('autostart.noSystemd'))
    return 2
  }
  const file = installAutostart(configFolder, kind, start, systemd)
  console.log(say(kind === 'unit' ? 'autostart.unit' : 'autostart.entry', { file }))
  sayOthers(before, start, say)
  reload()
  return 0
}

/** A person's session starts one lane: another that it started is not lost without a word. */
function sayOthers(found: readonly FoundAutostart[], { dataFolder }: LaneStart, say: Say): void {
  for (const { dataFolder: folder } of found)
    if (folder !== null && !isSame(folder, dataFolder)) console.log(say('autostart.noMore', { folder }))
}

/** A session starts one lane. The data folder of another that is set up in the place of the one that is asked for. */
const otherFolder = (found: readonly FoundAutostart[], asked: string): string | null =>
  found.map(({ dataFolder }) => dataFolder).find((folder) => folder !== null && !isSame(folder, asked)) ?? null

const isSame = (one: string, other: string): boolean => path.resolve(one) === path.resolve(other)

function show(found: readonly FoundAutostart[], other: string | null, say: Say): number {
  if (other !== null) console.log(say('autostart.other', { folder: other }))
  if (found.length === 0) console.log(say('autostart.none'))
  for (const { file, enabled } of found)
    console.log(`${say(enabled ? 'autostart.on' : 'autostart.off', { file })}\n\n${readFileSync(file, 'utf8')}`)
  return other === null && found.some(({ enabled }) => enabled) ? 0 : 1
}

/** `systemd 252 (252.38-1)` */
function systemdVersion(): number | null {
  try {
    const said = execFileSync('systemctl', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const version = /^systemd (\d+)/.exec(said)?.[1]
    return version === undefined ? null : Number(version)
  } catch {
    return null
  }
}

/** So that `systemctl --user start` knows it at once; without a session of systemd the next one reads it. */
function reload(): void {
  try {
    execFileSync('systemctl', ['--user', 'daemon-reload'], { stdio: 'ignore', timeout: 10_000 })
  } catch {
    // No session to tell.
  }
}
