import { createHash } from 'node:crypto'
import {
  type Channel,
  compareVersions,
  type Platform,
  type Program,
  type Release,
  type Report,
  type UpdateManifest,
} from './formats.ts'

export interface LaneVersion {
  readonly store: string
  readonly lane: string
  readonly platform: Platform
  readonly version: string
  /** Schema version of the lane's database; null if there is no database yet. */
  readonly schema: number | null
  /** Versions that failed on this lane and are not tried again. */
  readonly refused: readonly string[]
  readonly training?: boolean
}

const TRAINING_SERVICES = 'central/main.js'
export const hasTrainingServices = ({ files }: Pick<Program, 'files'>): boolean =>
  files.some((file) => file.path === TRAINING_SERVICES)

const COHORTS = 10_000

/**
 * Returns the lane's position in the waves of a version, 0 to 9,999: a wave of 5 % includes the positions below 500. It
 * differs for each version, so that no store is always first.
 */
export function cohortOf(version: string, store: string, lane: string): number {
  return createHash('sha256').update(`${version}\n${store}\n${lane}`).digest().readUInt32BE(0) % COHORTS
}

export const isReached = ({ version, wavePercent }: Release, { store, lane }: Pick<LaneVersion, 'store' | 'lane'>) =>
  cohortOf(version, store, lane) < Math.round((wavePercent * COHORTS) / 100)

/**
 * Returns the releases that a lane may use, newest first: newer than the running one, not halted, not refused here, and
 * with a wave that includes the lane. `stable` includes every lane.
 */
export function candidates({ releases, stable }: Channel, lane: LaneVersion): Release[] {
  return releases
    .filter(
      (release) =>
        !release.halted &&
        !lane.refused.includes(release.version) &&
        compareVersions(release.version, lane.version) > 0 &&
        (release.version === stable || isReached(release, lane)),
    )
    .toSorted((one, other) => compareVersions(other.version, one.version))
}

type Facts = Pick<UpdateManifest, 'version' | 'schema' | 'readsBack' | 'programs'>

export function incompatibility(manifest: Facts, release: Release, lane: LaneVersion): Incompatibility | null {
  if (manifest.version !== release.version) return 'other-version'
  const program = manifest.programs.find(({ platform }) => platform === lane.platform)
  if (program === undefined) return 'no-program'
  if (lane.training === true && !hasTrainingServices(program)) return 'no-training'
  if (lane.schema !== null && lane.schema < manifest.readsBack) return 'too-far'
  return lane.schema !== null && lane.schema > manifest.schema ? 'older-database' : null
}
/**
 * Why a lane cannot use a version. `too-far`: the version cannot migrate the lane's older database; `older-database`:
 * the lane's database is newer than the version's.
 */
export type Incompatibility = 'other-version' | 'no-program' | 'no-training' | 'too-far' | 'older-database'

/**
 * Returns the newest release that the lane may and can use. A lane whose database is too old for the newest release
 * gets an intermediate version first.
 */
export function choose(
  channel: Channel,
  lane: LaneVersion,
  manifestOf: (release: Release) => Facts | null,
): Release | null {
  const mayUse = (release: Release): boolean => {
    const manifest = manifestOf(release)
    return manifest !== null && incompatibility(manifest, release, lane) === null
  }
  return candidates(channel, lane).find(mayUse) ?? null
}

export interface Tally {
  readonly running: number
  readonly left: number
}

/** Minimum number of failing lanes that halts a wave: one or two may have hardware defects. */
const MIN_LEFT = 3
const MAX_LEFT_PERCENT = 2

export function tallyOf(reports: readonly Pick<Report, 'outcome'>[]): Tally {
  const running = reports.filter(({ outcome }) => outcome === 'running').length
  return { running, left: reports.length - running }
}

/**
 * Returns the tally of the reports since a wave was resumed, without the reports of `before`, which the installer who
 * resumed the wave has seen.
 */
export const tallySince = (now: Tally, before: Tally | null): Tally => ({
  running: Math.max(0, now.running - (before?.running ?? 0)),
  left: Math.max(0, now.left - (before?.left ?? 0)),
})

/**
 * Returns whether a wave must be halted: at least three lanes reported another outcome than `running`, and they are
 * more than 2 % of the lanes that reported.
 */
export const stopsWave = ({ running, left }: Tally): boolean =>
  left >= MIN_LEFT && left * 100 > MAX_LEFT_PERCENT * (running + left)
