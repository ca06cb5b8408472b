import {
  type Returned,
  ReserveReturnAnswer,
  type ReservationRefusal,
  type ReserveReturn,
  ReservedReturns,
  type FoundReceipt,
  FoundReceipts,
  RECEIPT_PATHS,
  ReceiptAnswer,
  ReleaseAnswer,
  CompleteStreamsAnswer,
  type StoreReceipt,
  UnrecordedAnswer,
} from '../../../contracts/store/receipts.ts'
import type { ProblemCode } from '../../../contracts/core/errors.ts'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import type { Tx } from '../../core/db/transact.ts'
import { ProblemError } from '../../core/problem.ts'
import { lanesAwaited } from '../../store/lease.ts'
import { Reservations } from '../../store/reservations.ts'
import { storeLinkOf } from '../../store/store-link.ts'
import type { SaleParts } from '../../sales/sale/sale-parts.ts'
import { foreignSale } from './foreign-sale.ts'
import { type ReservationRow, storeReturnsRepositoryOf } from '../rows/store-returns.sql.ts'
import { SaleSecret } from '../../store/store-seal.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { isStopping, onStart, runLater } from '../../core/lifecycle.ts'

export type ReservedGoods = Pick<ReserveReturn, 'saleId' | 'at' | 'lines' | 'refunds' | 'totalCents'>

/** A sale as the store server last sent it, at least as new as the screen that shows it. */
export interface LoadedSale {
  readonly receipt: StoreReceipt
  readonly secret: SaleSecret
}

export interface GrantedReservation {
  readonly id: string
  done(): void
}

const RETRY_MS = 2_000
const MAX_LOADED = 50
const PROBLEM_OF: Readonly<Record<ReservationRefusal, ProblemCode>> = {
  unknown: 'return-not-told',
  'not-settled': 'return-not-told',
  changed: 'return-changed',
  exceeds: 'return-exceeds-sold',
  released: 'return-changed',
}

const loadedSalesOf = perLane(() => new Map<string, LoadedSale>())

const returnReservationsOf = perLane((ctx: Ctx) => {
  const repository = storeReturnsRepositoryOf(ctx)
  return new Reservations<ReservationRow>(ctx, {
    open: repository.openReservations,
    giveUp: (tx, { id, state }) => {
      if (state !== 'releasing') repository.moveReservation(tx, id, 'releasing')
    },
    end: (tx, { id }, isUsed) => {
      if (isUsed) ctx.log.error({ claim: id }, 'the store server counts a return that this lane did not commit')
      repository.moveReservation(tx, id, 'released')
    },
    givenBack: repository.releasedReservation,
    back: {
      path: RECEIPT_PATHS.release,
      answer: ReleaseAnswer.transform(({ released }) => !released),
      bodyOf: ({ id, saleId }) => ({ id, saleId }),
    },
    listed: {
      path: RECEIPT_PATHS.reserved,
      answer: ReservedReturns.transform(({ claims }) => claims.map(({ id }) => id)),
    },
  })
})

const isOwn = (ctx: Ctx, saleId: string) => saleRowsOf(ctx).byId(saleId) !== undefined

const hasStore = (ctx: Ctx): boolean => (storeLinkOf(ctx)?.state().kind ?? 'none') !== 'none'

const requiresReservation = (ctx: Ctx, saleId: string): boolean =>
  hasStore(ctx) &&
  (!isOwn(ctx, saleId) || storeReturnsRepositoryOf(ctx).isConfirmed(saleId) || saleRowsOf(ctx).isOfEarlierEpoch(saleId))

/**
 * Requests the record of a sale from the store server; null if this lane alone decides on returns of the sale. Throws
 * ProblemError without an answer.
 */
async function reservationRequestOf(ctx: Ctx, saleId: string): Promise<ReceiptAnswer | null> {
  const link = storeLinkOf(ctx)
  if (link === null || !requiresReservation(ctx, saleId)) return null
  const answer = await link.ask(RECEIPT_PATHS.one, { protocol: STORE_PROTOCOL, id: saleId }, ReceiptAnswer)
  if (answer.kind !== 'answer') throw new ProblemError(isOwn(ctx, saleId) ? 'return-store-away' : 'receipt-store-away')
  const { receipt } = answer.body
  if (receipt !== null) cacheSale(ctx, saleId, { receipt, secret: secretOf(ctx, receipt) })
  return answer.body
}

async function loadSale(ctx: Ctx, saleId: string): Promise<void> {
  const answer = await reservationRequestOf(ctx, saleId)
  if (answer?.receipt === null) throw new ProblemError(isOwn(ctx, saleId) ? 'return-not-told' : 'not-found')
}

