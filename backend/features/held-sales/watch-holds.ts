import type { Clock } from '../../clock.ts'
import type { StoreLink } from '../../store/store-link.ts'
import type { HoldsStand, SeenHolds } from './seen-holds.ts'

/** How often a server that does not say when held sales change is asked, and how soon a failed call is repeated. */
const LOOK_MS = 2_000

export interface WatchHoldsOptions {
  readonly link: Pick<StoreLink, 'state' | 'events' | 'holdsVersion'>
  readonly clock: Pick<Clock, 'after'>
  readonly seen: Pick<SeenHolds, 'all' | 'look'>
  /** Something has come or gone, or is being resumed; or lanes are awaited, or no more. */
  readonly onChange: () => void
}

/** Looks after what other lanes put on hold, so that a cashier is told of it who asked for nothing. */
export function watchHolds({ link, clock, seen, onChange }: WatchHoldsOptions) {
  let shown: string | null = null
  let stopped = false
  let isLooking = false
  /** The version that the server had named before the last answer. */
  let looked: string | null = null
  let callOff: () => void = () => undefined

  async function look(): Promise<void> {
    if (isLooking || stopped) return
    isLooking = true
    callOff()
    const version = link.holdsVersion()
    if (link.state().kind === 'connected' && (version === null || version !== looked)) {
      const stands = await seen.look()
      if (stands.kind !== 'away') {
        looked = version
        take(stands)
      }
    }
    isLooking = false
    if (!stopped) callOff = clock.after(LOOK_MS, () => void look())
  }

  function take(stands: HoldsStand): void {
    const holds = seen.all()
    const now = JSON.stringify([stands, holds.map(({ sale, claimedBy, copiedAt }) => [sale, claimedBy, copiedAt])])
    if (stopped || now === shown) return
    const isFirst = shown === null && holds.length === 0 && stands.kind === 'lends'
    shown = now
    if (!isFirst) onChange()
  }

  return {
    start(): void {
      if (link.state().kind === 'none') return
      link.events.on('holds', look)
      void look()
    },
    stop(): void {
      stopped = true
      link.events.off('holds', look)
      callOff()
    },
  }
}
