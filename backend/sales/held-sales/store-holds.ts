import { HeldSaleFact } from '../../../contracts/store/facts.ts'
import {
  aboutHold,
  ClaimAnswer,
  ClaimedHolds,
  HOLD_PATHS,
  OfferAnswer,
  Settled,
  type HeldContent,
  type OfferHold,
  type SettleHolds,
} from '../../../contracts/store/holds.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import { STORE_PROTOCOL, StoreRefusal, type ForeignFact } from '../../../contracts/store/protocol.ts'
import type { Tx } from '../../core/db/transact.ts'
import {
  IN_STORE,
  RESUMED_BEFORE,
  type ClaimRow,
  type CopyRow,
  type HoldRow,
  storeHoldRowsOf,
} from './held-sales.sql.ts'
import { type Awaiting, type HoldsStand, createSeenHolds, watchHolds } from './watch-holds.ts'
import { type StoreLink, storeLinkOf } from '../../store/store-link.ts'
import { offerOf } from './content.ts'
import { type Ctx, perLane } from '../../core/context.ts'

/** A claim that the store has granted. */
export interface Granted {
  readonly claim: string
  readonly content: HeldContent
  readonly collector: string | null
}
export type Claimed =
  | ({ readonly kind: 'yours' } & Granted)
  | { readonly kind: 'taken'; readonly lane: string }
  | { readonly kind: 'gone' | 'away' }
  | Awaiting

/** Of what nobody waits for, in milliseconds; and how often what is left is tried again. */
const BACKGROUND_MS = 5_000
const AGAIN_MS = 2_000

export type StoreHolds = ReturnType<typeof createStoreHolds>

/**
 * Sales on hold and the store. The right to resume one moves in steps that each are on the lane's disk before they are
 * told: offered, the store has it, the lane has given it up, the store may give it to whoever asks. What is cut off at
 * any step is told again, under the same ids, until the store has said that it knows.
 */
