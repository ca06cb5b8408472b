import {
  type CameBack,
  ClaimAnswer,
  type ClaimRefusal,
  type ClaimRequest,
  ClaimedReturns,
  type FoundReceipt,
  FoundReceipts,
  RECEIPT_PATHS,
  ReceiptAnswer,
  ReleaseAnswer,
  SettledAnswer,
  type StoreReceipt,
  UnrecordedAnswer,
} from '../../../contracts/store/receipts.ts'
import type { ProblemCode } from '../../../contracts/core/errors.ts'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import type { Tx } from '../../core/db/transact.ts'
import { ProblemError } from '../../core/problem.ts'
import { lanesAwaited } from '../../store/lease.ts'
import { Claims } from '../../store/claims.ts'
import { storeLinkOf } from '../../store/store-link.ts'
import type { SaleParts } from '../../sales/sale/sale-parts.ts'
import { foreignSale } from './foreign-sale.ts'
import { type ClaimRow, storeReturnsRepositoryOf } from '../rows/store-returns.sql.ts'
import { SaleSecret } from '../../store/store-seal.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { isStopping, onStart, runLater } from '../../core/lifecycle.ts'

/** What is asked of the store for a return, as it was worked out. */
export type Claimed = Pick<ClaimRequest, 'saleId' | 'at' | 'lines' | 'refunds' | 'totalCents'>

/** As the store said last of a sale. Nothing of it is older than the screen that shows it. */
export interface Heard {
  readonly receipt: StoreReceipt
  readonly secret: SaleSecret
}

/** A claim that was granted, until its return is committed or not. */
export interface HeldClaim {
  readonly id: string
  done(): void
}

const RETRY_MS = 2_000
/** Sales that were looked at last. */
const MOST_HEARD = 50
const PROBLEM_OF: Readonly<Record<ClaimRefusal, ProblemCode>> = {
  unknown: 'return-not-told',
  'not-settled': 'return-not-told',
  changed: 'return-changed',
  exceeds: 'return-exceeds-sold',
  released: 'return-changed',
}

/** What the store said last of sales, the newest last. */
const heardOf = perLane(() => new Map<string, Heard>())

const returnClaimsOf = perLane((ctx: Ctx) => {
  const repository = storeReturnsRepositoryOf(ctx)
  return new Claims<ClaimRow>(ctx, {
    open: repository.openClaims,
    giveUp: (tx, { id, state }) => {
      if (state !== 'releasing') repository.moveClaim(tx, id, 'releasing')
    },
    end: (tx, { id }, isUsed) => {
      if (isUsed) ctx.log.error({ claim: id }, 'the store knows a return that this lane does not')
      repository.moveClaim(tx, id, 'released')
    },
    givenBack: repository.releasedClaim,
    back: {
      path: RECEIPT_PATHS.release,
      answer: ReleaseAnswer.transform(({ released }) => !released),
      bodyOf: ({ id, saleId }) => ({ id, saleId }),
    },
    listed: {
      path: RECEIPT_PATHS.claimed,
      answer: ClaimedReturns.transform(({ claims }) => claims.map(({ id }) => id)),
    },
  })
})

const isOwn = (ctx: Ctx, saleId: string) => saleRowsOf(ctx).byId(saleId) !== undefined

const hasStore = (ctx: Ctx): boolean => (storeLinkOf(ctx)?.state().kind ?? 'none') !== 'none'

/** Whether goods of a sale come back only with the store’s word. */
const governs = (ctx: Ctx, saleId: string): boolean =>
  hasStore(ctx) &&
  (!isOwn(ctx, saleId) || storeReturnsRepositoryOf(ctx).isConfirmed(saleId) || saleRowsOf(ctx).isOfEarlierEpoch(saleId))

/** Asks the store of a sale; null: it is not the store’s. Throws ProblemError where that does not answer. */
async function askOf(ctx: Ctx, saleId: string): Promise<ReceiptAnswer | null> {
  const link = storeLinkOf(ctx)
  if (link === null || !governs(ctx, saleId)) return null
  const answer = await link.ask(RECEIPT_PATHS.one, { protocol: STORE_PROTOCOL, id: saleId }, ReceiptAnswer)
  if (answer.kind !== 'answer') throw new ProblemError(isOwn(ctx, saleId) ? 'return-store-away' : 'receipt-store-away')
  const { receipt } = answer.body
  if (receipt !== null) keep(ctx, saleId, { receipt, secret: secretOf(ctx, receipt) })
  return answer.body
}

