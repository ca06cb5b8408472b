import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { ClockHealth, DeviceHealth } from '../../../contracts/operations/diagnostics.ts'
import type { LaneSettings, Profile } from '../../../contracts/core/profile.ts'
import { readBundle } from '../../../packages/delivery/bundle.ts'
import { LaneMark, readLaneMark } from '../../../packages/delivery/identity.ts'
import { PROFILE_FILE } from '../../../packages/delivery/manifest.ts'
import { type BundleStore, openBundleStore } from '../../../packages/delivery/bundle-store.ts'
import type { ActiveBundle } from '../../../packages/delivery/stored-bundles.ts'
import { firstTrust, trustedIn } from '../../../packages/delivery/trust.ts'
import type { Place, Probed } from '../connection/probes.ts'
import type { ProfileError } from '../../core/profile/profile-file.ts'
import { loadProfile, loadProfileText } from '../../core/profile/profile.ts'
import { PROCESS_NAME } from '../../core/program/process.ts'

export interface LaneToCheck {
  readonly dataFolder: string
  /** Given profile, which a bundle in force overrides; null in a package, which has a bundle. */
  readonly profileFile: string | null
  /** Bundle of a package, which its first start installs; null when the program runs outside of a package. */
  readonly bundleFile: string | null
  readonly laneId: string | null
  readonly trustFile: string
  readonly environment: NodeJS.ProcessEnv
  readonly home: string
  readonly window: WindowFound
  readonly version: string
  readonly now: () => Date
  readonly running: LiveLane | null
}

/** Program that shows the screens; `not-checked`: the caller did not look for a browser. */
export type WindowFound =
  | { readonly kind: 'browser'; readonly name: string | null }
  | { readonly kind: 'here' }
  | { readonly kind: 'not-checked' }

export interface LiveLane {
  readonly profile: Profile
  readonly lane: LaneSettings
  readonly endpoints: NonNullable<Profile['endpoints']>
  readonly health: () => readonly DeviceHealth[]
  readonly clock: () => ClockHealth
  readonly requestToken: () => Promise<TokenAnswer>
}

export type TokenAnswer = 'accepted' | 'refused' | 'no-answer'

/** The profile that the lane would start with now, or why it cannot be read. */
export type ReadProfile =
  | { readonly kind: 'good'; readonly profile: Profile; readonly lane: LaneSettings | null }
  | { readonly kind: 'wrong'; readonly errors: readonly ProfileError[] }
  | { readonly kind: 'none' }

export type ReadBundle =
  | { readonly kind: 'none' | 'damaged' | 'keys-damaged' }
  | { readonly kind: 'unreadable'; readonly error: unknown }
  | { readonly kind: 'sold'; readonly sold: ActiveBundle; readonly shelf: BundleStore }
  | { readonly kind: 'waiting'; readonly shelf: BundleStore }

export interface ProbedPlace extends Probed {
  readonly place: Place
  readonly validTo: string | null
}

const Sentinel = LaneMark.extend({ keyCheck: z.string() })
type Sentinel = z.infer<typeof Sentinel>
type Owner = NonNullable<Sentinel['owner']>

/** Data of the lane that several sections of the check need, read once. Reading it never throws and writes nothing. */
export interface ReadLane extends LaneToCheck {
  readonly bundle: ReadBundle
  readonly read: ReadProfile
  readonly sentinel: Sentinel | null | 'unreadable'
  /**
   * Process id of the terminal that uses the folder; null when no terminal does, or when it is unknown on this system.
   */
  readonly terminalPid: number | null
  readonly timeZone: string
}

/** Returns the lane that owns the folder if the profile belongs to another lane; otherwise, or when unknown, null. */
export function otherOwner({ sentinel, read }: Pick<ReadLane, 'sentinel' | 'read'>): Owner | null {
  const owner = sentinel === 'unreadable' ? undefined : sentinel?.owner
  if (owner === undefined || read.kind !== 'good' || read.lane === null) return null
  const { profile, lane } = read
  const isThisLane = owner.store === profile.store.id && owner.lane === lane.id && owner.mode === profile.mode
  return isThisLane ? null : owner
}

