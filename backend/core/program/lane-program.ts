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

/** How a lane is started: what the command line, the profile and the supervisor say. */
export interface LaneStart {
  readonly profile: Profile
  readonly profileFile: string
  /** The profile is the file's own, so that what it names must be in its catalog. */
  readonly checkNames?: boolean
  readonly lane: Lane
  readonly folder: DataFolder
  readonly endpoints: NonNullable<Profile['endpoints']>
  /** Null on a lane that is still to be enrolled: nobody has a PIN, and nothing is asked of the services. */
  readonly clientSecret: string | null
  /** The reference services' control port, in training. */
  readonly practice?: TrainingServices | null
  readonly staticRoot: string | null
  readonly allowedHosts: () => readonly string[]
  readonly allowedOrigins?: () => readonly string[]
  /** The key of the folder comes from a key store, where the client secret belongs too. */
  readonly keyStore?: boolean
  /** Ends the program in order, to be started again at once; left out where nobody would. */
  readonly restart?: () => void
  /** How it ends for another version. */
  readonly restartForUpdate?: () => void
  /** A launch link came too late: tell whoever started the terminal a new one. */
  readonly onLinkWanted: (page: WindowPage) => void
  readonly version: string
  readonly clock: Clock
  readonly rng: Rng
  readonly log: Logger
  /** Of that log; left out: its lines are not counted. */
  readonly logCounts?: LogCounts
  /** Left out: a lane backs up when it closes. Tests close hundreds of them. */
  readonly backsUpAtClose?: false
  /**
   * For tests that end the process at a step of their choice: who is told of the steps, and what stands around every
   * exchange.
   */
  readonly seams?: {
    readonly observer: StepObserver
    readonly around: (exchange: Exchange) => Exchange
    /** Decides which calls are held back that nobody misses; left out: chance. */
    readonly luck?: Pick<Rng, 'fraction'>
  }
}

export interface LaneProgram extends LaneStart {
  readonly dataFolder: string
  /** Epoch ms. */
  readonly startedAt: number
}

export const programOf = provided<LaneProgram>('the program')

/** The control port of the reference services; null outside of training. */
export const practiceOf = perLane((ctx) => (ctx.profile.mode === 'training' ? (programOf(ctx).practice ?? null) : null))
