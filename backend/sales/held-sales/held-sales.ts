import type { HeldSale, HeldSales, ResumeSale } from '../../../contracts/sales/held-sales.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'
import { MAX_HOLDS, type StoredHold } from '../../../contracts/store/holds.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { isoOf } from '../../core/clock.ts'
import type { Tx } from '../../core/db/transact.ts'
import { ProblemError } from '../../core/problem.ts'
import { lanesAwaited } from '../../store/lease.ts'
import { type Who, guardOf } from '../approvals/guard.ts'
import { refuseStale, salesOf } from '../sales.ts'
import { differencesOf, heldFactsOf, partsWith, pricedToday, ringHeld } from './content.ts'
import { type HeldRow, IN_STORE, RESUMED_BEFORE, heldSaleRowsOf, storeHoldRowsOf } from './held-sales.sql.ts'
import { type Granted, type StoreHolds, storeHoldsOf } from './store-holds.ts'
import { custodyOf } from '../drawer.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { runLater } from '../../core/lifecycle.ts'

type Elsewhere = Extract<HeldSale['where'], 'store' | 'away' | 'awaited'>
const WHERE = { available: 'store', awaiting: 'awaited', unavailable: 'away' } as const satisfies Record<
  string,
  Elsewhere
>

interface Resuming {
  readonly asks: ResumeSale
  readonly who: Who
  readonly markDone: (tx: Tx) => void
}
const DECIDES: ReadonlySet<string> = new Set([
  'held-sale-differs',
  'approval-required',
  'approver-not-allowed',
  'not-permitted',
])
const DECIDES_MS = 60_000

const heldSalesStateOf = perLane(() => {
  return {
    asked: null as { readonly sale: SaleId; readonly granted: Granted; readonly callOff: () => void } | null,
  }
})

function freeNumber(ctx: Ctx): string {
  const taken = new Set(
    [...rowsHere(ctx), ...(storeHoldsOf(ctx)?.seen() ?? []).map(({ name }) => ({ heldAs: name }))].map(nameOf),
  )
  let number = 1
  while (taken.has(String(number))) number += 1
  return String(number)
}

const rowsHere = (ctx: Ctx): HeldRow[] => [
  ...heldSaleRowsOf(ctx).list(ctx.lane.id),
  ...heldSaleRowsOf(ctx).list(IN_STORE),
]

const nameOf = ({ heldAs }: Pick<HeldRow, 'heldAs'>): string => heldAs

const here = (ctx: Ctx): HeldSale[] =>
  heldSaleRowsOf(ctx)
    .list(ctx.lane.id)
    .map((row) => rowOf(ctx, row, 'here'))

function rowOf(ctx: Ctx, row: HeldRow, where: HeldSale['where']): HeldSale {
  const parts = salesOf(ctx).parts(row.id)
  return {
    id: row.id,
    version: parts.sale.version,
    name: row.heldAs,
    heldAt: isoOf(row.heldAt),
    ...heldFactsOf(row, parts, { taxes: storeTaxesOf(ctx), staffName: ctx.staffName }),
    lane: ctx.lane.id,
    where,
    takenBy: null,
    copiedAt: null,
  }
}

function storedRow(ctx: Ctx, { sale, claimedBy, heldAt, totalCents, ...hold }: StoredHold, where: Elsewhere): HeldSale {
  const sales = salesOf(ctx)
  return {
    id: sale,
    version: sales.exists(sale) ? sales.row(sale).version : 0,
    name: hold.name,
    heldAt: isoOf(heldAt),
    itemCount: hold.itemCount,
    totalCents: cents(totalCents),
    memberLast4: hold.memberLast4,
    cashier: hold.cashier,
    lane: hold.lane,
    where: where === 'store' && claimedBy !== null ? 'taken' : where,
    takenBy: claimedBy,
    copiedAt: hold.copiedAt,
  }
}

