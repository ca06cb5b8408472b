import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Signer } from '../keys.ts'
import type { Trusted } from '../signed.ts'
import { writeWhole } from '../whole-file.ts'
import { CHANNEL_FILE, manifestPlace, openChannel, openManifest, sealChannel } from './formats.ts'
import type { Channel, ChannelRefusal, UpdateManifest } from './formats.ts'

/** The properties of a channel that the installer changes; the others are derived. */
export type Releases = Pick<Channel, 'stable' | 'releases'>

/** How long lanes accept a channel that is not renewed. */
export const CHANNEL_DAYS = 45
const DAY_MS = 86_400_000
const LOCK_FILE = '.channel.lock'
/**
 * Maximum age of a lock: no process needs this long, so an older lock was abandoned, as was one with a future time,
 * written with a wrong clock.
 */
const LOCK_IS_OLD_MS = 60_000

export class ReleaseFolderBusy extends Error {
  override name = 'ReleaseFolderBusy'
}
export class ReleaseFolderDistrusted extends Error {
  override name = 'ReleaseFolderDistrusted'
  readonly why: ChannelRefusal
  constructor(why: ChannelRefusal) {
    super(`channel refused: ${why}`)
    this.why = why
  }
}

/** Returns the channel of the folder, of any age; null if it is missing. Throws ReleaseFolderDistrusted. */
export function readChannel(folder: string, trusted: Trusted): Channel | null {
  const file = path.join(folder, CHANNEL_FILE)
  if (!existsSync(file)) return null
  const opened = openChannel(readFileSync(file), trusted, { seen: 0, now: new Date(0) })
  if ('refusal' in opened) throw new ReleaseFolderDistrusted(opened.refusal)
  return opened.channel
}

/** Returns the manifest with this hash; null if it is missing or differs from its signature. */
export function readManifest(folder: string, sha256: string, trusted: Trusted): UpdateManifest | null {
  const file = path.join(folder, ...manifestPlace(sha256).split('/'))
  if (!existsSync(file)) return null
  const opened = openManifest(readFileSync(file), trusted, sha256)
  return 'manifest' in opened ? opened.manifest : null
}

export interface ChannelChange {
  readonly signer: Signer
  readonly trusted: Trusted
  readonly now: Date
  /** Returns the releases of the new channel, given the channel before; null leaves the channel unchanged. */
  readonly to: (before: Channel | null) => Releases | null
}

/**
 * Replaces the channel by one with a higher sequence and a new expiry. Only signs again what a trusted key has signed,
 * so that write access to the folder does not give a signature. Uses a lock. Returns the current channel afterwards.
 * Throws ReleaseFolderBusy and ReleaseFolderDistrusted.
 */
export function changeChannel(folder: string, { signer, trusted, now, to }: ChannelChange): Channel | null {
  mkdirSync(folder, { recursive: true })
  return locked(folder, () => {
    const before = readChannel(folder, trusted)
    const releases = to(before)
    if (releases === null) return before
    const channel: Channel = {
      format: 1,
      kind: 'update channel',
      // The sequence is at least the time in seconds, so that a folder created again after a loss is newer than the
      // channels that lanes have accepted.
      sequence: Math.max((before?.sequence ?? 0) + 1, Math.floor(now.getTime() / 1_000)),
      madeAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + CHANNEL_DAYS * DAY_MS).toISOString(),
      ...releases,
    }
    writeWhole(path.join(folder, CHANNEL_FILE), sealChannel(channel, signer), 0o644)
    return channel
  })
}

export const withRelease = (
  { stable, releases }: Channel,
  version: string,
  change: Partial<Channel['releases'][number]>,
): Releases => ({
  stable,
  releases: releases.map((release) => (release.version === version ? { ...release, ...change } : release)),
})

function locked<T>(folder: string, work: () => T): T {
  const lock = path.join(folder, LOCK_FILE)
  const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs
  if (since !== undefined && Math.abs(Date.now() - since) > LOCK_IS_OLD_MS) rmSync(lock, { force: true })
  try {
    closeSync(openSync(lock, 'wx'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new ReleaseFolderBusy('another process is changing the channel')
    throw error
  }
  try {
    return work()
  } finally {
    rmSync(lock, { force: true })
  }
}
