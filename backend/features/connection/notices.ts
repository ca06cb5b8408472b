import type { CentralState } from '../../../contracts/api/diagnostics.ts'
import type { TerminalEvent } from '../../../contracts/events.ts'
import type { ConnectionSettings } from '../../../contracts/profile.ts'
import type { CentralStatus } from '../../central-status.ts'
import { isoOf, type Clock } from '../../clock.ts'

/**
 * Says that the program's services are gone, once they have been for a while, and that they are back, where it was said
 * that they are gone. A blip is neither.
 */
export function createCentralNotices(options: {
  readonly central: Pick<CentralStatus, 'onChange'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** As they stand when they are asked. */
  readonly settings: () => Pick<ConnectionSettings, 'noticeAfterMs' | 'sound'>
  readonly publish: (event: TerminalEvent) => void
}): { stop(): void } {
  const { clock, publish, settings } = options
  let goneSince: number | null = null
  let told = false
  let callOff: (() => void) | null = null
  let state: CentralState = 'unknown'

  const tell = (now: 'gone' | 'back', sinceMs: number): void => {
    publish({ type: 'central-turned', now, state, since: isoOf(sinceMs), sound: settings().sound })
  }

  options.central.onChange((next) => {
    state = next
    if (next === 'online') {
      callOff?.()
      callOff = null
      if (told) tell('back', goneSince ?? clock.now())
      goneSince = null
      told = false
      return
    }
    // Gone in another way is the same absence.
    if (goneSince !== null) return
    const since = clock.now()
    goneSince = since
    callOff = clock.after(settings().noticeAfterMs, () => {
      callOff = null
      told = true
      tell('gone', since)
    })
  })
  return {
    stop() {
      callOff?.()
      callOff = null
    },
  }
}
