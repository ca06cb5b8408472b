import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { FoundVoucher, Standing, VOUCHER_PATHS } from '../../../contracts/store/vouchers.ts'
import { VoucherId } from '../../../contracts/payments/vouchers.ts'
import type { Tx } from '../../core/db/transact.ts'
import { lastFour } from '../../core/scan-codes.ts'
import { placeOf } from '../../core/integrity/seal.ts'
import { ASK_MS, type StoreLink, storeLinkOf } from '../../store/store-link.ts'
import { type VoucherStore, type WantedDraw, createActivations, createDraws } from './draws.ts'
import { createHandOver, createTakingOver } from './taking-over.ts'
import { type NewVoucher, storeVoucherRowsOf } from './store-vouchers.sql.ts'
import { shownVouchersOf } from '../vouchers/shown.ts'
import { type Ctx, perLane } from '../../core/context.ts'

/** Whoever paid or gave back is done before anything is handed over. */
const SOON_MS = 20
/** Looked for again where the store had not heard everything yet. */
const AGAIN_MS = 100
/** Asked again where nobody said what lay at the lane before. */
const LATER_MS = 1_000

export type StoreVouchers = ReturnType<typeof createStoreVouchers>

/** The lane's side of vouchers that pay at every lane of its store (docs/decisions/0091). */
export function createStoreVouchers(ctx: Ctx, store: StoreLink) {
  const { seal, audit, clock, rng, log } = ctx
  const repository = storeVoucherRowsOf(ctx)
  const shown = shownVouchersOf(ctx)
  const reserveDollars = () => ctx.profile.store.voucherReserveDollars ?? 0

  const codeOf = (id: VoucherId): string => {
    const sealed = repository.sealedOf(id)
    if (sealed === null) throw new Error('a voucher that is drawn has its row')
    return seal.open(sealed, placeOf('voucher', 'code_sealed', id)).toString()
  }
  const hashOf = (code: string): string => {
    const shared = store.seal()
    if (shared === null) throw new Error('the lane has not spoken with its store yet')
    return shared.hash('voucher', code)
  }
  const newVoucher = (code: string, { kind, issuedAt }: Pick<NewVoucher, 'kind' | 'issuedAt'>): NewVoucher => {
    const id = VoucherId.parse(rng.uuid().replaceAll('-', '').toUpperCase())
    return {
      id,
      kind,
      codeHash: seal.keyedHash(`voucher ${code}`),
      codeSealed: seal.seal(Buffer.from(code), placeOf('voucher', 'code_sealed', id)),
      last4: lastFour(code),
      issuedAt,
    }
  }
  /** Its code is opened with the key that the lanes share. */
  function rowOf({ sealed, about, voucherKind: kind, issuedAt }: Standing['vouchers'][number]): NewVoucher {
    const opened: unknown = JSON.parse(store.seal()?.open(sealed, about) ?? 'null')
    if (typeof opened !== 'object' || opened === null || !('code' in opened)) throw new Error('it is no code')
    return newVoucher(String(opened.code), { kind, issuedAt })
  }
  /** The trail says when it began, and whoever goes back to an earlier program finds that something was done. */
  function share(tx: Tx): void {
    if (repository.isMarked()) return
    repository.mark(tx)
    audit.record(tx, { kind: 'vouchers-shared', actorId: null })
  }

  const parts = { store, hashOf: (id: VoucherId) => hashOf(codeOf(id)), share, rowOf }
  const draws = createDraws(ctx, parts)
  const comparing = createComparing(ctx, parts)
  const takingOver = createTakingOver(ctx, parts)
  const handOver = createHandOver(ctx, {
    ...parts,
    isNeeded: (id) => shown.has(id) || draws.isUnderWay(id),
    reserveCents: () => Math.round(reserveDollars() * 100),
  })

  let calledOff: (() => void) | null = null
  let isStopped = false
  function soon(ms: number = SOON_MS): void {
    if (isStopped || calledOff !== null) return
    calledOff = clock.after(ms, () => {
      calledOff = null
      void settle()
    })
  }
  /** Brings everything to where it belongs, as far as the store is there. Whatever fails is tried again. */
  async function settle(): Promise<void> {
    if (isStopped || store.state().kind !== 'connected') return
    try {
      if (!(await comparing.run())) return soon(AGAIN_MS)
      if (!(await takingOver.run())) return soon(LATER_MS)
      if (isStopped) return
      await draws.settle()
      if (!isStopped && !handOver.run()) soon(AGAIN_MS)
    } catch (error) {
      log.warn({ err: error }, 'vouchers could not be settled with the store')
    }
  }
  const onChanged = ({ kind }: { readonly kind: string }): void => {
    if (kind !== 'connected') handOver.forget()
    else soon()
  }
  store.events.on('changed', onChanged)
  const onReached = (): void => {
    takingOver.again()
    soon()
    draws.callOffAgain().catch((error: unknown) => {
      log.warn({ err: error }, 'vouchers could not be settled with the store')
    })
  }
  store.events.on('reached', onReached)

  /** Something of these lies here, or no sale needs them any more: handed over soon. */
  function moved(...ids: readonly VoucherId[]): void {
    for (const id of ids) handOver.note(id)
    soon()
  }
  shown.onGone((ids) => {
    moved(...ids)
  })

  return {
    newVoucher,
    /** Cards with a number of their own, while they are sold. */
    activations: createActivations({ store, hashOf, clock }),
    isFrozen: comparing.isFrozen,
    /** Value that lies here is not paid with until the store has confirmed a heartbeat. */
    isLeaseOver: (): boolean => !store.mayPayHere(),
    isAway: (): boolean => store.state().kind !== 'connected',
    isComparing: comparing.isOpen,
    isTakingOver: takingOver.isHolding,
    /** Whether it is known what lies here of other lanes’ cards: a lane that has just reached its store asks for it. */
    async knowsWhatLies(): Promise<boolean> {
      if (!takingOver.isHolding() || store.state().kind !== 'connected') return !takingOver.isHolding()
      await new Promise<unknown>((resolve) => {
        const callOff = clock.after(ASK_MS, () => {
          resolve(null)
        })
        void settle().then(callOff).then(resolve)
      })
      return !takingOver.isHolding()
    },
    take: draws.take,

    /** What the store knows of a code; null where it cannot be asked. */
    async find(code: string): Promise<FoundVoucher | null> {
      if (store.seal() === null) return null
      const body = { protocol: STORE_PROTOCOL, hash: hashOf(code) }
      const heard = await store.ask(VOUCHER_PATHS.find, body, FoundVoucher)
      return heard.kind === 'answer' ? heard.body : null
    },

    /** Has it drawn for a payment, as `Draws.ask` says. */
    draw: (wanted: WantedDraw): Promise<void> => draws.ask(wanted),

    moved,

    stop(): void {
      isStopped = true
      calledOff?.()
      draws.stop()
      takingOver.stop()
      store.events.off('changed', onChanged)
      store.events.off('reached', onReached)
    },
  }
}

