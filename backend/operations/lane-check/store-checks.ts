import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { LaneFinding } from '../../../contracts/operations/lane-check-page.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import { isBundleDue } from '../../../packages/delivery/stored-bundles.ts'
import type { BundleManifest } from '../../../packages/delivery/manifest.ts'
import type { BundleStore } from '../../../packages/delivery/bundle-store.ts'
import { trustedIn } from '../../../packages/delivery/trust.ts'
import { loadProfile } from '../../core/profile/profile.ts'
import { dayIn, finding, inEach, reasonOf, timeIn } from './finding.ts'
import type { ReadLane } from './lane.ts'
import { z } from 'zod'
import { LanesOfStore, OVERVIEW_PATHS } from '../../../contracts/store/overview.ts'
import { type LaneMode, STORE_PROTOCOL, StoreRefusal } from '../../../contracts/store/protocol.ts'
import { createLaneStore } from '../enrolment/lane-store.ts'
import { readSealKey } from '../../core/integrity/seal.ts'
import { type StoreAnswer, createStoreChannel } from '../../store/channel.ts'
import { storePlaceOf } from '../../store/store.ts'

/** Maximum number of reported profile errors; `npm run milepost -- profiles check` reports all. */
const MAX_MISTAKES = 5

/**
 * Checks the profile of the lane: whether it is readable, has this lane, and, with a bundle in force, equals the given
 * one.
 */
export function checkProfile(lane: ReadLane): LaneFinding[] {
  const { read } = lane
  if (read.kind === 'wrong') {
    const more = read.errors.length - MAX_MISTAKES
    return [
      ...read.errors.slice(0, MAX_MISTAKES).map(({ file, line, column, path, messages }) =>
        finding('profile-wrong', {
          place: `${file}${line === null ? '' : `:${line}:${column ?? 1}`}${path === '' ? '' : ` ${path}`}`,
          mistake: inEach((_, locale) => messages[locale]),
        }),
      ),
      ...(more > 0 ? [finding('profile-more-wrong', { count: more })] : []),
    ]
  }
  if (read.kind === 'none') return [finding('profile-none')]
  const { profile } = read
  const different = differencesFromBundle(lane, profile)
  return [
    read.lane === null
      ? finding('profile-no-lane', {
          lane: lane.laneId ?? '',
          lanes: profile.lanes.map(({ id }) => id).join(', '),
        })
      : finding('profile-good', { store: profile.store.id }),
    ...(profile.mode === 'training' ? [finding('profile-training')] : []),
    ...(different.length > 0 ? [finding('profile-other-than-bundle', { settings: different.join(', ') })] : []),
  ]
}

function differencesFromBundle({ bundle, profileFile }: ReadLane, profile: Profile): string[] {
  if (bundle.kind !== 'sold' || profileFile === null || resolve(bundle.sold.profileFile) === resolve(profileFile))
    return []
  const given = existsSync(profileFile) ? loadProfile(profileFile) : null
  if (given === null || 'errors' in given) return []
  const [ours, theirs] = [new Map(Object.entries(given.profile)), new Map(Object.entries(profile))]
  return [...new Set([...ours.keys(), ...theirs.keys()])].filter(
    (name) => !isDeepStrictEqual(ours.get(name), theirs.get(name)),
  )
}

export function checkBundle(lane: ReadLane): LaneFinding[] {
  const { bundle } = lane
  switch (bundle.kind) {
    case 'none':
      return [finding('bundle-none')]
    case 'damaged':
      return [finding('bundle-damaged')]
    case 'keys-damaged':
      return [finding('keys-damaged')]
    case 'unreadable':
      return [finding('could-not-look', { reason: reasonOf(bundle.error) })]
    case 'waiting':
    case 'sold':
      break
  }
  const { keys, revoked } = trustedIn(bundle.shelf.trust())
  const { waiting } = bundle.shelf.list()
  return [
    ...(bundle.kind === 'sold' ? inForce(lane, bundle.sold) : firstOf(lane, bundle.shelf)),
    ...waiting.map((manifest) => waitingOf(manifest, lane)),
    finding('keys-trusted', { count: keys.length, revoked: revoked.length }),
  ]
}

/**
 * Returns what the next start would do with the package's bundle if no bundle is in force, by the start's own checks.
 */