/** Hears of a sale what the store knows. Throws ProblemError in words that say what to do. */
async function know(ctx: Ctx, saleId: string): Promise<void> {
  const answer = await askOf(ctx, saleId)
  if (answer?.receipt === null) throw new ProblemError(isOwn(ctx, saleId) ? 'return-not-told' : 'not-found')
}

/**
 * As `know`, before goods of it are looked out: throws ProblemError `return-lanes-awaited` where none may come. A
 * lane that is awaited may have made a sale of which the store does not know.
 */
async function knowToReturn(ctx: Ctx, saleId: string): Promise<void> {
  const answer = await askOf(ctx, saleId)
  if (answer === null) return
  if (answer.receipt === null && isOwn(ctx, saleId)) throw new ProblemError('return-not-told')
  const { awaitedLanes = [] } = answer
  if (awaitedLanes.length > 0) throw lanesAwaited('return-lanes-awaited', awaitedLanes)
  if (answer.receipt === null) throw new ProblemError('not-found')
}

/** As `know`, for what nobody waits for. False where the store does not answer. */
async function learn(ctx: Ctx, saleId: string): Promise<boolean> {
  const link = storeLinkOf(ctx)
  if (link === null) return false
  const answer = await link.tell(RECEIPT_PATHS.one, { protocol: STORE_PROTOCOL, id: saleId }, ReceiptAnswer)
  if (answer.kind !== 'answer') return false
  const { receipt } = answer.body
  if (receipt !== null) keep(ctx, saleId, { receipt, secret: secretOf(ctx, receipt) })
  return true
}

function keep(ctx: Ctx, saleId: string, what: Heard): void {
  const heard = heardOf(ctx)
  heard.delete(saleId)
  heard.set(saleId, what)
  const [oldest] = heard.keys()
  if (heard.size > MOST_HEARD && oldest !== undefined) heard.delete(oldest)
}

function secretOf(ctx: Ctx, { sale, sealed }: StoreReceipt): SaleSecret {
  const seal = storeLinkOf(ctx)?.seal() ?? null
  if (sealed === null || seal === null) return {}
  return SaleSecret.parse(JSON.parse(seal.open(sealed, `sale ${sale.id}`)))
}

/** A sale of another lane: as the store said last, else as it was when goods of it came back here. */
function foreign(ctx: Ctx, saleId: string): SaleParts | null {
  const repository = storeReturnsRepositoryOf(ctx)
  if (isOwn(ctx, saleId)) return null
  const known = heardOf(ctx).get(saleId) ?? repository.saleById(saleId)
  if (known === null) return null
  const returned = elsewhere(ctx, saleId).length + repository.returnCount(saleId)
  return foreignSale(known.receipt, { ...known, returned, now: ctx.clock.now(), timeZone: ctx.profile.timeZone })
}

/** What came back of a sale and does not stand in this lane’s books, as the store said last. */
function elsewhere(ctx: Ctx, saleId: string): CameBack[] {
  const repository = storeReturnsRepositoryOf(ctx)
  if (!governs(ctx, saleId)) return []
  const mine = new Set(repository.claimsOf(saleId).map(({ id }) => id))
  return (heardOf(ctx).get(saleId)?.receipt.returns ?? []).filter(
    ({ id, lane: of, returnId }) =>
      of !== ctx.lane.id || !(mine.has(id) || (returnId !== null && repository.hasReturn(returnId))),
  )
}

/**
 * Asks for the right to make a return. Answers the claim, which is committed with its return or released. Throws
 * ProblemError where the store refuses, or does not answer: then nothing has come back.
 */
async function claim(ctx: Ctx, claimed: Claimed): Promise<string> {
  const repository = storeReturnsRepositoryOf(ctx)
  const claims = returnClaimsOf(ctx)
  const { saleId } = claimed
  const id = ctx.rng.uuid()
  // What another command is about to commit stays: the store counts it.
  const instead = repository.openClaims().filter((row) => row.saleId === saleId && !claims.isInUse(row.id))
  ctx.transact((tx) => {
    for (const other of instead) if (other.state !== 'releasing') repository.moveClaim(tx, other.id, 'releasing')
    repository.insertClaim(tx, id, saleId, ctx.clock.now())
  })
  const request: Omit<ClaimRequest, 'protocol'> = {
    ...claimed,
    id,
    seen: elsewhere(ctx, saleId).flatMap((one) => (one.lane === ctx.lane.id ? [] : [one.id])),
    instead: instead.map((other) => other.id),
  }
  const answer = await claims.ask(id, RECEIPT_PATHS.claim, request, ClaimAnswer)
  // Refused, nothing of it stands; unanswered, nobody knows.
  const { refused, awaitedLanes = [] } = answer.kind === 'answer' ? answer.body : { refused: 'unanswered' as const }
  const state = refused === null ? 'granted' : refused === 'unanswered' ? 'releasing' : 'released'
  ctx.transact((tx) => {
    repository.moveClaim(tx, id, state)
  })
  if (refused === null) return id
  if (refused === 'unanswered') throw new ProblemError('return-store-away')
  claims.letGo(id)
  if (awaitedLanes.length > 0) throw lanesAwaited('return-lanes-awaited', awaitedLanes)
  throw new ProblemError(PROBLEM_OF[refused])
}

