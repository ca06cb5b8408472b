import type { EchoResult } from '../../../contracts/api/diagnostics.ts'
import { beaten, FIRST_HEARTBEAT, isLeftOut, leftOut } from '../../central/heartbeat.ts'
import { NOT_NOW } from '../../central/retry-after.ts'
import { spread } from '../../central/waits.ts'
import type { Rng } from '../../clock.ts'
import type { Logger } from '../../log.ts'

export interface ListeningOptions {
  /** How far apart the beats are on average, in ms; a manager may set it anew. */
  readonly intervalMs: () => number
  /** Whether the cash service can take a call that nobody misses. */
  readonly admits: () => boolean
  readonly runEcho: () => Promise<EchoResult>
  /** Done at every beat, whether the service is asked or not. */
  readonly lookAtClock: () => void
  readonly rng: Pick<Rng, 'fraction'>
  readonly log: Logger
}

/**
 * Asks from time to time whether the services answer, less often while they are slow, and looks at the clock with it.
 */
export function createListening({ intervalMs, admits, runEcho, lookAtClock, rng, log }: ListeningOptions) {
  let heartbeat = FIRST_HEARTBEAT
  async function ask(): Promise<void> {
    const { httpStatus, latencyMs } = await runEcho()
    if (httpStatus === null || latencyMs === null) return
    heartbeat = beaten(heartbeat, { isTurnedAway: NOT_NOW.has(httpStatus), latencyMs }, rng.fraction())
  }
  const look = (): void => {
    lookAtClock()
    if (isLeftOut(heartbeat)) {
      heartbeat = leftOut(heartbeat)
      return
    }
    if (!admits()) return
    ask().catch((error: unknown) => {
      log.error({ err: error }, 'the echo could not be recorded')
    })
  }
  let echoMs = intervalMs()
  const again = (): NodeJS.Timeout =>
    setTimeout(
      () => {
        timer = again()
        look()
      },
      spread(echoMs, rng.fraction()),
    )
  let timer = again()
  return {
    look,
    settingsChanged(): void {
      if (intervalMs() === echoMs) return
      echoMs = intervalMs()
      clearTimeout(timer)
      timer = again()
    },
    stop(): void {
      clearTimeout(timer)
    },
  }
}