function resumeHere(ctx: Ctx, id: SaleId, version: number, actorId: string, markDone: (tx: Tx) => void): Sale {
  const sales = salesOf(ctx)
  const held = storeHoldRowsOf(ctx)
  ctx.transact((tx) => {
    const sale = sales.row(id)
    if (sale.state !== 'held') throw new ProblemError('sale-not-held')
    refuseStale(sale, version)
    if (sales.currentId() !== null) throw new ProblemError('sale-open-already')
    const offered = held.openOf(id)
    if (offered) held.become(tx, offered.id, 'kept')
    reopen(ctx, tx, id, actorId)
    markDone(tx)
  })
  storeHoldsOf(ctx)?.kick()
  return shown(ctx, id)
}

function reopen(ctx: Ctx, tx: Tx, id: SaleId, actorId: string): void {
  heldSaleRowsOf(ctx).resume(tx, id)
  salesOf(ctx).voidBlocked(tx, id, actorId)
  salesOf(ctx).touch(tx, id)
  ctx.audit.record(tx, { kind: 'sale-resumed', actorId, subject: id })
}

function shown(ctx: Ctx, id: SaleId): Sale {
  return salesOf(ctx).publish(id, 'hold')
}

/**
 * Keeps a reservation while the cashier chooses the prices, and releases it after a timeout. After a stop, the next
 * start releases it.
 */
function holdReservation(ctx: Ctx, sale: SaleId, granted: Granted): void {
  const state = heldSalesStateOf(ctx)
  const callOff = runLater(ctx, DECIDES_MS, () => {
    state.asked = null
    storeHoldsOf(ctx)?.back(granted.reservationId)
  })
  state.asked = { sale, granted, callOff }
}

function takeAsked(ctx: Ctx, sale: SaleId): Granted | null {
  const state = heldSalesStateOf(ctx)
  if (state.asked === null) return null
  const reservation = state.asked
  state.asked = null
  reservation.callOff()
  if (reservation.sale === sale) return reservation.granted
  storeHoldsOf(ctx)?.back(reservation.granted.reservationId)
  return null
}

/**
 * Reserves a held sale at the store server, which grants it to one lane only. Then resumes the sale. If that fails, it
 * releases the reservation or, while a person has to decide, keeps it for `DECIDES_MS`.
 */
async function resumeFromStore(ctx: Ctx, id: SaleId, resuming: Resuming): Promise<Sale> {
  const store = storeHoldsOf(ctx)
  if (!store?.isOn()) throw new ProblemError('sale-not-held')
  if (salesOf(ctx).currentId() !== null) throw new ProblemError('sale-open-already')
  custodyOf(ctx).require()
  const granted = takeAsked(ctx, id) ?? (await reserved(store, id, resuming.who.actorId))
  try {
    return shown(
      ctx,
      ctx.transact((tx) => moveToLane(ctx, tx, id, granted, resuming)),
    )
  } catch (error) {
    if (error instanceof ProblemError && DECIDES.has(error.code)) holdReservation(ctx, id, granted)
    else store.back(granted.reservationId)
    throw error
  }
}

async function reserved(from: StoreHolds, id: SaleId, actorId: string): Promise<Granted> {
  const answer = await from.reserve(id, actorId)
  switch (answer.kind) {
    case 'yours':
      return answer
    case 'taken':
      throw new ProblemError('held-sale-taken', [{ path: 'lane', message: answer.lane }])
    case 'gone':
      throw new ProblemError('sale-not-held')
    case 'unavailable':
      throw new ProblemError('held-sale-away')
    case 'awaiting':
      throw lanesAwaited('held-sale-lanes-awaited', answer.lanes)
  }
}

function moveToLane(ctx: Ctx, tx: Tx, id: SaleId, granted: Granted, { asks, who, markDone }: Resuming): SaleId {
  const held = storeHoldRowsOf(ctx)
  if (salesOf(ctx).currentId() !== null) throw new ProblemError('sale-open-already')
  let ownId = id
  if (isRowHere(ctx, id)) {
    held.end(tx, id, null)
    held.place(tx, id, ctx.lane.id)
    reopen(ctx, tx, id, who.actorId)
  } else ownId = ringAgain(ctx, tx, id, granted, asks, who)
  storeHoldsOf(ctx)?.done(tx, granted.reservationId, ownId)
  markDone(tx)
  return ownId
}

/**
 * Rings another lane's held sale at this lane's prices, or at the held prices with the necessary approvals. Throws
 * ProblemError `held-sale-differs` if the prices differ and the cashier has not chosen, or chose the held prices for
 * another difference.
 */