/** Tells the store up to where this lane asks from now on: other lanes may then take goods back. */
async function settle(ctx: Ctx): Promise<void> {
  const link = storeLinkOf(ctx)
  if (link === null || isStopping(ctx) || link.state().untold > 0) return
  const streams = storeReturnsRepositoryOf(ctx).settled()
  const answer = await link.tell(RECEIPT_PATHS.settled, { protocol: STORE_PROTOCOL, streams }, SettledAnswer)
  if (answer.kind === 'away')
    runLater(ctx, RETRY_MS, () => {
      void settle(ctx)
    })
}

/** Claims, and holds the claim until `done`: what was not committed by then is released. */
async function hold(ctx: Ctx, claimed: Claimed): Promise<HeldClaim> {
  const id = await claim(ctx, claimed)
  return { id, done: () => returnClaimsOf(ctx).drop(id) }
}

/** A claim that is granted in a transaction that will be taken back. */
function pretend(ctx: Ctx, tx: Tx, saleId: string): string {
  const repository = storeReturnsRepositoryOf(ctx)
  const id = ctx.rng.uuid()
  repository.insertClaim(tx, id, saleId, ctx.clock.now())
  repository.moveClaim(tx, id, 'granted')
  return id
}

/** In the transaction of the return. */
function commit(ctx: Ctx, tx: Tx, claimId: string, returnId: string): void {
  storeReturnsRepositoryOf(ctx).commitClaim(tx, claimId, returnId)
  ctx.transact.afterCommit(() => {
    storeLinkOf(ctx)?.kick()
  })
}

/** Receipts of other lanes by the end of their number; null where the store cannot be asked. */
async function find(ctx: Ctx, q: string, limit: number): Promise<FoundReceipt[] | null> {
  const link = storeLinkOf(ctx)
  if (link === null || !hasStore(ctx)) return []
  const answer = await link.ask(RECEIPT_PATHS.find, { protocol: STORE_PROTOCOL, q, limit }, FoundReceipts)
  return answer.kind === 'answer' ? answer.body.receipts : null
}

/** What a person took back without a record at other lanes since an instant; 0 where the store cannot be asked. */
async function unrecordedCents(ctx: Ctx, cashierId: string, from: number): Promise<number> {
  const link = storeLinkOf(ctx)
  if (link === null || !hasStore(ctx)) return 0
  const request = { protocol: STORE_PROTOCOL, cashierId, from }
  const answer = await link.ask(RECEIPT_PATHS.unrecorded, request, UnrecordedAnswer)
  return answer.kind === 'answer' ? answer.body.totalCents : 0
}

/** Whether this lane has a store, and whether it can be asked. */
function reach(ctx: Ctx): 'none' | 'reached' | 'away' {
  const link = storeLinkOf(ctx)
  if (link === null || !hasStore(ctx)) return 'none'
  return link.state().kind === 'connected' ? 'reached' : 'away'
}

function start(ctx: Ctx): void {
  const link = storeLinkOf(ctx)
  if (link === null) return
  returnClaimsOf(ctx)
  for (const event of ['reached', 'told', 'awaited'] as const) link.events.on(event, () => void settle(ctx))
}

/**
 * The right to give back a sale lies in one place: with its lane until the store has confirmed the sale, from then on
 * with the store (decision 30). A return of a confirmed sale is claimed there before it is committed here; a claim
 * whose return was never committed is released.
 */
export const storeReturnsOf = perLane((ctx: Ctx) => {
  onStart(ctx, () => start(ctx))
  return {
    ...bound(ctx, {
      governs,
      know,
      knowToReturn,
      learn,
      foreign,
      elsewhere,
      hold,
      pretend,
      commit,
      find,
      unrecordedCents,
      reach,
    }),
    /** Of another lane. */
    isElsewhere: (saleId: string): boolean => !isOwn(ctx, saleId),
    /** A sale as the store said it last, whole. */
    heard: (saleId: string): Heard | undefined => heardOf(ctx).get(saleId),
  }
})
