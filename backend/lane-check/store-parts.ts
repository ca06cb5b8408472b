import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { LaneFinding } from '../../contracts/api/lane-check.ts'
import type { Profile } from '../../contracts/profile.ts'
import { isBundleDue } from '../../delivery/due.ts'
import type { BundleManifest } from '../../delivery/manifest.ts'
import type { Shelf } from '../../delivery/shelf.ts'
import { trustedIn } from '../../delivery/trust.ts'
import { loadProfile } from '../profile.ts'
import { dayIn, finding, inEach, reasonOf, timeIn } from './finding.ts'
import type { ReadLane } from './lane.ts'

/** So many mistakes of a profile are told; `npm run profiles -- check` tells all. */
const MOST_MISTAKES = 5

/** The profile that the lane sells by: whether it can be read, has this lane, and is the one that was given. */
export function checkProfile(lane: ReadLane): LaneFinding[] {
  const { read } = lane
  if (read.kind === 'wrong') {
    const more = read.errors.length - MOST_MISTAKES
    return [
      ...read.errors.slice(0, MOST_MISTAKES).map(({ file, line, column, path, messages }) =>
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
  const different = otherThanBundle(lane, profile)
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

/** The settings in which the given profile differs from the bundle in force, by the first word of their names. */
function otherThanBundle({ bundle, profileFile }: ReadLane, profile: Profile): string[] {
  if (bundle.kind !== 'sold' || profileFile === null || resolve(bundle.sold.profileFile) === resolve(profileFile))
    return []
  const given = existsSync(profileFile) ? loadProfile(profileFile) : null
  if (given === null || 'errors' in given) return []
  const [ours, theirs] = [new Map(Object.entries(given.profile)), new Map(Object.entries(profile))]
  return [...new Set([...ours.keys(), ...theirs.keys()])].filter(
    (name) => !isDeepStrictEqual(ours.get(name), theirs.get(name)),
  )
}

/** The bundle in force, the one that waits, and whose bundles are taken. */
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

/** No bundle is in force: what the next start finds, by the start's own judgement. */
function firstOf(lane: ReadLane, shelf: Shelf): LaneFinding[] {
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