export function readLane(lane: LaneToCheck): ReadLane {
  const bundle = readBundleOf(lane)
  const read = readProfileOf(lane, bundle)
  return {
    ...lane,
    bundle,
    read,
    sentinel: readSentinel(lane.dataFolder),
    terminalPid: lane.running === null ? lockHolder(join(lane.dataFolder, 'terminal.lock')) : process.pid,
    timeZone: read.kind === 'good' ? read.profile.timeZone : Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
}

function readBundleOf({ dataFolder, trustFile }: LaneToCheck): ReadBundle {
  try {
    if (!existsSync(trustFile)) return { kind: 'none' }
    const trust = firstTrust(readFileSync(trustFile))
    if (trust === null) return { kind: 'keys-damaged' }
    const shelf = openBundleStore(dataFolder, trust)
    const sold = shelf.active()
    if (sold === 'none') return { kind: 'waiting', shelf }
    return sold === 'damaged' ? { kind: 'damaged' } : { kind: 'sold', sold, shelf }
  } catch (error) {
    return { kind: 'unreadable', error }
  }
}

function readProfileOf(laneToCheck: LaneToCheck, bundle: ReadBundle): ReadProfile {
  const { laneId, running } = laneToCheck
  if (running !== null) return { kind: 'good', profile: running.profile, lane: running.lane }
  const file = bundle.kind === 'sold' ? bundle.sold.profileFile : laneToCheck.profileFile
  const loaded = file === null ? loadBrought(laneToCheck) : loadProfile(file)
  if (loaded === null) return { kind: 'none' }
  if ('errors' in loaded) return { kind: 'wrong', errors: loaded.errors }
  const { profile } = loaded
  const lane = laneId === null ? profile.lanes[0] : profile.lanes.find(({ id }) => id === laneId)
  return { kind: 'good', profile, lane: lane ?? null }
}

function loadBrought({ bundleFile, trustFile }: LaneToCheck): ReturnType<typeof loadProfile> | null {
  try {
    if (bundleFile === null) return null
    const trust = firstTrust(readFileSync(trustFile))
    const read = trust && readBundle(readFileSync(bundleFile), trustedIn(trust))
    const bytes = read !== null && 'bundle' in read ? read.bundle.files.get(PROFILE_FILE) : undefined
    return bytes === undefined ? null : loadProfileText(bundleFile, Buffer.from(bytes).toString('utf8'))
  } catch {
    return null
  }
}

function readSentinel(dataFolder: string): ReadLane['sentinel'] {
  try {
    const mark = readLaneMark(dataFolder)
    return mark === null ? null : Sentinel.parse(mark)
  } catch {
    return 'unreadable'
  }
}

/** Offset in the file of the byte that SQLite locks, its pending byte (SQLite's file format, 1.4). */
const PENDING_BYTE = 0x40_00_00_00
const LOCK = /^\d+: \w+ +\w+ +WRITE (\d+) ([0-9a-f]+):([0-9a-f]+):(\d+) (\d+) /

/**
 * Returns the process id that holds a data folder's lock, from the system's list of locks. Trying the lock would hold
 * it for a moment, and a terminal that starts just then would be refused. Null without a holder, and on systems other
 * than Linux.
 */
export function lockHolder(file: string): number | null {
  if (process.platform !== 'linux') return null
  try {
    const { dev, ino } = statSync(file)
    for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
      const [, pid, major, minor, inode, from] = LOCK.exec(line) ?? []
      if (pid === undefined || Number(inode) !== ino || Number(from) < PENDING_BYTE) continue
      if (isDevice(dev, Number.parseInt(major ?? '', 16), Number.parseInt(minor ?? '', 16)) || isOwnProcess(pid))
        return Number(pid)
    }
  } catch {
    // The lock file does not exist, or the locks cannot be read.
  }
  return null
}

const isDevice = (dev: number, major: number, minor: number): boolean =>
  ((dev >> 8) & 0xfff) === major && ((dev & 0xff) | ((dev >> 12) & 0xfff00)) === minor

/**
 * Whether a process is this program, by its name. The device number in the list of locks is not sufficient: a layered
 * file system reports another one than the file system below it, which has the lock.
 */
function isOwnProcess(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === PROCESS_NAME
  } catch {
    return false
  }
}