function ringAgain(ctx: Ctx, tx: Tx, id: SaleId, { content, collector }: Granted, asks: ResumeSale, who: Who): SaleId {
  const sales = salesOf(ctx)
  const guard = guardOf(ctx)
  const both = pricedToday(ctx, content)
  const actions = differencesOf(both)
  const prices = actions.length === 0 ? 'today' : asks.prices
  const { id: ownId } = sales.openSale(tx)
  const empty = sales.parts(ownId)
  const facts = { ...guard.changeOf(partsWith(empty, both.today), partsWith(empty, both.held)), saleId: id }
  let approvedBy: string | null = null
  if (actions.length > 0 && prices !== 'today') {
    const request = guard.requestOf(actions, facts)
    if (prices === undefined || asks.covers !== request.covers)
      throw new ProblemError('held-sale-differs', undefined, { approval: request })
    ;({ approvedBy } = guard.needAll(actions, who, facts))
  }
  ringHeld(ctx, tx, both[prices ?? 'today'], collector, approvedBy)
  sales.voidBlocked(tx, ownId, who.actorId)
  ctx.audit.record(tx, {
    kind: 'sale-resumed',
    actorId: who.actorId,
    subject: ownId,
    detail: { from: id, ...(actions.length === 0 ? {} : { prices: prices ?? 'today' }) },
  })
  return ownId
}

/** Rings one item of a held sale. Returns false if it is rejected; a savepoint then removes its changes. */
function rung(ctx: Ctx, { sku, quantity, unitPriceCents, packPieces, measure }: StoredHold['goods'][number]): boolean {
  try {
    ctx.transact(() =>
      measure
        ? salesOf(ctx).ringMeasured(sku, { measure, unitPriceCents })
        : packPieces == null
          ? salesOf(ctx).ringSku(sku, quantity, cents(unitPriceCents))
          : salesOf(ctx).ringPack(sku, packPieces, quantity),
    )
    return true
  } catch (error) {
    if (error instanceof ProblemError) return false
    throw error
  }
}

function goodsOf(ctx: Ctx, id: SaleId): StoredHold['goods'] | null {
  if (!isRowHere(ctx, id))
    return (
      storeHoldsOf(ctx)
        ?.seen()
        .find(({ sale }) => sale === id)?.goods ?? null
    )
  const { sale, lines } = salesOf(ctx).parts(id)
  return sale.state === 'held' && sale.lane === IN_STORE
    ? lines.filter(({ voided, chargeOf }) => voided === 0 && chargeOf === null)
    : null
}

function isRowHere(ctx: Ctx, id: SaleId): boolean {
  const sales = salesOf(ctx)
  return sales.exists(id) && sales.row(id).lane !== RESUMED_BEFORE
}

function placeOf(ctx: Ctx, id: SaleId): string {
  return isRowHere(ctx, id) ? salesOf(ctx).row(id).lane : IN_STORE
}

/**
 * Whether a sale that the store server lists is still on hold. If this lane has ended it, the server may not know that
 * yet.
 */
function isStillInStore(ctx: Ctx, id: SaleId): boolean {
  return placeOf(ctx, id) === IN_STORE
}

/** Lists this lane's held sales, and those of other lanes as the store server last sent them. */
async function list(ctx: Ctx): Promise<HeldSales> {
  const store = storeHoldsOf(ctx)
  const state = store === null ? ({ kind: 'unavailable' } as const) : await store.currentState()
  const seen = store?.seen() ?? []
  const stored = seen.filter(({ sale }) => isStillInStore(ctx, sale))
  const listed = new Set(stored.map(({ sale }) => sale))
  const where: Elsewhere = WHERE[state.kind]
  // The list of the store server has a maximum length: a sale that is not on a full list may still be held there.
  const unlisted = where === 'store' && seen.length < MAX_HOLDS ? 'away' : where
  const sales = [
    ...here(ctx),
    ...heldSaleRowsOf(ctx)
      .list(IN_STORE)
      .flatMap((row) => (listed.has(row.id) ? [] : [rowOf(ctx, row, unlisted)])),
    ...stored.map((hold) => storedRow(ctx, hold, where)),
  ]
  return {
    sales: sales.toSorted((one, other) => one.heldAt.localeCompare(other.heldAt)),
    awaits: state.kind === 'awaiting' ? lanesAwaited('held-sale-lanes-awaited', state.lanes).messages() : null,
  }
}

