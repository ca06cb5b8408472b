import { type StoreLink } from '../../store/store-link.ts'
import { HOLD_PATHS, HoldList, type ListHolds, type StoredHold } from '../../../contracts/store/holds.ts'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import type { Asked } from '../../store/channel.ts'
import type { Ctx } from '../../core/context.ts'

/** How often a server that does not say when held sales change is asked, and how soon a failed call is repeated. */
const LOOK_MS = 2_000

/** Looks after what other lanes put on hold, so that a cashier is told of it who asked for nothing. */
export function watchHolds(ctx: Ctx, link: StoreLink, seen: Pick<SeenHolds, 'all' | 'look'>) {
  const { clock } = ctx
  const onChange = () => ctx.publish({ type: 'held-sales-changed' })
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