export function createStoreHolds(ctx: Ctx, link: StoreLink) {
  const { transact, audit, clock, rng, log } = ctx
  const repository = storeHoldRowsOf(ctx)
  const lane = ctx.lane.id
  const onChange = () => ctx.publish({ type: 'held-sales-changed' })
  /** Claims whose answer somebody waits for. */
  const waiting = new Set<string>()
  const seen = createSeenHolds(link)
  const watch = watchHolds(ctx, link, seen)
  let run: Promise<void> | null = null
  let isDue = false
  /** The store’s database may have gone back, and count what was given back as claimed. */
  let isAgainDue = false
  let stopped = false
  let callOff: () => void = () => undefined

  const settle = async (what: SettleHolds['what']): Promise<boolean> => {
    const heard = await link.ask(HOLD_PATHS.settle, { protocol: STORE_PROTOCOL, what }, Settled, BACKGROUND_MS)
    return heard.kind === 'answer'
  }

  /** Whether the store has it now, or had it under this id before. */
  async function isKept({ id, saleId }: HoldRow): Promise<boolean> {
    const body: OfferHold = { protocol: STORE_PROTOCOL, hold: id, ...offerOf(ctx, saleId) }
    const heard = await link.ask(HOLD_PATHS.offer, body, OfferAnswer, BACKGROUND_MS)
    return heard.kind === 'answer' && heard.body.kind === 'kept'
  }

  /** The store is to keep it; once this lane has heard that it does, the right is in the store. */
  async function offer(hold: HoldRow): Promise<boolean> {
    const { id, saleId } = hold
    if (!(await isKept(hold))) return false
    const given = transact((tx) => {
      // Meanwhile it may have been resumed here.
      if (repository.openOf(saleId)?.id !== id) return false
      repository.become(tx, id, 'given')
      repository.place(tx, saleId, IN_STORE)
      return true
    })
    if (!given) return true
    onChange()
    return end({ id, saleId, state: 'given' })
  }

  async function tell(hold: HoldRow): Promise<boolean> {
    const { state } = hold
    if (state === 'offered') return offer(hold)
    if (state === 'ended') return true
    // The store may have gone back to a backup from before it had it.
    if (state === 'given' && !(await isKept(hold))) return false
    return end(hold)
  }

  /** What this lane has decided of it, for good. */
  async function end(hold: HoldRow): Promise<boolean> {
    const { id, saleId, state } = hold
    const what = state === 'given' ? { kind: state, hold: id } : ({ kind: 'kept', hold: id, sale: saleId } as const)
    const isTold = await settle(what)
    if (isTold) transact((tx) => repository.told(tx, hold))
    return isTold
  }

  /** Nothing came of it: nobody waits for it any more, or the lane ended before it was decided. */
  async function giveBack({ id, state }: ClaimRow): Promise<boolean> {
    if (waiting.has(id)) return true
    if (state === 'asked') transact((tx) => repository.setClaim(tx, id, 'back'))
    const isTold = await settle({ kind: 'back', claim: id })
    if (isTold) transact((tx) => repository.setClaim(tx, id, 'over'))
    return isTold
  }

  /** What this lane has given back, and a database that went back to a backup counts as claimed again. */
  async function giveBackAgain(): Promise<boolean> {
    isAgainDue = false
    let isTold = false
    try {
      const heard = await link.tell(HOLD_PATHS.claimed, { protocol: STORE_PROTOCOL }, ClaimedHolds)
      const claims = heard.kind === 'answer' ? heard.body.claims : []
      isTold = heard.kind !== 'away'
      for (const claim of claims.filter(repository.isOver)) if (!(await settle({ kind: 'back', claim }))) isTold = false
    } finally {
      if (!isTold) isAgainDue = true
    }
    return isTold
  }

  /** Everything that is left to say. False: the store did not hear all of it. */
  async function sayAll(): Promise<boolean> {
    const fresh = repository.unoffered(lane)
    if (fresh.length > 0)
      transact((tx) => {
        for (const saleId of fresh) repository.offer(tx, rng.uuid(), saleId)
      })
    const left = [
      ...repository.openClaims().map((claim) => () => giveBack(claim)),
      ...repository.untold().map((hold) => () => tell(hold)),
      ...repository.untoldCopies().map((copy) => () => tellCopy(copy)),
      ...(isAgainDue ? [giveBackAgain] : []),
    ]
    let isAll = true
    // One that cannot be told holds up none of the others.
    for (const say of left) if (stopped || !(await said(say))) isAll = false
    return isAll
  }

  const said = (say: () => Promise<boolean>): Promise<boolean> =>
    say().catch((error: unknown) => {
      log.error({ err: error }, 'a sale on hold could not be told to the store')
      return false
    })

  async function tellCopy({ saleId, heldSale }: CopyRow): Promise<boolean> {
    const isTold = await settle({ kind: 'copied', sale: heldSale })
    if (isTold) transact((tx) => repository.copyTold(tx, saleId))
    return isTold
  }

  async function sayUntilDone(): Promise<void> {
    for (isDue = true; isDue && !stopped;) {
      isDue = false
      if (await sayAll()) continue
      callOff()
      callOff = clock.after(AGAIN_MS, kick)
      return
    }
  }

  /** Says what is left to say, in the background; one at a time. */
  function kick(): void {
    isDue = true
    if (stopped || run !== null || link.seal() === null) return
    run = sayUntilDone()
      .catch((error: unknown) => log.error({ err: error }, 'sales on hold could not be told to the store'))
      .finally(() => {
        run = null
        if (isDue) kick()
      })
  }

  /** Its database may have gone back to a backup from before it was told, also while the two were speaking. */
  function tellAgain(): void {
    transact(repository.tellAgain)
    isAgainDue = true
    kick()
  }

  /**
   * Another lane tells that it has resumed a sale of this one: it went there. Or this lane itself, which has lost that
   * to a backup: what it sold then is no more on hold. Throws for a sale that this lane still has: a lane whose key was
   * stolen may tell anything.
   */
  function take(tx: Tx, { lane: to, at, body }: ForeignFact): void {
    const { sale, resumedAs, by } = HeldSaleFact.parse(body)
    if (!repository.isOnHold(sale, lane)) return
    if (to !== lane && !repository.mayBeGiven(sale, lane)) throw new Error(`sale ${sale} was never given to the store`)
    // Of a lane that went back to a backup it stands here as it was before the store had it.
    if (repository.openOf(sale) === undefined) repository.offer(tx, rng.uuid(), sale)
    repository.end(tx, sale, { lane: to, by: by.name, at })
    repository.place(tx, sale, to === lane ? RESUMED_BEFORE : to)
    audit.record(tx, {
      kind: 'sale-moved',
      actorId: null,
      subject: sale,
      detail: { lane: to, person: by.name, saleId: resumedAs },
    })
    transact.afterCommit(onChange)
  }

  return {
    kick,
    /** Whether this lane has ever spoken with a store. */
    isOn: (): boolean => link.seal() !== null,
    start(): void {
      link.follow('held-sale', take)
      link.events.on('reached', tellAgain)
      link.events.on('awaited', tellAgain)
      link.events.on('changed', ({ kind }) => {
        if (kind === 'connected') kick()
      })
      kick()
      watch.start()
    },
    stop(): void {
      stopped = true
      callOff()
      watch.stop()
    },
    /** Has what the store holds of all lanes in `seen`; where it does not answer, that is what it had last. */
    look: async (): Promise<HoldsStand> => (link.seal() === null ? { kind: 'away' } : seen.ask()),
    seen: seen.all,

    /** Asks the store for a held sale: written down before it is asked. `done` or `back` say what came of it. */
    async claim(sale: SaleId, staffId: string): Promise<Claimed> {
      const id = rng.uuid()
      transact((tx) => repository.claim(tx, id, sale, staffId, clock.now()))
      waiting.add(id)
      const heard = await link.ask(HOLD_PATHS.claim, { protocol: STORE_PROTOCOL, claim: id, sale }, ClaimAnswer)
      if (heard.kind === 'answer' && heard.body.kind === 'yours') {
        const { content, sealed } = heard.body
        return { kind: 'yours', claim: id, content, collector: sealed === null ? null : opened(sealed, sale) }
      }
      waiting.delete(id)
      if (heard.kind === 'answer') {
        transact((tx) => repository.setClaim(tx, id, 'over'))
        return heard.body.kind === 'taken' ? heard.body : { kind: 'gone' }
      }
      kick()
      const refusal = heard.kind === 'refused' ? StoreRefusal.safeParse(heard.body) : null
      if (refusal?.data?.refused !== 'not-settled') return { kind: 'away' }
      return { kind: 'awaiting', lanes: refusal.data.awaitedLanes ?? [] }
    },

    /** In the transaction that makes it a sale of this lane. */
    done(tx: Tx, claim: string, saleId: string): void {
      repository.claimDone(tx, claim, saleId, clock.now())
      transact.afterCommit(() => {
        waiting.delete(claim)
        link.kick()
      })
    },

    back(claim: string): void {
      waiting.delete(claim)
      transact((tx) => repository.setClaim(tx, claim, 'back'))
      kick()
    },
  }

  function opened(sealed: string, sale: SaleId): string | null {
    try {
      return link.seal()?.open(sealed, aboutHold(sale)) ?? null
    } catch (error) {
      log.error({ err: error }, 'the collector of a held sale cannot be read: the sale goes on without')
      return null
    }
  }
}

/** Null at a lane that is alone. */
export const storeHoldsOf = perLane((ctx) => {
  const link = storeLinkOf(ctx)
  return link && createStoreHolds(ctx, link)
})