/** Puts an open sale on hold. Throws ProblemError `sale-empty`, `sale-held-by-redemption` or `sale-paid-on`. */
const hold = (ctx: Ctx, id: string, version: number, name: string | undefined, who: Who): Sale =>
  salesOf(ctx).command(id, version, 'hold', (tx, now) => {
    if (!now.lines.some((line) => line.voided === 0)) throw new ProblemError('sale-empty')
    salesOf(ctx).refuseDuringPayment(now)
    if (
      now.tenders.length > 0 ||
      (now.redemption && now.redemption.state !== 'declined' && now.redemption.state !== 'reversed')
    )
      throw new ProblemError('sale-paid-on')
    guardOf(ctx).whole('hold', now, who)
    heldSaleRowsOf(ctx).hold(tx, id, ctx.clock.now(), name ?? freeNumber(ctx), who.actorId)
    ctx.audit.record(tx, { kind: 'sale-held', actorId: who.actorId, subject: id })
    ctx.transact.afterCommit(() => storeHoldsOf(ctx)?.kick())
  })

/**
 * Resumes a held sale. Throws ProblemError `sale-not-held`, `sale-stale`, `sale-open-already` while the lane rings
 * another sale, `held-sale-taken` where another lane has the sale, `held-sale-away` where the store server does not
 * answer, `held-sale-lanes-awaited` where the server waits for reports of lanes, or `held-sale-differs` where the
 * cashier has to choose between the held prices and today's.
 */
function resume(ctx: Ctx, id: SaleId, asks: ResumeSale, who: Who, markDone: (tx: Tx) => void): Sale | Promise<Sale> {
  const here = placeOf(ctx, id)
  if (here === ctx.lane.id) return resumeHere(ctx, id, asks.version, who.actorId, markDone)
  if (here !== IN_STORE) throw new ProblemError('sale-not-held')
  return resumeFromStore(ctx, id, { asks, who, markDone })
}

/**
 * Returns the sale of a resume command that was interrupted by a restart. Throws ProblemError `sale-not-held` without
 * an open sale.
 */
function resumed(ctx: Ctx): Sale {
  const open = salesOf(ctx).current()
  if (open === null) throw new ProblemError('sale-not-held')
  return open
}

/**
 * Rings the goods of a held sale as a copy at today's prices, if the sale cannot be resumed while its customer waits.
 * The held sale stays, and is marked as copied once the store server is online. Throws ProblemError `sale-not-held`,
 * `sale-open-already`, or `item-unknown` if no item can be rung.
 */
function copy(ctx: Ctx, id: SaleId, actorId: string): { sale: Sale; missing: number } {
  const store = storeHoldsOf(ctx)
  const sales = salesOf(ctx)
  const goods = goodsOf(ctx, id)
  if (store === null || goods === null) throw new ProblemError('sale-not-held')
  let missing = 0
  const ownId = ctx.transact((tx) => {
    if (sales.currentId() !== null) throw new ProblemError('sale-open-already')
    for (const line of goods) if (!rung(ctx, line)) missing += 1
    const open = sales.currentId()
    if (open === null) throw new ProblemError('item-unknown')
    storeHoldRowsOf(ctx).copy(tx, open, id)
    ctx.audit.record(tx, { kind: 'sale-copied', actorId, subject: open, detail: { from: id } })
    return open
  })
  store.kick()
  return { sale: sales.view(ownId), missing }
}

/**
 * Holds and resumes sales. A sale with a payment cannot be held, because its redemption could only be reversed until
 * 03:00 (specification 3 §4.5), and that time could pass unnoticed.
 */
export const heldSalesOf = perLane((ctx: Ctx) => {
  heldSalesStateOf(ctx)
  return bound(ctx, {
    here,
    resumeHere,
    list,
    hold,
    resume,
    resumed,
    copy,
  })
})
