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

export interface LaneStart {
  readonly profile: Profile
  readonly profileFile: string
  /** Whether the profile comes from a file, so that names in it must exist in its catalog. */
  readonly checkNames?: boolean
  readonly lane: LaneSettings
  readonly folder: DataFolder
  readonly endpoints: NonNullable<Profile['endpoints']>
  /** Client secret; null on a lane that is not enrolled yet, where no one has a PIN and no service is called. */
  readonly clientSecret: string | null
  readonly practice?: TrainingServices | null
  readonly staticRoot: string | null
  readonly allowedHosts: () => readonly string[]
  readonly allowedOrigins?: () => readonly string[]
  /** Whether the folder's sealing key comes from a key store; an enrolment then puts the client secret there too. */
  readonly keyStore?: boolean
  readonly restart?: () => void
  readonly restartForUpdate?: () => void
  /** Called when a launch link was used too late, or when a page without a session asks for a link. */
  readonly onLinkRequested: (page: WindowPage) => void
  readonly version: string
  readonly clock: Clock
  readonly rng: Rng
  readonly log: Logger
  readonly logCounts?: LogCounts
  /** False in tests, which close hundreds of lanes: no backup is made at close. */
  readonly backsUpAtClose?: false
  /** For tests that end the process at a chosen step: observes the steps, and wraps every exchange with a service. */
  readonly seams?: {
    readonly observer: StepObserver
    readonly around: (exchange: Exchange) => Exchange
    /** Random source that decides which calls the throttle holds back; default: the system's. */
    readonly luck?: Pick<Rng, 'fraction'>
  }
}

export interface LaneProgram extends LaneStart {
  readonly dataFolder: string
  readonly startedAt: number
}

export const programOf = provided<LaneProgram>('the program')

/** Client of the reference services' control port, which sets their faults; null outside of training. */
export const practiceOf = perLane((ctx) => (ctx.profile.mode === 'training' ? (programOf(ctx).practice ?? null) : null))
