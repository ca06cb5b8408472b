import { setImmediate as breathe } from 'node:timers/promises'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { Standing, VOUCHER_PATHS } from '../../../contracts/store/vouchers.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { VoucherStore } from './draws.ts'
import { type LyingRow, type NewVoucher, storeVoucherRowsOf } from './store-vouchers.sql.ts'
import type { VoucherId } from '../../../contracts/payments/vouchers.ts'
import type { Ctx } from '../../core/context.ts'

/** Vouchers of one commit: some milliseconds. */
const TAKE_OVER_AT_ONCE = 20
/** So long after the first question that nobody answered no card of other lanes pays; then it is as with a refusal. */
const MOST_MS = 60_000

type Lying = Standing['vouchers'][number]

export interface TakingOverOptions {
  readonly store: Pick<VoucherStore, 'tell'>
  /** A row for a voucher of the store. Throws where its code does not open. */
  readonly rowOf: (voucher: Lying) => NewVoucher
  readonly share: (tx: Tx) => void
}

/**
 * A lane without a backup, in the place of one that is lost, has the vouchers that lay at that one. Nothing says that
 * it is such a lane: each that has shared no voucher yet asks. What it has no row of can only be of the one before, so
 * it need not have told anything first; what it has a row of stays as it is.
 */
export function createTakingOver(ctx: Ctx, { store, rowOf, share }: TakingOverOptions) {
  const { transact, clock, rng, log } = ctx
  const repository = storeVoucherRowsOf(ctx)
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
    for (let from = 0; from < vouchers.length; from += TAKE_OVER_AT_ONCE) {
      if (from > 0) await breathe()
      if (isStopped) return
      const lost = rowsOf(vouchers.slice(from, from + TAKE_OVER_AT_ONCE))
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

/** Transfers of one commit. */
const HAND_OVER_AT_ONCE = 100

export interface HandOverOptions {
  readonly store: Pick<VoucherStore, 'state' | 'kick'>
  /** Whether a sale in progress may want it, or nobody may touch it yet. */
  readonly isNeeded: (id: VoucherId) => boolean
  /** Cents that stay of each voucher at the lane that issued it. */
  readonly reserveCents: () => number
  readonly share: (tx: Tx) => void
}

/**
 * Hands over to the store what lies at this lane and nobody pays with: each as a transfer that its stream tells, so
 * that it is counted once. Where the store is away it stays, and pays here.
 */
export function createHandOver(ctx: Ctx, { store, isNeeded, reserveCents, share }: HandOverOptions) {
  const { transact, clock, rng } = ctx
  const repository = storeVoucherRowsOf(ctx)
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
      for (let from = 0; from < free.length; from += HAND_OVER_AT_ONCE)
        handOver(free.slice(from, from + HAND_OVER_AT_ONCE))
      moved = new Set(waiting.map(({ id }) => id))
      return true
    },
  }
}
