import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import {
  ActivatedCard,
  CancelledDraw,
  type DrawVoucher,
  DrawnVoucher,
  ForgoneCard,
  GrantedDraws,
  VOUCHER_PATHS,
} from '../../../contracts/store/vouchers.ts'
import type { VoucherId } from '../../../contracts/payments/vouchers.ts'
import type { Clock } from '../../core/clock.ts'
import type { Tx } from '../../core/db/transact.ts'
import { ProblemError } from '../../core/problem.ts'
import { lanesAwaited } from '../../store/lease.ts'
import { ASK_MS, type StoreLink } from '../../store/store-link.ts'
import { type DrawRow, type NewVoucher, storeVoucherRowsOf } from './store-vouchers.sql.ts'
import type { Ctx } from '../../core/context.ts'

/** So long a draw that was granted waits for the payment that asked for it, which follows at once. */
const PAYMENT_MS = 2_000
/** Of what nobody waits for. */
const CANCEL_MS = 5_000

export type VoucherStore = Pick<StoreLink, 'state' | 'ask' | 'tell' | 'seal' | 'events' | 'kick' | 'mayPayHere'>

export interface DrawsOptions {
  readonly store: VoucherStore
  /** The hash of a voucher's code that every lane of the store makes. */
  readonly hashOf: (voucherId: VoucherId) => string
  /** Keeps earlier programs from this database, in the transaction of what they would not know. */
  readonly share: (tx: Tx) => void
}

/** What the payment of a sale wants from the store. */
export interface WantedDraw {
  readonly voucherId: VoucherId
  readonly saleId: string
  readonly amountCents: number
  /** Of a voucher that this lane has no row of yet. */
  readonly isNew: NewVoucher | null
}

interface Granted {
  readonly draw: Omit<DrawRow, 'state'>
  /** What is left of it elsewhere, by the store's answer. */
  readonly restCents: number
}

export type Draws = ReturnType<typeof createDraws>

/**
 * Takes what a payment needs from the store. Each draw is on the disk before the store is asked; it ends in the commit
 * of its payment, or cancelled: never both, and the store grants an id once. What is left open by a lost answer or a
 * crash is cancelled when the store is reached again, unless the same payment asks for it first.
 */
