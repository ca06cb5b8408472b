import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { Standing, VOUCHER_PATHS } from '../../../contracts/store/vouchers.ts'
import type { VoucherId } from '../../../contracts/api/vouchers.ts'
import type { Clock, Rng } from '../../clock.ts'
import type { Transact, Tx } from '../../db/transact.ts'
import type { Logger } from '../../log.ts'
import type { VoucherStore } from './draws.ts'
import type { NewVoucher, StoreVouchersRepository } from './repository.ts'

const ASK_MS = 10_000

export interface ComparingOptions {
  readonly repository: StoreVouchersRepository
  readonly store: VoucherStore
  readonly hashOf: (voucherId: VoucherId) => string
  /** A row for a voucher of the store. Throws where its code does not open. */
  readonly rowOf: (voucher: Standing['vouchers'][number]) => NewVoucher
  readonly share: (tx: Tx) => void
  readonly transact: Transact
  readonly clock: Pick<Clock, 'now'>
  readonly rng: Pick<Rng, 'uuid'>
  readonly log: Pick<Logger, 'info'>
}

export type Comparing = ReturnType<typeof createComparing>

/**
 * A lane that went back to a backup has forgotten what it handed over, drew, sold and took since; the store was told
 * and has not. Until the two were compared no voucher of before pays at this lane; then what lies here is what the
 * store knows to lie here.
 */
export function createComparing(options: ComparingOptions) {
  const { repository, store, hashOf, rowOf, share, transact, clock, rng, log } = options
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
      const heard = await store.ask(VOUCHER_PATHS.standing, { protocol: STORE_PROTOCOL }, Standing, ASK_MS)
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
