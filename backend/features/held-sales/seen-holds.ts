import { HOLD_PATHS, HoldList, type ListHolds, type StoredHold } from '../../../contracts/store/holds.ts'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import type { Asked } from '../../store/channel.ts'
import type { StoreLink } from '../../store/store-link.ts'

/** The store’s data was restored: it gives nothing out before these lanes have told what they did since. */
export interface Awaiting {
  readonly kind: 'awaiting'
  readonly lanes: readonly string[]
}
/** How the store stands with what it has on hold. `away`: it did not answer. */
export type HoldsStand = Awaiting | { readonly kind: 'lends' | 'away' }

export type SeenHolds = ReturnType<typeof createSeenHolds>

/** What the store has on hold of all lanes, as it said last; it says it anew only where that is another. */
export function createSeenHolds(link: Pick<StoreLink, 'ask' | 'tell'>) {
  let holds: readonly StoredHold[] = []
  let version: string | undefined

  const request = (): ListHolds => ({ protocol: STORE_PROTOCOL, ...(version !== undefined && { known: version }) })

  function take(heard: Asked<HoldList>): HoldsStand {
    if (heard.kind !== 'answer') return { kind: 'away' }
    const { body } = heard
    if (body.unchanged !== true) {
      holds = body.holds
      version = body.version
    }
    return body.awaits === true ? { kind: 'awaiting', lanes: body.awaitedLanes ?? [] } : { kind: 'lends' }
  }

  return {
    /** With the goods: what a lane rings as a copy while the store is away. */
    all: (): readonly StoredHold[] => holds,
    /** Asks, for somebody who waits. */
    ask: async (): Promise<HoldsStand> => take(await link.ask(HOLD_PATHS.list, request(), HoldList)),
    /** Asks, and nobody waits for it. */
    look: async (): Promise<HoldsStand> => take(await link.tell(HOLD_PATHS.list, request(), HoldList)),
  }
}