/**
 * Loads a sale whose goods are to be returned. Throws ProblemError `return-lanes-awaited` while a restored
 * server waits for lanes, which may have made the sale or returned its goods.
 */
async function loadSaleForReturn(ctx: Ctx, saleId: string): Promise<void> {
  const answer = await reservationRequestOf(ctx, saleId)
  if (answer === null) return
  if (answer.receipt === null && isOwn(ctx, saleId)) throw new ProblemError('return-not-told')
  const { awaitedLanes = [] } = answer
  if (awaitedLanes.length > 0) throw lanesAwaited('return-lanes-awaited', awaitedLanes)
  if (answer.receipt === null) throw new ProblemError('not-found')
}

async function load(ctx: Ctx, saleId: string): Promise<boolean> {
  const link = storeLinkOf(ctx)
  if (link === null) return false
  const answer = await link.send(RECEIPT_PATHS.one, { protocol: STORE_PROTOCOL, id: saleId }, ReceiptAnswer)
  if (answer.kind !== 'answer') return false
  const { receipt } = answer.body
  if (receipt !== null) cacheSale(ctx, saleId, { receipt, secret: secretOf(ctx, receipt) })
  return true
}

function cacheSale(ctx: Ctx, saleId: string, what: LoadedSale): void {
  const cache = loadedSalesOf(ctx)
  cache.delete(saleId)
  cache.set(saleId, what)
  const [oldest] = cache.keys()
  if (cache.size > MAX_LOADED && oldest !== undefined) cache.delete(oldest)
}

function secretOf(ctx: Ctx, { sale, sealed }: StoreReceipt): SaleSecret {
  const seal = storeLinkOf(ctx)?.seal() ?? null
  if (sealed === null || seal === null) return {}
  return SaleSecret.parse(JSON.parse(seal.open(sealed, `sale ${sale.id}`)))
}

/**
 * Returns a sale of another lane: as the store server last sent it, else as stored with a return at this lane; null if
 * neither exists, and for a sale of this lane.
 */
function foreign(ctx: Ctx, saleId: string): SaleParts | null {
  const repository = storeReturnsRepositoryOf(ctx)
  if (isOwn(ctx, saleId)) return null
  const known = loadedSalesOf(ctx).get(saleId) ?? repository.saleById(saleId)
  if (known === null) return null
  const returned = elsewhere(ctx, saleId).length + repository.returnCount(saleId)
  return foreignSale(known.receipt, { ...known, returned, now: ctx.clock.now(), timeZone: ctx.profile.timeZone })
}

/** Returns of a sale that the store server last reported and that are not in this lane's database. */
function elsewhere(ctx: Ctx, saleId: string): Returned[] {
  const repository = storeReturnsRepositoryOf(ctx)
  if (!requiresReservation(ctx, saleId)) return []
  const ownIds = new Set(repository.reservationsOf(saleId).map(({ id }) => id))
  return (loadedSalesOf(ctx).get(saleId)?.receipt.returns ?? []).filter(
    ({ id, lane: of, returnId }) =>
      of !== ctx.lane.id || !(ownIds.has(id) || (returnId !== null && repository.hasReturn(returnId))),
  )
}

/**
 * Reserves a return at the store server and returns the id of the reservation, which must be committed with the return
 * or released. Throws ProblemError after a refusal or without an answer, before anything is refunded.
 */
async function reserve(ctx: Ctx, goods: ReservedGoods): Promise<string> {
  const repository = storeReturnsRepositoryOf(ctx)
  const reservations = returnReservationsOf(ctx)
  const { saleId } = goods
  const id = ctx.rng.uuid()
  // Replace unused reservations only: the store server must still count the goods that a concurrent command reserved.
  const instead = repository.openReservations().filter((row) => row.saleId === saleId && !reservations.isInUse(row.id))
  ctx.transact((tx) => {
    for (const other of instead) if (other.state !== 'releasing') repository.moveReservation(tx, other.id, 'releasing')
    repository.insertReservation(tx, id, saleId, ctx.clock.now())
  })
  const request: Omit<ReserveReturn, 'protocol'> = {
    ...goods,
    id,
    seen: elsewhere(ctx, saleId).flatMap((one) => (one.lane === ctx.lane.id ? [] : [one.id])),
    instead: instead.map((other) => other.id),
  }
  const answer = await reservations.ask(id, RECEIPT_PATHS.reserve, request, ReserveReturnAnswer)
  // After a refusal the server has no reservation. Without an answer it may have one, which must be released.
  const { refused, awaitedLanes = [] } = answer.kind === 'answer' ? answer.body : { refused: 'unanswered' as const }
  const state = refused === null ? 'granted' : refused === 'unanswered' ? 'releasing' : 'released'
  ctx.transact((tx) => {
    repository.moveReservation(tx, id, state)
  })
  if (refused === null) return id
  if (refused === 'unanswered') throw new ProblemError('return-store-away')
  reservations.release(id)
  if (awaitedLanes.length > 0) throw lanesAwaited('return-lanes-awaited', awaitedLanes)
  throw new ProblemError(PROBLEM_OF[refused])
}