export function createDraws(ctx: Ctx, { store, hashOf, share }: DrawsOptions) {
  const { transact, clock, rng, log } = ctx
  const repository = storeVoucherRowsOf(ctx)
  /** Draws that are asked for or wait for their payment in this program: nobody else settles them. */
  const underWay = new Map<VoucherId, Granted | null>()
  /** Calls off what would release a granted draw. */
  const releases = new Map<VoucherId, () => void>()

  const requestOf = ({ id, voucherId, amountCents }: Omit<DrawRow, 'state'>): DrawVoucher => ({
    protocol: STORE_PROTOCOL,
    id,
    hash: hashOf(voucherId),
    amountCents,
  })

  /** The draw that the same payment left open, or a new one. */
  function begin({ voucherId, saleId, amountCents, isNew }: WantedDraw): Omit<DrawRow, 'state'> {
    const again = repository
      .openDrawsOf(voucherId)
      .find((one) => one.state === 'asked' && one.saleId === saleId && one.amountCents === amountCents)
    if (again) return again
    const draw = { id: rng.uuid(), voucherId, saleId, amountCents }
    transact((tx) => {
      share(tx)
      if (isNew) repository.insertVoucher(tx, isNew)
      repository.insertDraw(tx, { ...draw, at: clock.now() })
    })
    return draw
  }

  const settled = (id: string, state: DrawRow['state']): void => {
    transact((tx) => {
      repository.setDraw(tx, id, state)
    })
  }

  /** Answers whether the store knows now that it is not taken. */
  async function cancel(draw: DrawRow, ms: number): Promise<boolean> {
    if (draw.state === 'asked') settled(draw.id, 'cancelling')
    const isOpen = (): boolean => repository.openDrawsOf(draw.voucherId).some(({ id }) => id === draw.id)
    const heard = await store.ask(VOUCHER_PATHS.cancel, requestOf(draw), CancelledDraw, ms)
    if (heard.kind !== 'answer') return false
    if (heard.body.kind === 'taken') log.warn({ draw: draw.id }, 'the store says that a draw was taken before')
    // A payment beside may have had it cancelled too.
    if (isOpen()) settled(draw.id, heard.body.kind === 'taken' ? 'left' : 'cancelled')
    return true
  }

  async function grant(wanted: WantedDraw, deadline: number): Promise<Granted> {
    const draw = begin(wanted)
    for (const other of repository.openDrawsOf(wanted.voucherId))
      if (other.id !== draw.id) await cancel(other, left(deadline))
    const heard = await store.ask(VOUCHER_PATHS.draw, requestOf(draw), DrawnVoucher, left(deadline))
    if (heard.kind !== 'answer') throw new ProblemError('voucher-unanswered')
    const { kind, heldCents, at, isDrawn, awaits } = heard.body
    const elsewhere = at.reduce((sum, { cents }) => sum + cents, 0)
    if (kind === 'granted') return { draw, restCents: heldCents + elsewhere }
    settled(draw.id, 'refused')
    if (awaits.length > 0) throw lanesAwaited('voucher-lanes-awaited', awaits)
    if (isDrawn) throw new ProblemError('voucher-busy')
    throw new ProblemError(elsewhere > 0 ? 'voucher-reserved' : 'voucher-balance')
  }

  const left = (deadline: number): number => Math.max(1, Math.trunc(deadline - clock.monotonic()))

  /** The payment did not come: it is cancelled like one whose answer was lost. */
  function release(voucherId: VoucherId, granted: Granted): void {
    if (underWay.get(voucherId) !== granted) return
    forget(voucherId)
    void settle()
  }

  function forget(voucherId: VoucherId): void {
    underWay.delete(voucherId)
    releases.get(voucherId)?.()
    releases.delete(voucherId)
  }

  let settling: Promise<void> | null = null
  async function settleAll(): Promise<void> {
    while (store.state().kind === 'connected') {
      const draw = repository.openDraws().find(({ voucherId }) => !underWay.has(voucherId))
      if (draw === undefined || !(await cancel(draw, CANCEL_MS))) return
    }
  }
  /** Cancels what is open and nobody pays with. Never rejects for a store that is away. */
  function settle(): Promise<void> {
    settling ??= settleAll()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'draws could not be settled')
      })
      .finally(() => {
        settling = null
      })
    return settling
  }

  /** What this lane has called off, and a database that was put back from a backup has forgotten to be. */
  async function callOffAgain(): Promise<void> {
    const heard = await store.tell(VOUCHER_PATHS.granted, { protocol: STORE_PROTOCOL }, GrantedDraws)
    if (heard.kind !== 'answer') return
    for (const id of heard.body.ids) {
      const draw = repository.drawById(id)
      if (draw?.state === 'cancelled') await store.tell(VOUCHER_PATHS.cancel, requestOf(draw), CancelledDraw)
    }
  }

  return {
    settle,
    callOffAgain,
    isUnderWay: (voucherId: VoucherId): boolean => underWay.has(voucherId),

    /**
     * Asks the store for it, `ASK_MS` altogether; `take` has it then. Throws ProblemError `voucher-unanswered`,
     * `voucher-busy`, `voucher-lanes-awaited`, `voucher-reserved` or `voucher-balance`: nothing is taken then.
     */
    async ask(wanted: WantedDraw): Promise<void> {
      const { voucherId } = wanted
      if (underWay.has(voucherId)) throw new ProblemError('voucher-busy')
      underWay.set(voucherId, null)
      try {
        const granted = await grant(wanted, clock.monotonic() + ASK_MS)
        underWay.set(voucherId, granted)
        const callOff = clock.after(PAYMENT_MS, () => {
          release(voucherId, granted)
        })
        releases.set(voucherId, callOff)
      } catch (error) {
        forget(voucherId)
        void settle()
        throw error
      }
    },

    /** What waits for its payment now is cancelled by the next start. */
    stop(): void {
      for (const callOff of releases.values()) callOff()
    },

    /** Takes what was granted for a payment of this sale, in its transaction. Null: there is nothing. */
    take(tx: Tx, voucherId: VoucherId, saleId: string): { amountCents: number; restCents: number } | null {
      const granted = underWay.get(voucherId)
      if (!granted || granted.draw.saleId !== saleId) return null
      const { id, amountCents } = granted.draw
      repository.setDraw(tx, id, 'drawn')
      repository.insertTransfer(tx, {
        id,
        voucherId,
        direction: 'drawn',
        amountCents,
        at: clock.now(),
        reason: 'payment',
      })
      transact.afterCommit(() => {
        if (underWay.get(voucherId) === granted) forget(voucherId)
      })
      return { amountCents, restCents: granted.restCents }
    },
  }
}

export interface ActivationsOptions {
  readonly store: Pick<StoreLink, 'ask' | 'tell' | 'seal'>
  /** The hash of a code that every lane of the store makes. */
  readonly hashOf: (code: string) => string
  readonly clock: Pick<Clock, 'now'>
}

export type Activations = ReturnType<typeof createActivations>

/**
 * Cards with a number of their own that this lane is selling: no other lane sells them meanwhile, where the store
 * answers. Where it does not, the card is sold all the same; two lanes that both sold it have put both amounts on it.
 */
export function createActivations({ store, hashOf, clock }: ActivationsOptions) {
  const request = (code: string) => ({ protocol: STORE_PROTOCOL, hash: hashOf(code), askedAt: clock.now() })
  return {
    /**
     * Asks the store, `ASK_MS` at most. Throws ProblemError `gift-card-used` where it was sold, `gift-card-elsewhere`
     * where another lane is selling it.
     */
    async begin(code: string): Promise<void> {
      if (store.seal() === null) return
      const heard = await store.ask(VOUCHER_PATHS.activate, request(code), ActivatedCard)
      if (heard.kind !== 'answer') return
      if (heard.body.kind === 'active') throw new ProblemError('gift-card-used')
      if (heard.body.kind === 'elsewhere') throw new ProblemError('gift-card-elsewhere')
    },

    /** It is anybody's again; also where nobody knows whether the store had given it to this lane. */
    forgo(code: string): void {
      if (store.seal() !== null) void store.tell(VOUCHER_PATHS.forgo, request(code), ForgoneCard)
    },
  }
}