/** Null at a lane that is alone. */
export const storeVouchersOf = perLane((ctx) => {
  const store = storeLinkOf(ctx)
  return store && createStoreVouchers(ctx, store)
})

const COMPARE_MS = 10_000

export interface ComparingOptions {
  readonly store: VoucherStore
  readonly hashOf: (voucherId: VoucherId) => string
  /** A row for a voucher of the store. Throws where its code does not open. */
  readonly rowOf: (voucher: Standing['vouchers'][number]) => NewVoucher
  readonly share: (tx: Tx) => void
}

export type Comparing = ReturnType<typeof createComparing>

/**
 * A lane that went back to a backup has forgotten what it handed over, drew, sold and took since; the store was told
 * and has not. Until the two were compared no voucher of before pays at this lane; then what lies here is what the
 * store knows to lie here.
 */
export function createComparing(ctx: Ctx, { store, hashOf, share, rowOf }: ComparingOptions) {
  const { transact, clock, rng, log } = ctx
  const repository = storeVoucherRowsOf(ctx)
  const epoch = repository.epoch()
  if (epoch > 1 && repository.comparing(epoch) === null)
    transact((tx) => {
      // What the backup had is not to be spent by an earlier program either.
      share(tx)
      repository.noteEpoch(tx, epoch)
    })
  const open = (): { lastEntry: number } | null => {
    if (epoch === 1) return null
    const row = repository.comparing(epoch)
    return row?.comparedAt === null ? row : null
  }

  /** Whether the store has been told all that this lane has, and nothing came since. */
  const isToldAll = (applied: Standing['applied']): boolean =>
    repository
      .heads()
      .every(({ name, last, isNewest }) => (isNewest === 1 ? applied[name] === last : (applied[name] ?? 0) >= last))

  function correct(tx: Tx, voucherId: VoucherId, hereCents: number, knownCents: number): void {
    const by = knownCents - hereCents
    if (by === 0) return
    repository.insertTransfer(tx, {
      id: rng.uuid(),
      voucherId,
      direction: by > 0 ? 'drawn' : 'handed-over',
      amountCents: Math.abs(by),
      at: clock.now(),
      reason: 'restore',
    })
  }

  /** A voucher that the backup did not have. */
  function insert(tx: Tx, known: Standing['vouchers'][number]): VoucherId {
    const voucher = rowOf(known)
    repository.insertVoucher(tx, voucher)
    return voucher.id
  }

  function take(tx: Tx, { vouchers }: Standing): void {
    const known = new Map(vouchers.map((voucher) => [voucher.hash, voucher]))
    for (const { id, hereCents } of repository.all()) {
      const hash = hashOf(id)
      correct(tx, id, hereCents, Math.max(0, known.get(hash)?.cents ?? 0))
      known.delete(hash)
    }
    for (const voucher of known.values()) if (voucher.cents > 0) correct(tx, insert(tx, voucher), 0, voucher.cents)
    for (const { id } of repository.openDraws()) repository.setDraw(tx, id, 'left')
    repository.compared(tx, epoch, clock.now())
  }

  return {
    isOpen: (): boolean => open() !== null,
    /** Whether a voucher may have moved in what this lane has forgotten. */
    isFrozen(id: VoucherId): boolean {
      const row = open()
      if (row === null) return false
      const first = repository.firstEntry(id)
      return first === null || first <= row.lastEntry
    },
    /** Compares, where that is due, the store is there and has been told everything. Answers whether it is done. */
    async run(): Promise<boolean> {
      if (open() === null) return true
      if (store.state().untold > 0) return false
      const heard = await store.ask(VOUCHER_PATHS.standing, { protocol: STORE_PROTOCOL }, Standing, COMPARE_MS)
      if (heard.kind !== 'answer') return false
      const { body } = heard
      return transact((tx) => {
        // Another run may have compared by a newer answer while this one came.
        if (open() === null) return true
        if (!isToldAll(body.applied)) return false
        take(tx, body)
        log.info({ epoch }, 'the vouchers of this lane are those that the store knows of')
        return true
      })
    },
  }
}
