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

/** What decides which release a lane takes. */
export interface LaneNow {
  readonly store: string
  readonly lane: string
  readonly platform: Platform
  /** Of the program that runs. */
  readonly version: string
  /** Of its database; null: there is none yet. */
  readonly schema: number | null
  /** Versions that failed here: not taken again. */
  readonly refused: readonly string[]
  /** It sells against the services of training, which its program brings: one without them would never come up. */
  readonly training?: boolean
}

/** Where a program brings the services of training, if it does. */
const TRAINING_SERVICES = 'central/main.js'
export const bringsTraining = ({ files }: Pick<Program, 'files'>): boolean =>
  files.some((file) => file.path === TRAINING_SERVICES)

const COHORTS = 10_000

/** Where a lane stands among all, 0 to 9,999: another place for every version, so that no store is always the first. */
export function cohortOf(version: string, store: string, lane: string): number {
  return createHash('sha256').update(`${version}\n${store}\n${lane}`).digest().readUInt32BE(0) % COHORTS
}

export const isReached = ({ version, wavePercent }: Release, { store, lane }: Pick<LaneNow, 'store' | 'lane'>) =>
  cohortOf(version, store, lane) < Math.round((wavePercent * COHORTS) / 100)

/**
 * The releases that a lane may take, the newest first: newer than what it runs, not halted, not refused here, and
 * reached by their wave. `stable` is reached by everybody.
 */
export function candidates({ releases, stable }: Channel, lane: LaneNow): Release[] {
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

/** Why a lane does not take a release that reaches it; null: it does. */
export function unfit(manifest: Facts, release: Release, lane: LaneNow): Unfit | null {
  if (manifest.version !== release.version) return 'other-version'
  const program = manifest.programs.find(({ platform }) => platform === lane.platform)
  if (program === undefined) return 'no-program'
  if (lane.training === true && !bringsTraining(program)) return 'no-training'
  if (lane.schema !== null && lane.schema < manifest.readsBack) return 'too-far'
  return lane.schema !== null && lane.schema > manifest.schema ? 'older-database' : null
}
/** `too-far`: its database is older than the program can bring up; `older-database`: it is newer than the program's. */
export type Unfit = 'other-version' | 'no-program' | 'no-training' | 'too-far' | 'older-database'

/** The newest release that the lane may take and can: one too far ahead is passed over for a version between. */
export function choose(
  channel: Channel,
  lane: LaneNow,
  manifestOf: (release: Release) => Facts | null,
): Release | null {
  const takes = (release: Release): boolean => {
    const manifest = manifestOf(release)
    return manifest !== null && unfit(manifest, release, lane) === null
  }
  return candidates(channel, lane).find(takes) ?? null
}

/** Of the lanes that reported on one version: how many run it, and how many had to leave it. */
export interface Tally {
  readonly running: number
  readonly left: number
}

/** One lane that fails may be a bad disk; so may two. */
const FEWEST_LEFT = 3
const MOST_LEFT_PERCENT = 2

/** Each report is a lane’s last word on this version: one for each lane. */
export function tallyOf(reports: readonly Pick<Report, 'outcome'>[]): Tally {
  const running = reports.filter(({ outcome }) => outcome === 'running').length
  return { running, left: reports.length - running }
}

/** What was reported after a wave was halted and let go on again: somebody has looked at what was before. */
export const tallySince = (now: Tally, before: Tally | null): Tally => ({
  running: Math.max(0, now.running - (before?.running ?? 0)),
  left: Math.max(0, now.left - (before?.left ?? 0)),
})

/** Whether a wave goes no further: three lanes at least left, and more than two in a hundred of those that reported. */
export const stopsWave = ({ running, left }: Tally): boolean =>
  left >= FEWEST_LEFT && left * 100 > MOST_LEFT_PERCENT * (running + left)
