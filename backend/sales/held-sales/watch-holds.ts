import { HOLD_PATHS, HoldList, type StoredHold } from '../../../contracts/store/holds.ts'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { isStopping, runLater } from '../../core/lifecycle.ts'
import type { StoreResult } from '../../store/channel.ts'
import { storeOf } from '../../store/store-link.ts'

/** Interval in ms between requests to a store server that sends no notifications, and between retries. */
const CHECK_MS = 2_000

const watchingOf = perLane((ctx) => ({
  shown: null as string | null,
  isLooking: false,
  looked: null as string | null,
  callOff: (): void => undefined,
  onNews: () => void refresh(ctx),
}))

async function refresh(ctx: Ctx): Promise<void> {
  const state = watchingOf(ctx)
  const link = storeOf(ctx)
  if (state.isLooking || isStopping(ctx)) return
  state.isLooking = true
  state.callOff()
  const version = link.holdsVersion()
  if (link.state().kind === 'connected' && (version === null || version !== state.looked)) {
    const holds = await seenHoldsOf(ctx).refresh()
    if (holds.kind !== 'unavailable') {
      state.looked = version
      show(ctx, holds)
    }
  }
  state.isLooking = false
  state.callOff = runLater(ctx, CHECK_MS, state.onNews)
}

function show(ctx: Ctx, server: HoldsState): void {
  const state = watchingOf(ctx)
  const holds = seenHoldsOf(ctx).all()
  const now = JSON.stringify([server, holds.map(({ sale, claimedBy, copiedAt }) => [sale, claimedBy, copiedAt])])
  if (isStopping(ctx) || now === state.shown) return
  const isFirst = state.shown === null && holds.length === 0 && server.kind === 'available'
  state.shown = now
  if (!isFirst) ctx.publish({ type: 'held-sales-changed' })
}

export function startWatching(ctx: Ctx): void {
  const { onNews } = watchingOf(ctx)
  storeOf(ctx).events.on('holds', onNews)
  onNews()
}

/** After a restore of the store database: the server grants no reservation before these lanes have reported. */
export interface Awaiting {
  readonly kind: 'awaiting'
  readonly lanes: readonly string[]
}
/** Whether held sales can be resumed. `available`: the store server grants them; `unavailable`: it does not answer. */
export type HoldsState = Awaiting | { readonly kind: 'available' | 'unavailable' }

/** The held sales of all lanes, as last received from the store server, which sends the list only if it changed. */
export const seenHoldsOf = perLane((ctx) => {
  const link = storeOf(ctx)
  let holds: readonly StoredHold[] = []
  let version: string | undefined
  const request = () => ({ protocol: STORE_PROTOCOL, ...(version !== undefined && { known: version }) })

  function take(answer: StoreResult<HoldList>): HoldsState {
    if (answer.kind !== 'answer') return { kind: 'unavailable' }
    const { body } = answer
    if (body.unchanged !== true) {
      holds = body.holds
      version = body.version
    }
    return body.awaits === true ? { kind: 'awaiting', lanes: body.awaitedLanes ?? [] } : { kind: 'available' }
  }

  return {
    all: (): readonly StoredHold[] => holds,
    ask: async (): Promise<HoldsState> => take(await link.ask(HOLD_PATHS.list, request(), HoldList)),
    refresh: async (): Promise<HoldsState> => take(await link.send(HOLD_PATHS.list, request(), HoldList)),
  }
})
