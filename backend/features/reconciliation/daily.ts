import type { Clock } from '../../clock.ts'
import type { Logger } from '../../log.ts'
import type { Reconciliation } from './service.ts'

const LOOK_MS = 60_000

export interface DailyReportsOptions {
  readonly reconciliation: Pick<Reconciliation, 'makeDue'>
  readonly clock: Clock
  readonly isStopped: () => boolean
  readonly log: Logger
}

/**
 * Makes the report of each day that is over by itself, within a minute or at the next start: only a day that is over
 * has an original, so that nothing can be added to what was sent.
 */
export function createDailyReports({ reconciliation, clock, isStopped, log }: DailyReportsOptions) {
  let callOff: (() => void) | null = null

  function look(): void {
    try {
      if (!isStopped() && reconciliation.makeDue() > 0)
        log.info('reconciliation reports of days that are over were made')
    } catch (error) {
      log.error({ err: error }, 'the reconciliation report of a day could not be made')
    }
    callOff = clock.after(LOOK_MS, look)
  }

  return {
    start: look,
    stop(): void {
      callOff?.()
    },
  }
}
