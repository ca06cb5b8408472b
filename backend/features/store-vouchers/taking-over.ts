import { setImmediate as breathe } from 'node:timers/promises'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { Standing, VOUCHER_PATHS } from '../../../contracts/store/vouchers.ts'
import type { Clock, Rng } from '../../clock.ts'
import type { Transact, Tx } from '../../db/transact.ts'
import type { Logger } from '../../log.ts'
import type { VoucherStore } from './draws.ts'
import type { NewVoucher, StoreVouchersRepository } from './repository.ts'

/** Vouchers of one commit: some milliseconds. */
const AT_ONCE = 20
/** So long after the first question that nobody answered no card of other lanes pays; then it is as with a refusal. */
const MOST_MS = 60_000

type Lying = Standing['vouchers'][number]

export interface TakingOverOptions {
  readonly repository: StoreVouchersRepository
  readonly store: Pick<VoucherStore, 'tell'>
  /** A row for a voucher of the store. Throws where its code does not open. */
  readonly rowOf: (voucher: Lying) => NewVoucher
  readonly share: (tx: Tx) => void
  readonly transact: Transact
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly rng: Pick<Rng, 'uuid'>
  readonly log: Pick<Logger, 'warn'>
}

export type TakingOver = ReturnType<typeof createTakingOver>

/**
 * A lane without a backup, in the place of one that is lost, has the vouchers that lay at that one. Nothing says that
 * it is such a lane: each that has shared no voucher yet asks. What it has no row of can only be of the one before, so
 * it need not have told anything first; what it has a row of stays as it is.
 */
export function createTakingOver(options: TakingOverOptions) {
  const { repository, store, rowOf, share, transact, clock, rng, log } = options
  let isDone = repository.epoch() > 1 || repository.isMarked()
  /** Where it failed it is asked again once the store is reached anew. */
  let isDue = !isDone
  /** Until it is known what lies here no voucher without a row gets one, and nothing marks the database. */
  let isHolding = !isDone
  let isStopped = false
  let deadline: number | null = null
  let running: Promise<void> | null = null

  function rowsOf(vouchers: readonly Lying[]): { row: NewVoucher; cents: number }[] {
    return vouchers.flatMap((voucher) => {
      try {
        const row = rowOf(voucher)
        return repository.byHash(row.codeHash) === null ? [{ row, cents: voucher.cents }] : []
      } catch (error) {
        log.warn({ err: error }, 'a voucher of the lane before could not be taken over')
        return []
      }
    })
  }

  /** What it has taken is passed over the next time; so the mark, which ends the asking, comes last. */
  async function take(vouchers: readonly Lying[]): Promise<void> {
    let isAny = false
    for (let from = 0; from < vouchers.length; from += AT_ONCE) {
      if (from > 0) await breathe()
      if (isStopped) return
      const lost = rowsOf(vouchers.slice(from, from + AT_ONCE))
      if (lost.length > 0)
        transact((tx) => {
          for (const { row, cents: amountCents } of lost) {
            repository.insertVoucher(tx, row)
            const moved = { voucherId: row.id, direction: 'drawn', amountCents, reason: 'restore' } as const
            repository.insertTransfer(tx, { ...moved, id: rng.uuid(), at: clock.now() })
          }
        })
      isAny ||= lost.length > 0
    }
    if (isAny) transact(share)
  }

  async function once(): Promise<void> {
    const heard = await store.tell(VOUCHER_PATHS.standing, { protocol: STORE_PROTOCOL }, Standing)
    if (isStopped) return
    if (heard.kind === 'away') {
      deadline ??= clock.monotonic() + MOST_MS
      if (clock.monotonic() < deadline) return
    }
    isDue = false
    if (heard.kind === 'answer') {
      await take(heard.body.vouchers.filter(({ cents }) => cents > 0))
      isDone = true
    }
    isHolding = false
  }

  async function tryOnce(): Promise<void> {
    try {
      await once()
    } catch (error) {
      log.warn({ err: error }, 'vouchers could not be settled with the store')
      isDue = isHolding = false
    }
  }

  return {
    /** Whether a voucher that this lane has no row of may be about to lie here. */
    isHolding: (): boolean => isHolding,
    /** Asks, where that is due; whoever calls meanwhile waits for the same answer. Answers whether to go on. */
    async run(): Promise<boolean> {
      if (!isDue) return true
      running ??= tryOnce().finally(() => {
        running = null
      })
      await running
      return !isHolding
    },
    /** The store was reached anew. */
    again(): void {
      isDue = !isDone
    },
    stop(): void {
      isStopped = true
    },
  }
}
