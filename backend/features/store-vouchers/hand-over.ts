import type { VoucherId } from '../../../contracts/api/vouchers.ts'
import type { Clock, Rng } from '../../clock.ts'
import type { Transact, Tx } from '../../db/transact.ts'
import type { VoucherStore } from './draws.ts'
import type { LyingRow, StoreVouchersRepository } from './repository.ts'

/** Transfers of one commit. */
const AT_ONCE = 100

export interface HandOverOptions {
  readonly repository: StoreVouchersRepository
  readonly store: Pick<VoucherStore, 'state' | 'kick'>
  /** Whether a sale in progress may want it, or nobody may touch it yet. */
  readonly isNeeded: (id: VoucherId) => boolean
  /** Cents that stay of each voucher at the lane that issued it. */
  readonly reserveCents: () => number
  readonly share: (tx: Tx) => void
  readonly transact: Transact
  readonly clock: Pick<Clock, 'now'>
  readonly rng: Pick<Rng, 'uuid'>
}

export type HandOver = ReturnType<typeof createHandOver>

/**
 * Hands over to the store what lies at this lane and nobody pays with: each as a transfer that its stream tells, so
 * that it is counted once. Where the store is away it stays, and pays here.
 */
export function createHandOver(options: HandOverOptions) {
  const { repository, store, isNeeded, reserveCents, share, transact, clock, rng } = options
  /** What may have something to hand over; null: nobody has looked since the store was reached. */
  let moved: Set<VoucherId> | null = null

  const surplusOf = ({ hereCents, isOwn }: LyingRow): number => hereCents - (isOwn === 1 ? reserveCents() : 0)

  function handOver(rows: readonly LyingRow[]): void {
    transact((tx) => {
      share(tx)
      for (const row of rows)
        repository.insertTransfer(tx, {
          id: rng.uuid(),
          voucherId: row.id,
          direction: 'handed-over',
          amountCents: surplusOf(row),
          at: clock.now(),
          reason: 'surplus',
        })
    })
    store.kick()
  }

  function candidates(): LyingRow[] {
    if (moved === null) return repository.lying()
    return [...moved].flatMap((id) => repository.byId(id) ?? [])
  }

  return {
    /** Something of it lies here, or a sale that wanted it has ended. */
    note: (id: VoucherId): void => {
      moved?.add(id)
    },
    /** Looks at all that there are the next time. */
    forget: (): void => {
      moved = null
    },
    /**
     * Hands over what can be, where the store is there. False: it has not heard yet what was told last, and may be gone
     * and not missed: what is handed over then, nobody could spend.
     */
    run(): boolean {
      const { kind, untold } = store.state()
      if (kind !== 'connected') return true
      if (untold > 0) return false
      const rows = candidates()
      const waiting = rows.filter(({ id }) => isNeeded(id))
      const free = rows.filter((row) => !isNeeded(row.id) && surplusOf(row) > 0)
      for (let from = 0; from < free.length; from += AT_ONCE) handOver(free.slice(from, from + AT_ONCE))
      moved = new Set(waiting.map(({ id }) => id))
      return true
    },
  }
}
