import type { CommitReturn } from '../../../contracts/api/returns.ts'
import type { SaleId } from '../../../contracts/ids.ts'
import type { Tx } from '../../db/transact.ts'
import type { BasketLine } from '../../domain/basket.ts'
import type { PlannedRefund } from '../../domain/returns.ts'
import { ProblemError } from '../../http/problem.ts'
import type { Who } from '../approvals/guard.ts'
import type { Claimed } from '../store-returns/service.ts'
import type { ReturnApproval } from './approval.ts'
import type { ReturnsOptions } from './options.ts'
import type { GoingBack, Plan, ReturnPlans } from './plans.ts'
import type { ReturnReceipts } from './receipts.ts'
import type { Refunds } from './refunds.ts'
import type { ReturnRow } from './repository.ts'

export interface ReturnCommitsOptions extends Pick<
  ReturnsOptions,
  | 'repository'
  | 'sales'
  | 'saleRows'
  | 'transact'
  | 'events'
  | 'store'
  | 'storeRows'
  | 'vouchers'
  | 'custody'
  | 'audit'
  | 'guard'
  | 'clock'
  | 'lane'
> {
  readonly plans: Pick<ReturnPlans, 'plan'>
  readonly approval: Pick<ReturnApproval, 'neededFor'>
  readonly refunds: Refunds
  readonly papers: Pick<ReturnReceipts, 'enqueue'>
}

export interface Committed {
  readonly row: ReturnRow
  /** Whether it completed the open sale that it paid. */
  readonly completed: boolean
  readonly claimed: Claimed
}

/** Writes a return of a known sale, with all that follows from it; and tries whether it could be written. */
export function createReturnCommits(options: ReturnCommitsOptions) {
  const { repository, transact, store, storeRows, vouchers, guard, lane } = options

  /** What was shown, as it still stands. Throws ProblemError `sale-stale` and `return-changed` where it does not. */
  function planAsShown(command: CommitReturn, claimId: string | null): Plan {
    const { saleId, exchange } = command
    const planned = options.plans.plan(saleId, command.lines, exchange?.saleId)
    if (command.version !== planned.now.sale.version) throw new ProblemError('sale-stale')
    if (!sameRefunds(planned.refunds, command.refunds)) throw new ProblemError('return-changed')
    // The store has got the sale since it was looked at.
    if (claimId === null && store.governs(saleId)) throw new ProblemError('return-changed')
    return planned
  }

  /** The return itself with its goods, in the shift of whoever makes it. */
  function insert(tx: Tx, row: ReturnRow, sequence: number, { now, lines }: Plan, claimId: string | null): void {
    const shiftId = options.custody.enter(tx, row.cashierId)
    // Of a sale of another lane the row has none: what it would say stands beside it.
    const own = now.elsewhere
      ? { saleId: null, approvedBy: row.approvedBy ?? row.cashierId, reason: row.reason ?? '-' }
      : {}
    repository.insert(tx, { ...row, ...own, sequence, lane: lane.id, shiftId })
    if (claimId !== null) store.commit(tx, claimId, row.id)
    if (now.elsewhere) storeRows.insertReturn(tx, { ...row, saleId: now.sale.id }, lines)
    repository.insertLines(tx, row, lines)
  }

  /** `claimId`: the store's word, where that is needed. */
  function commit(tx: Tx, command: CommitReturn, who: Who, claimId: string | null): Committed {
    const { saleId, exchange } = command
    const { actorId: cashierId } = who
    const planned = planAsShown(command, claimId)
    const { now, lines, left, earlier, totals, refunds, paysCents } = planned
    const cardReference = cardReferenceOf(command, refunds)
    const asked = options.approval.neededFor(saleId, planned, command.reason ?? null)
    const approvedBy = asked && guard.word('return', who, asked).approvedBy
    const { id, sequence } = options.sales.nextId()
    const at = options.clock.now()
    const row: ReturnRow = { id, saleId, cashierId, approvedBy, reason: command.reason ?? null, at, totals }
    if (approvedBy !== null && approvedBy !== cashierId)
      options.audit.record(tx, {
        kind: 'return-approved',
        actorId: approvedBy,
        subject: id,
        detail: { cashier: cashierId, totalCents: totals.totalCents },
      })
    insert(tx, row, sequence, planned, claimId)
    const credit = options.refunds.insert(tx, row, refunds, now, cardReference)
    options.events.emit('return.committed', tx, {
      returnId: id,
      sale: now,
      at,
      lines,
      left,
      earlier,
      totals,
      tenders: refunds.flatMap(({ kind }) => (kind === 'store-credit' ? [] : [kind])),
    })
    // Every screen that has not seen this return is out of date: a second tap finds nothing to act on.
    if (!now.elsewhere) options.saleRows.touch(tx, saleId)
    options.papers.enqueue(tx, row)
    const completed =
      exchange !== undefined && credit !== null && options.refunds.payAtOnce(tx, exchange, credit, paysCents)
    // What an exchange has used up needs no paper.
    if (credit) vouchers.enqueueDocument(tx, credit.id)
    // Asked last: nobody is called for a return that the open sale of an exchange refuses.
    if (asked) guard.need('return', who, asked)
    return { row, completed, claimed: claimedOf(row, saleId, lines, refunds) }
  }

  return {
    commit,

    /** The whole return, taken back again: what it would claim. Throws what the return itself would throw. */
    rehearse(command: CommitReturn, who: Who): Claimed {
      try {
        return transact((tx) => {
          throw new Rehearsed(commit(tx, command, who, store.pretend(tx, command.saleId)).claimed)
        })
      } catch (error) {
        if (error instanceof Rehearsed) return error.claimed
        throw error
      }
    },
  }
}

/** Takes a return back that was only to show that nothing refuses it. */
class Rehearsed extends Error {
  readonly claimed: Claimed
  constructor(claimed: Claimed) {
    super('rehearsed')
    this.claimed = claimed
  }
}

/** What the store is asked for. */
const claimedOf = (
  { at, totals }: Pick<ReturnRow, 'at' | 'totals'>,
  saleId: SaleId,
  lines: readonly BasketLine[],
  refunds: readonly GoingBack[],
): Claimed => ({
  saleId,
  at,
  lines: lines.map(({ number, quantity }) => ({ number, quantity })),
  refunds: refunds.map(({ kind, paidBy, amountCents, roundingCents }) => ({
    kind,
    paidBy: paidBy ?? kind,
    amountCents,
    roundingCents,
  })),
  totalCents: totals.totalCents,
})

/** The number of the refund slip, where the card gets something. Throws ProblemError where it is missing or wrong. */
function cardReferenceOf(command: CommitReturn, refunds: readonly GoingBack[]): string | null {
  const reference = command.cardReference ?? null
  if (reference === null && refunds.some(({ kind }) => kind === 'card')) throw new ProblemError('return-card-reference')
  return reference
}

const sameRefunds = (planned: readonly PlannedRefund[], shown: CommitReturn['refunds']): boolean =>
  planned.length === shown.length &&
  planned.every(({ kind, paidBy, amountCents }) =>
    shown.some((refund) => refund.kind === kind && refund.paidBy === paidBy && refund.amountCents === amountCents),
  )
