import type { Sale } from '../../contracts/api/sales.ts'
import type { TerminalEvent } from '../../contracts/events.ts'
import type { Notice } from '../state/notices.ts'
import { outcomeOf } from '../state/sale.ts'
import type { Cue } from './tunes.ts'

/** The sound of what the backend has told, or null. */
export function cueOfEvent(event: TerminalEvent): Cue | null {
  switch (event.type) {
    case 'sale-changed':
      return event.cause === 'scan' ? 'scan-ok' : null
    case 'scan-unknown':
    case 'scan-unreadable':
      return 'scan-unknown'
    case 'card-read':
      return 'card-read'
    case 'card-refused':
    case 'scan-refused':
    case 'goods-asked':
    case 'approval-asked':
    case 'stopped':
      return 'error'
    case 'central-turned':
      return event.sound ? `central-${event.now}` : null
    default:
      return null
  }
}

/** The sound of an outcome that a sale has come to, however it was heard of: an answer or an event. */
export function cueOfChange(before: Sale | null, now: Sale | null): Cue | null {
  const redemption = now?.redemption
  if (!redemption || before?.id !== now.id || before.redemption?.state === redemption.state) return null
  const outcome = outcomeOf(redemption)
  return outcome === 'approved' ? 'approved' : outcome === 'failed' ? 'not-applied' : null
}

/** The sound of a problem that was put on the screen. */
export const cueOfNotices = (before: readonly Notice[], now: readonly Notice[]): Cue | null =>
  now.some((notice) => notice.tone === 'danger' && !before.includes(notice)) ? 'error' : null
