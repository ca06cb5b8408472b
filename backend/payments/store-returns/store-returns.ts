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
import { type StoreLink, storeLinkOf } from '../../store/store-link.ts'
import type { SaleParts } from '../../sales/sale-view.ts'
import { foreignSale } from './foreign-sale.ts'
import { type StoreReturnsRepository, storeReturnsRepositoryOf } from './store-returns.sql.ts'
import { SaleSecret } from '../../store/store-seal.ts'
import { saleRowsOf } from '../../sales/sales.sql.ts'
import { type Ctx, perLane } from '../../core/context.ts'

export type ReceiptsLink = Pick<StoreLink, 'state' | 'events' | 'seal' | 'ask' | 'tell' | 'kick'>

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

export type StoreReturns = ReturnType<typeof storeReturnsOf>

/**
 * The right to give back a sale lies in one place: with its lane until the store has confirmed the sale, from then on
 * with the store (decision 0092). A return of a confirmed sale is claimed there before it is committed here; a claim
 * whose return was never committed is released.
 */
export const storeReturnsOf = perLane((ctx: Ctx) => {
  const { transact, clock, rng, log } = ctx
  const link = storeLinkOf(ctx)
  const repository = storeReturnsRepositoryOf(ctx)
  const isOwn = (saleId: string) => saleRowsOf(ctx).byId(saleId) !== undefined
  const lane = ctx.lane.id
  const isOfEarlierEpoch = saleRowsOf(ctx).isOfEarlierEpoch
  const { timeZone } = ctx.profile
  const heard = new Map<string, Heard>()
  /** Claims that are on their way, and those whose return is about to be committed: not released meanwhile. */
  const asking = new Set<string>()
  const held = new Set<string>()
  let callOff: (() => void) | null = null
  let releasing: Promise<void> | null = null
  /** The store’s database may have gone back, and count what was given up as claimed. */
  let isAgainDue = false
  let stopped = false

  const hasStore = (): boolean => link !== null && link.state().kind !== 'none'

  /** Whether goods of a sale come back only with the store’s word. */
  const governs = (saleId: string): boolean =>
    hasStore() && (!isOwn(saleId) || repository.isConfirmed(saleId) || isOfEarlierEpoch(saleId))

  /** Asks the store of a sale; null: it is not the store’s. Throws ProblemError where that does not answer. */
  async function askOf(saleId: string): Promise<ReceiptAnswer | null> {
    if (link === null || !governs(saleId)) return null
    const answer = await link.ask(RECEIPT_PATHS.one, { protocol: STORE_PROTOCOL, id: saleId }, ReceiptAnswer)
    if (answer.kind !== 'answer') throw new ProblemError(isOwn(saleId) ? 'return-store-away' : 'receipt-store-away')
    const { receipt } = answer.body
    if (receipt !== null) keep(saleId, { receipt, secret: secretOf(receipt) })
    return answer.body
  }

  /** Hears of a sale what the store knows. Throws ProblemError in words that say what to do. */
  async function know(saleId: string): Promise<void> {
    const answer = await askOf(saleId)
    if (answer?.receipt === null) throw new ProblemError(isOwn(saleId) ? 'return-not-told' : 'not-found')
  }

  /**
   * As `know`, before goods of it are looked out: throws ProblemError `return-lanes-awaited` where none may come. A
   * lane that is awaited may have made a sale of which the store does not know.
   */
  async function knowToReturn(saleId: string): Promise<void> {
    const answer = await askOf(saleId)
    if (answer === null) return
    if (answer.receipt === null && isOwn(saleId)) throw new ProblemError('return-not-told')
    const { awaitedLanes = [] } = answer
    if (awaitedLanes.length > 0) throw lanesAwaited('return-lanes-awaited', awaitedLanes)
    if (answer.receipt === null) throw new ProblemError('not-found')
  }

  /** As `know`, for what nobody waits for. False where the store does not answer. */
  async function learn(saleId: string): Promise<boolean> {
    if (link === null) return false
    const answer = await link.tell(RECEIPT_PATHS.one, { protocol: STORE_PROTOCOL, id: saleId }, ReceiptAnswer)
    if (answer.kind !== 'answer') return false
    const { receipt } = answer.body
    if (receipt !== null) keep(saleId, { receipt, secret: secretOf(receipt) })
    return true
  }

  function keep(saleId: string, what: Heard): void {
    heard.delete(saleId)
    heard.set(saleId, what)
    const [oldest] = heard.keys()
    if (heard.size > MOST_HEARD && oldest !== undefined) heard.delete(oldest)
  }

  function secretOf({ sale, sealed }: StoreReceipt): SaleSecret {
    const seal = link?.seal() ?? null
    if (sealed === null || seal === null) return {}
    return SaleSecret.parse(JSON.parse(seal.open(sealed, `sale ${sale.id}`)))
  }

  /** A sale of another lane: as the store said last, else as it was when goods of it came back here. */
  function foreign(saleId: string): SaleParts | null {
    if (isOwn(saleId)) return null
    const known = heard.get(saleId) ?? repository.saleById(saleId)
    if (known === null) return null
    const returned = elsewhere(saleId).length + repository.returnCount(saleId)
    return foreignSale(known.receipt, { ...known, returned, now: clock.now(), timeZone: timeZone })
  }

  /** What came back of a sale and does not stand in this lane’s books, as the store said last. */
  function elsewhere(saleId: string): CameBack[] {
    if (!governs(saleId)) return []
    const mine = new Set(repository.claimsOf(saleId).map(({ id }) => id))
    return (heard.get(saleId)?.receipt.returns ?? []).filter(
      ({ id, lane: of, returnId }) =>
        of !== lane || !(mine.has(id) || (returnId !== null && repository.hasReturn(returnId))),
    )
  }

  /**
   * Asks for the right to make a return. Answers the claim, which is committed with its return or released. Throws
   * ProblemError where the store refuses, or does not answer: then nothing has come back.
   */
  async function claim(claimed: Claimed): Promise<string> {
    if (link === null) throw new Error('a lane without a store claims nothing')
    const { saleId } = claimed
    const id = rng.uuid()
    // What another command is about to commit stays: the store counts it.
    const instead = repository
      .openClaims()
      .flatMap((row) => (row.saleId === saleId && !asking.has(row.id) && !held.has(row.id) ? [row.id] : []))
    transact((tx) => {
      for (const other of instead) giveUp(tx, other)
      repository.insertClaim(tx, id, saleId, clock.now())
    })
    asking.add(id)
    const request: ClaimRequest = {
      ...claimed,
      protocol: STORE_PROTOCOL,
      id,
      seen: elsewhere(saleId).flatMap((one) => (one.lane === lane ? [] : [one.id])),
      instead,
    }
    const answer = await link.ask(RECEIPT_PATHS.claim, request, ClaimAnswer)
    asking.delete(id)
    if (answer.kind === 'answer' && answer.body.refused === null) {
      transact((tx) => {
        repository.moveClaim(tx, id, 'granted')
      })
      return id
    }
    // Refused, nothing of it stands; unanswered, nobody knows.
    const { refused: why, awaitedLanes = [] } = answer.kind === 'answer' ? answer.body : { refused: null }
    transact((tx) => {
      repository.moveClaim(tx, id, why === null ? 'releasing' : 'released')
    })
    releaseSoon()
    if (awaitedLanes.length > 0) throw lanesAwaited('return-lanes-awaited', awaitedLanes)
    throw new ProblemError(why === null ? 'return-store-away' : PROBLEM_OF[why])
  }

  function giveUp(tx: Tx, id: string): void {
    const row = repository.openClaims().find((one) => one.id === id)
    if (row && row.state !== 'releasing') repository.moveClaim(tx, id, 'releasing')
  }

  /** Releases what was asked for and never committed, where there is any. */
  function releaseSoon(): void {
    if (stopped || callOff !== null || !(isAgainDue || repository.openClaims().length > 0)) return
    callOff = clock.after(RETRY_MS, () => {
      callOff = null
      void release()
    })
  }

  function release(): Promise<void> {
    releasing ??= releaseAll()
      .catch((error: unknown) => {
        log.error({ err: error }, 'what was asked of the store could not be given back')
        releaseSoon()
      })
      .finally(() => {
        releasing = null
        if (isAgainDue) releaseSoon()
      })
    return releasing
  }

  async function releaseAll(): Promise<void> {
    for (const { id, saleId } of repository.openClaims()) {
      if (link === null || stopped) return
      if (asking.has(id) || held.has(id)) continue
      transact((tx) => giveUp(tx, id))
      const answer = await link.tell(RECEIPT_PATHS.release, { protocol: STORE_PROTOCOL, id, saleId }, ReleaseAnswer)
      if (answer.kind !== 'answer') return releaseSoon()
      if (!answer.body.released) log.error({ claim: id }, 'the store knows a return that this lane does not')
      transact((tx) => {
        repository.moveClaim(tx, id, 'released')
      })
    }
    if (link === null || stopped || !isAgainDue) return
    isAgainDue = false
    let isHeard = false
    try {
      isHeard = await releaseAgain({ link, repository })
    } finally {
      if (!isHeard) isAgainDue = true
    }
  }

  /** Tells the store up to where this lane asks from now on: other lanes may then take goods back. */
  async function settle(): Promise<void> {
    if (link === null || stopped || link.state().untold > 0) return
    const streams = repository.settled()
    const answer = await link.tell(RECEIPT_PATHS.settled, { protocol: STORE_PROTOCOL, streams }, SettledAnswer)
    if (answer.kind === 'away' && !stopped)
      clock.after(RETRY_MS, () => {
        void settle()
      })
  }

  return {
    governs,
    /** Of another lane. */
    isElsewhere: (saleId: string): boolean => !isOwn(saleId),
    know,
    knowToReturn,
    learn,
    foreign,
    elsewhere,

    /** Claims, and holds the claim until `done`: what was not committed by then is released. */
    async hold(claimed: Claimed): Promise<HeldClaim> {
      const id = await claim(claimed)
      held.add(id)
      return {
        id,
        done: () => {
          held.delete(id)
          if (repository.openClaims().some((row) => row.id === id)) void release()
        },
      }
    },
    /** A claim that is granted in a transaction that will be taken back. */
    pretend(tx: Tx, saleId: string): string {
      const id = rng.uuid()
      repository.insertClaim(tx, id, saleId, clock.now())
      repository.moveClaim(tx, id, 'granted')
      return id
    },
    /** In the transaction of the return. */
    commit: (tx: Tx, claimId: string, returnId: string): void => {
      repository.commitClaim(tx, claimId, returnId)
      transact.afterCommit(() => {
        link?.kick()
      })
    },
    /** A sale as the store said it last, whole. */
    heard: (saleId: string): Heard | undefined => heard.get(saleId),

    /** Receipts of other lanes by the end of their number; null where the store cannot be asked. */
    async find(q: string, limit: number): Promise<FoundReceipt[] | null> {
      if (link === null || !hasStore()) return []
      const answer = await link.ask(RECEIPT_PATHS.find, { protocol: STORE_PROTOCOL, q, limit }, FoundReceipts)
      return answer.kind === 'answer' ? answer.body.receipts : null
    },

    /** What a person took back without a record at other lanes since an instant; 0 where the store cannot be asked. */
    async unrecordedCents(cashierId: string, from: number): Promise<number> {
      if (link === null || !hasStore()) return 0
      const request = { protocol: STORE_PROTOCOL, cashierId, from }
      const answer = await link.ask(RECEIPT_PATHS.unrecorded, request, UnrecordedAnswer)
      return answer.kind === 'answer' ? answer.body.totalCents : 0
    },

    /** Whether this lane has a store, and whether it can be asked. */
    reach: (): 'none' | 'reached' | 'away' => {
      if (link === null || !hasStore()) return 'none'
      return link.state().kind === 'connected' ? 'reached' : 'away'
    },

    start(): void {
      if (link === null) return
      // Also while the two were speaking its database may have gone back.
      for (const event of ['reached', 'awaited'] as const)
        link.events.on(event, () => {
          isAgainDue = true
          void release()
        })
      link.events.on('reached', () => void settle())
      for (const event of ['told', 'awaited'] as const)
        link.events.on(event, () => {
          void settle()
        })
    },
    async stop(): Promise<void> {
      stopped = true
      callOff?.()
      await releasing
    },
  }
})

export interface ReleaseAgainOptions {
  readonly link: Pick<StoreLink, 'tell'>
  readonly repository: Pick<StoreReturnsRepository, 'claimById'>
}

/**
 * Claims that this lane has given up, and that a database which went back to a backup counts as claimed again: nobody
 * could return their goods any more. False: the store did not answer.
 */
export async function releaseAgain({ link, repository }: ReleaseAgainOptions): Promise<boolean> {
  const heard = await link.tell(RECEIPT_PATHS.claimed, { protocol: STORE_PROTOCOL }, ClaimedReturns)
  if (heard.kind !== 'answer') return heard.kind !== 'away'
  for (const { id, saleId } of heard.body.claims) {
    if (repository.claimById(id)?.state !== 'released') continue
    const { kind } = await link.tell(RECEIPT_PATHS.release, { protocol: STORE_PROTOCOL, id, saleId }, ReleaseAnswer)
    if (kind === 'away') return false
  }
  return true
}