/**
 * Reports to the store server up to which fact the server has all returns that this lane made without a reservation.
 * Other lanes may then reserve returns of the sales in these facts.
 */
async function reportCompleteStreams(ctx: Ctx): Promise<void> {
  const link = storeLinkOf(ctx)
  if (link === null || isStopping(ctx) || link.state().untold > 0) return
  const streams = storeReturnsRepositoryOf(ctx).fullySent()
  const answer = await link.send(RECEIPT_PATHS.complete, { protocol: STORE_PROTOCOL, streams }, CompleteStreamsAnswer)
  if (answer.kind === 'no-answer')
    runLater(ctx, RETRY_MS, () => {
      void reportCompleteStreams(ctx)
    })
}

async function reserveUntilDone(ctx: Ctx, goods: ReservedGoods): Promise<GrantedReservation> {
  const id = await reserve(ctx, goods)
  return { id, done: () => returnReservationsOf(ctx).drop(id) }
}

function createForRehearsal(ctx: Ctx, tx: Tx, saleId: string): string {
  const repository = storeReturnsRepositoryOf(ctx)
  const id = ctx.rng.uuid()
  repository.insertReservation(tx, id, saleId, ctx.clock.now())
  repository.moveReservation(tx, id, 'granted')
  return id
}

function commit(ctx: Ctx, tx: Tx, reservationId: string, returnId: string): void {
  storeReturnsRepositoryOf(ctx).commitReservation(tx, reservationId, returnId)
  ctx.transact.afterCommit(() => {
    storeLinkOf(ctx)?.kick()
  })
}

async function find(ctx: Ctx, q: string, limit: number): Promise<FoundReceipt[] | null> {
  const link = storeLinkOf(ctx)
  if (link === null || !hasStore(ctx)) return []
  const answer = await link.ask(RECEIPT_PATHS.find, { protocol: STORE_PROTOCOL, q, limit }, FoundReceipts)
  return answer.kind === 'answer' ? answer.body.receipts : null
}

/**
 * Returns the amount, in cents, that a person took back without a record at other lanes since an instant; 0 if the
 * store server is unavailable.
 */
async function unrecordedCents(ctx: Ctx, cashierId: string, from: number): Promise<number> {
  const link = storeLinkOf(ctx)
  if (link === null || !hasStore(ctx)) return 0
  const request = { protocol: STORE_PROTOCOL, cashierId, from }
  const answer = await link.ask(RECEIPT_PATHS.unrecorded, request, UnrecordedAnswer)
  return answer.kind === 'answer' ? answer.body.totalCents : 0
}

function serverState(ctx: Ctx): 'none' | 'reached' | 'away' {
  const link = storeLinkOf(ctx)
  if (link === null || !hasStore(ctx)) return 'none'
  return link.state().kind === 'connected' ? 'reached' : 'away'
}

function start(ctx: Ctx): void {
  const link = storeLinkOf(ctx)
  if (link === null) return
  returnReservationsOf(ctx)
  for (const event of ['reached', 'confirmed', 'awaited'] as const)
    link.events.on(event, () => void reportCompleteStreams(ctx))
}

/**
 * Reservations of returns. A lane decides alone on returns of its own sale until the store server has confirmed the
 * sale; then the server decides (decision 30). A return of a confirmed sale is reserved at the server before its commit
 * here; a reservation without a committed return is released.
 */
export const storeReturnsOf = perLane((ctx: Ctx) => {
  onStart(ctx, () => start(ctx))
  return {
    ...bound(ctx, {
      requiresReservation,
      loadSale,
      loadSaleForReturn,
      load,
      foreign,
      elsewhere,
      reserveUntilDone,
      createForRehearsal,
      commit,
      find,
      unrecordedCents,
      serverState,
    }),
    isElsewhere: (saleId: string): boolean => !isOwn(ctx, saleId),
    loaded: (saleId: string): LoadedSale | undefined => loadedSalesOf(ctx).get(saleId),
  }
})
