import { HOLD_PATHS, HoldList, type StoredHold } from '../../../contracts/store/holds.ts'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import type { Clock } from '../../clock.ts'
import type { StoreLink } from '../../store/store-link.ts'

/** How often the store is asked what is on hold, in milliseconds; nobody waits for it. */
const LOOK_MS = 2_000

export interface WatchHoldsOptions {
  readonly link: Pick<StoreLink, 'state' | 'tell'>
  readonly clock: Pick<Clock, 'after'>
  /** All that is on hold, with the goods: what a lane rings as a copy while the store is away. */
  readonly onHeard: (holds: readonly StoredHold[]) => void
  /** Something has come or gone, or is being resumed. */
  readonly onChange: () => void
}

/** Looks after what other lanes put on hold, so that a cashier is told of it who asked for nothing. */
export function watchHolds({ link, clock, onHeard, onChange }: WatchHoldsOptions) {
  let seen: string | null = null
  let stopped = false
  let callOff: () => void = () => undefined

  async function look(): Promise<void> {
    if (link.state().kind === 'connected') {
      const heard = await link.tell(HOLD_PATHS.list, { protocol: STORE_PROTOCOL }, HoldList)
      if (heard.kind === 'answer') take(heard.body.holds)
    }
    if (!stopped) callOff = clock.after(LOOK_MS, () => void look())
  }

  function take(holds: readonly StoredHold[]): void {
    onHeard(holds)
    const now = JSON.stringify(holds.map(({ sale, claimedBy, copiedAt }) => [sale, claimedBy, copiedAt]))
    if (stopped || now === seen) return
    const isFirst = seen === null && holds.length === 0
    seen = now
    if (!isFirst) onChange()
  }

  return {
    start(): void {
      if (link.state().kind !== 'none') void look()
    },
    stop(): void {
      stopped = true
      callOff()
    },
  }
}
