import { perLane, provided } from '../context.ts'
import type { WindowPage } from '../../../contracts/staff/session.ts'
import type { Lane, Profile } from '../../../contracts/core/profile.ts'
import type { TrainingServices } from '../central/training-services.ts'
import type { Exchange } from '../central/transport.ts'
import type { Rng, Clock } from '../clock.ts'
import type { DataFolder } from './data-folder.ts'
import type { LogCounts } from '../../../contracts/core/log-fields.ts'
import type { Logger } from '../log.ts'
import type { StepObserver } from '../outbox/operation.ts'

/** Start options of a lane from the command line, the profile and the supervisor. */
export interface LaneStart {
  readonly profile: Profile
  readonly profileFile: string
  /** The profile is from a file, so its names must be in its catalog. */
  readonly checkNames?: boolean
  readonly lane: Lane
  readonly folder: DataFolder
  readonly endpoints: NonNullable<Profile['endpoints']>
  /** Null on a lane that is not enrolled yet: no one has a PIN, and no service is called. */
  readonly clientSecret: string | null
  readonly practice?: TrainingServices | null
  readonly staticRoot: string | null
  readonly allowedHosts: () => readonly string[]
  readonly allowedOrigins?: () => readonly string[]
  /** The key of the folder is from a key store, where the client secret belongs too. */
  readonly keyStore?: boolean
  /** Stops the program for an immediate restart; omitted without a supervisor. */
  readonly restart?: () => void
  /** Stops it for another version. */
  readonly restartForUpdate?: () => void
  /** A launch link was used too late: announce a new one to the parent process. */
  readonly onLinkWanted: (page: WindowPage) => void
  readonly version: string
  readonly clock: Clock
  readonly rng: Rng
  readonly log: Logger
  /** Counts of that log; omitted: lines are not counted. */
  readonly logCounts?: LogCounts
  /** False skips the backup at close, for tests, which close hundreds of lanes. */
  readonly backsUpAtClose?: false
  /** For tests that end the process at a chosen step: an observer of the steps, and a wrapper of every exchange. */
  readonly seams?: {
    readonly observer: StepObserver
    readonly around: (exchange: Exchange) => Exchange
    /** Random source that selects throttled calls; default: the system's. */
    readonly luck?: Pick<Rng, 'fraction'>
  }
}

export interface LaneProgram extends LaneStart {
  readonly dataFolder: string
  readonly startedAt: number
}

export const programOf = provided<LaneProgram>('the program')

/** The control port of the reference services; null outside of training. */
export const practiceOf = perLane((ctx) => (ctx.profile.mode === 'training' ? (programOf(ctx).practice ?? null) : null))
