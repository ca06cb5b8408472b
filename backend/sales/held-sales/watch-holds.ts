import { HOLD_PATHS, HoldList, type StoredHold } from '../../../contracts/store/holds.ts'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { isStopping, runLater } from '../../core/lifecycle.ts'
import type { Asked } from '../../store/channel.ts'
import { storeOf } from '../../store/store-link.ts'

/** How often a server that does not say when held sales change is asked, and how soon a failed call is repeated. */
const LOOK_MS = 2_000

const watchingOf = perLane((ctx) => ({
  shown: null as string | null,
  isLooking: false,
  /** The version that the server had named before the last answer. */
  looked: null as string | null,
  callOff: (): void => undefined,
  onNews: () => void look(ctx),
}))

async function look(ctx: Ctx): Promise<void> {
  const state = watchingOf(ctx)
  const link = storeOf(ctx)
  if (state.isLooking || isStopping(ctx)) return
  state.isLooking = true
  state.callOff()
  const version = link.holdsVersion()
  if (link.state().kind === 'connected' && (version === null || version !== state.looked)) {
    const stands = await seenHoldsOf(ctx).look()
    if (stands.kind !== 'away') {
      state.looked = version
      show(ctx, stands)
    }
  }
  state.isLooking = false
  state.callOff = runLater(ctx, LOOK_MS, state.onNews)
}

function show(ctx: Ctx, stands: HoldsStand): void {
  const state = watchingOf(ctx)
  const holds = seenHoldsOf(ctx).all()
  const now = JSON.stringify([stands, holds.map(({ sale, claimedBy, copiedAt }) => [sale, claimedBy, copiedAt])])
  if (isStopping(ctx) || now === state.shown) return
  const isFirst = state.shown === null && holds.length === 0 && stands.kind === 'lends'
  state.shown = now
  if (!isFirst) ctx.publish({ type: 'held-sales-changed' })
}

/** Looks after what other lanes put on hold, so that a cashier is told of it who asked for nothing. */
export function startWatching(ctx: Ctx): void {
  const { onNews } = watchingOf(ctx)
  storeOf(ctx).events.on('holds', onNews)
  onNews()
}

/** The store’s data was restored: it gives nothing out before these lanes have told what they did since. */
export interface Awaiting {
  readonly kind: 'awaiting'
  readonly lanes: readonly string[]
}
/** How the store stands with what it has on hold. `away`: it did not answer. */
export type HoldsStand = Awaiting | { readonly kind: 'lends' | 'away' }

/** What the store has on hold of all lanes, as it said last; it says it anew only where that is another. */
export const seenHoldsOf = perLane((ctx) => {
  const link = storeOf(ctx)
  let holds: readonly StoredHold[] = []
  let version: string | undefined
  const request = () => ({ protocol: STORE_PROTOCOL, ...(version !== undefined && { known: version }) })

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
})