function firstOf(lane: ReadLane, shelf: BundleStore): LaneFinding[] {
  const { bundleFile, dataFolder, read, now } = lane
  if (bundleFile === null || !existsSync(bundleFile) || isBundleDue(dataFolder, now())) return [finding('bundle-none')]
  const identity =
    read.kind === 'good' && read.lane !== null
      ? { mode: read.profile.mode, store: read.profile.store.id, lane: read.lane.id }
      : null
  const why = shelf.refusesFirst(bundleFile, identity, now())
  return [why === null ? finding('bundle-none') : finding('bundle-not-taken', { why })]
}

const waitingOf = (
  { sequence, activeFrom }: BundleManifest,
  { now, timeZone }: Pick<ReadLane, 'now' | 'timeZone'>,
): LaneFinding =>
  activeFrom === null || new Date(activeFrom) <= now()
    ? finding('bundle-waits-for-quiet', { number: String(sequence) })
    : finding('bundle-waiting', { number: String(sequence), from: timeIn(new Date(activeFrom), timeZone) })

type SoldBundle = Extract<ReadLane['bundle'], { kind: 'sold' }>['sold']

function inForce({ sentinel, read, timeZone, now }: ReadLane, { manifest }: SoldBundle): LaneFinding[] {
  const owner = sentinel === 'unreadable' ? undefined : sentinel?.owner
  const laneId = owner?.lane ?? (read.kind === 'good' ? read.lane?.id : undefined)
  const ofOther =
    (owner !== undefined && (owner.store !== manifest.store.id || owner.mode !== manifest.mode)) ||
    (laneId !== undefined && !manifest.lanes.includes(laneId))
  if (ofOther) return [finding('bundle-other-lane', { store: manifest.store.id, lanes: manifest.lanes.join(', ') })]
  const number = String(manifest.sequence)
  const until = manifest.expiresAt === null ? null : new Date(manifest.expiresAt)
  return [
    finding('bundle-in-force', {
      number,
      store: manifest.store.id,
      made: dayIn(new Date(manifest.madeAt), timeZone),
    }),
    ...(until !== null && until <= now() ? [finding('bundle-expired', { number, day: dayIn(until, timeZone) })] : []),
  ]
}

const DEADLINE_MS = 4_000
const SystemName = z.string().regex(/^[A-Z_]+$/)

const OfStore = LanesOfStore.pick({ mode: true })

/** Checks whether the store server answers with a trusted certificate and knows this lane. Changes nothing there. */
export async function checkStoreServer(lane: ReadLane, signal: AbortSignal): Promise<LaneFinding[]> {
  if (!existsSync(join(lane.dataFolder, 'terminal.device'))) return [finding('store-alone')]
  const masterKey = keyOf(lane)
  const device = masterKey && createLaneStore({ dataFolder: lane.dataFolder, masterKey, keyStore: false }).device()
  if (device === null) return [finding('store-unseen')]
  const place = storePlaceOf(device)
  if (place === null) return [finding('store-alone')]
  const channel = createStoreChannel(place)
  try {
    const asked = { protocol: STORE_PROTOCOL }
    const answer = await channel.post(OVERVIEW_PATHS.lanes, asked, DEADLINE_MS, signal)
    const mode = lane.read.kind === 'good' ? lane.read.profile.mode : null
    return [findingOf(new URL(place.url).host, answer, mode)]
  } finally {
    channel.close()
  }
}

function findingOf(host: string, answer: StoreAnswer, mode: LaneMode | null): LaneFinding {
  if (answer.kind === 'no-answer') {
    const name = SystemName.safeParse(answer.reason)
    return finding('store-away', { host, reason: name.success ? name.data : 'ETIMEDOUT' })
  }
  if (answer.status === 200) {
    const ofStore = OfStore.safeParse(answer.body).data?.mode ?? null
    if (mode !== null && ofStore !== null && ofStore !== mode) return finding('store-other-mode', { host })
    return finding('store-reached', { host, ms: Math.round(answer.ms) })
  }
  const refusal = StoreRefusal.safeParse(answer.body)
  if (refusal.success && ['token', 'proof'].includes(refusal.data.refused)) return finding('store-refused', { host })
  if (refusal.success && refusal.data.refused === 'protocol') return finding('store-other-version', { host })
  return finding('store-away', { host, reason: `HTTP ${answer.status}` })
}

/** Returns the sealing key, which opens the sealed enrolment; null when this process does not have it. */
function keyOf({ dataFolder, environment }: ReadLane): Uint8Array | null {
  const file = join(dataFolder, 'seal.key')
  return existsSync(file) ? Buffer.from(readFileSync(file, 'utf8').trim(), 'base64') : readSealKey(environment)
}
