import { perLane, provided } from '../context.ts'
import type { WindowPage } from '../../../contracts/staff/session.ts'
import type { LaneSettings, Profile } from '../../../contracts/core/profile.ts'
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
  /** Whether the profile comes from a file, so that the names in it must be in its catalog. */
  readonly checkNames?: boolean
  readonly lane: LaneSettings
  readonly folder: DataFolder
  readonly endpoints: NonNullable<Profile['endpoints']>
  /** Client secret; null on a lane that is not enrolled yet: no one has a PIN, and no service is called. */
  readonly clientSecret: string | null
  readonly practice?: TrainingServices | null
  readonly staticRoot: string | null
  readonly allowedHosts: () => readonly string[]
  readonly allowedOrigins?: () => readonly string[]
  /** Whether the sealing key of the folder comes from a key store, where the client secret belongs too. */
  readonly keyStore?: boolean
  /** Stops the program for an immediate restart; omitted without a supervisor. */
  readonly restart?: () => void
  /** Stops the program so that another version starts. */
  readonly restartForUpdate?: () => void
  /** Called when a launch link was used too late: announces a new one to the parent process. */
  readonly onLinkWanted: (page: WindowPage) => void
  readonly version: string
  readonly clock: Clock
  readonly rng: Rng
  readonly log: Logger
  /** Line counts of the log; omitted: lines are not counted. */
  readonly logCounts?: LogCounts
  /** Whether to make a backup at close; false in tests, which close hundreds of lanes. */
  readonly backsUpAtClose?: false
  /** For tests that end the process at a chosen step: an observer of the steps, and a wrapper of every exchange. */
  readonly seams?: {
    readonly observer: StepObserver
    readonly around: (exchange: Exchange) => Exchange
    /** Random source that selects the calls to throttle; default: the system's. */
    readonly luck?: Pick<Rng, 'fraction'>
  }
}

export interface LaneProgram extends LaneStart {
  readonly dataFolder: string
  readonly startedAt: number
}

export const programOf = provided<LaneProgram>('the program')

/** Control port of the reference services; null outside of training. */
export const practiceOf = perLane((ctx) => (ctx.profile.mode === 'training' ? (programOf(ctx).practice ?? null) : null))
