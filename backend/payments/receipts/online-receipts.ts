import { ONLINE_PATHS, PutOnlineAnswer, type PutOnlineReceipt } from '../../../contracts/store/online-receipts.ts'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { newOnlineToken, onlineIdOf, sealOnlineReceipt } from '../../../packages/delivery/online-receipt.ts'
import { type Ctx, bound, perLane } from '../../core/context.ts'
import type { Tx } from '../../core/db/transact.ts'
import { isStopping, onStart, onStop, runLater } from '../../core/lifecycle.ts'
import { forScreen } from '../../core/paper/document.ts'
import { storeLinkOf } from '../../store/store-link.ts'
import { type LinkRow, linkRowsOf } from '../rows/receipt-delivery.sql.ts'
import { receiptRowsOf } from '../rows/receipts.sql.ts'

const DAY_MS = 24 * 3_600_000
const RETRY_MS = 30_000

const stateOf = perLane((ctx: Ctx) => {
  const state = { running: null as Promise<void> | null, cancel: (): void => undefined }
  onStart(ctx, () => {
    storeLinkOf(ctx)?.events.on('reached', () => wake(ctx))
    wake(ctx)
  })
  onStop(ctx, () => state.running)
  return state
})

/** Returns the profile's setting of online receipts; undefined without it or without a store server. */
const settingOf = (ctx: Ctx) => (storeLinkOf(ctx) === null ? undefined : ctx.profile.receipt.online)

/** Gives a completed sale an address, in the transaction that completes it. */
function create(ctx: Ctx, tx: Tx, saleId: string): void {
  const setting = settingOf(ctx)
  if (setting === undefined) return
  const expiresAt = ctx.clock.now() + setting.days * DAY_MS
  linkRowsOf(ctx).insert(tx, { saleId, token: newOnlineToken(), expiresAt })
  ctx.transact.afterCommit(() => wake(ctx))
}

/** Returns the address of a receipt until it expires; null without one. */
function addressOf(ctx: Ctx, saleId: string): string | null {
  const { online } = ctx.profile.receipt
  const token = online === undefined ? null : linkRowsOf(ctx).tokenOf(saleId, ctx.clock.now())
  return online === undefined || token === null ? null : `${online.url}/${token}`
}

function wake(ctx: Ctx): void {
  const state = stateOf(ctx)
  state.cancel()
  if (settingOf(ctx) === undefined || isStopping(ctx)) return
  state.running ??= handOverAll(ctx)
    .catch((error: unknown) => {
      ctx.log.error({ err: error }, 'receipts could not be sent to the store server')
    })
    .finally(() => {
      state.running = null
      const isWaiting = !isStopping(ctx) && linkRowsOf(ctx).waiting(ctx.clock.now()).length > 0
      if (isWaiting) state.cancel = runLater(ctx, RETRY_MS, () => wake(ctx))
    })
}

async function handOverAll(ctx: Ctx): Promise<void> {
  const links = linkRowsOf(ctx)
  ctx.transact((tx) => links.removeExpired(tx, ctx.clock.now()))
  for (let [link] = links.waiting(ctx.clock.now()); link && !isStopping(ctx); [link] = links.waiting(ctx.clock.now()))
    if (!(await handOver(ctx, link))) return
}

/** Sends one receipt without its balances. Returns false if the store server did not store it. */
async function handOver(ctx: Ctx, { saleId, token, expiresAt }: LinkRow): Promise<boolean> {
  const [original] = receiptRowsOf(ctx).ofDocument(saleId)
  if (original !== undefined) {
    const document = forScreen(original.document)
    const body: PutOnlineReceipt = {
      protocol: STORE_PROTOCOL,
      id: onlineIdOf(token),
      expiresAt,
      sealed: sealOnlineReceipt(token, document).toString('base64'),
    }
    const result = await storeLinkOf(ctx)?.send(ONLINE_PATHS.put, body, PutOnlineAnswer)
    if (result?.kind !== 'answer') return false
  }
  ctx.transact((tx) => linkRowsOf(ctx).handOver(tx, saleId, ctx.clock.now()))
  return true
}

/** Receipts that a customer opens by QR code. The store server serves them; an offline lane sends them later. */
export const onlineReceiptsOf = perLane((ctx: Ctx) => {
  stateOf(ctx)
  return bound(ctx, { create, addressOf })
})
