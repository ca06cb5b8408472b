import type { Refund, ReturnQuote } from '../../../contracts/api/returns.ts'
import { miles } from '../../../contracts/miles.ts'
import { cents } from '../../../contracts/money.ts'
import type { Profile } from '../../../contracts/profile.ts'
import { isoOf, type Clock } from '../../clock.ts'
import type { BasketLine } from '../../domain/basket.ts'
import { isGiftCard } from '../../domain/gift-card.ts'
import { only, planRefunds, without, worthOf, type Pieces, type PlannedRefund } from '../../domain/returns.ts'
import { reversalDeadline, reversalOpen } from '../../domain/reversal-window.ts'
import type { StoreTaxes } from '../../domain/tax.ts'
import { ProblemError } from '../../http/problem.ts'
import type { Sales } from '../sales/service.ts'
import { pricedLines, taxesOfSale, totalsOf, type SaleParts } from '../sales/view.ts'
import type { ReturnsRepository } from './repository.ts'

export interface ReturnPlansOptions {
  readonly repository: Pick<ReturnsRepository, 'returned' | 'refundsOfSale'>
  readonly sales: Pick<Sales, 'parts'>
  readonly clock: Clock
  readonly profile: Pick<Profile, 'timeZone'>
  readonly taxes: StoreTaxes
}

/** A return before it is committed: what would come back, and what would go back for it. */
export interface Plan {
  readonly now: SaleParts
  readonly lines: readonly BasketLine[]
  readonly left: readonly BasketLine[]
  readonly totals: ReturnQuote['totals']
  readonly refunds: readonly PlannedRefund[]
  /** Of an exchange: what is due on the open sale, and how much of it the store credit pays. 0 without one. */
  readonly dueCents: number
  readonly paysCents: number
}

/** How much goes back in which form, without why. */
export type GoingBack = Omit<Refund, 'reference'>

/** What of it is store credit, in cents. */
export const creditOf = (refunds: readonly GoingBack[]): number =>
  refunds.reduce((sum, { kind, amountCents }) => (kind === 'store-credit' ? sum + amountCents : sum), 0)

/** What a return would do, by the sale as it stands. Reads, and changes nothing. */
export function createReturnPlans({ repository, sales, clock, profile, taxes }: ReturnPlansOptions) {
  function completed(saleId: string): SaleParts {
    const now = sales.parts(saleId)
    if (now.sale.state !== 'completed') throw new ProblemError('sale-not-completed')
    return now
  }

  /** What is still due on the open sale that a return is to pay. */
  function dueOf(exchangeWith: string): number {
    const other = sales.parts(exchangeWith)
    if (other.sale.state !== 'open') throw new ProblemError('sale-not-open')
    const { dueCents } = totalsOf(other, taxes())
    if (dueCents <= 0) throw new ProblemError('nothing-due')
    return dueCents
  }

  function plan(saleId: string, pieces: readonly Pieces[], exchangeWith?: string): Plan {
    const now = completed(saleId)
    const taken = repository.returned(saleId)
    const sold = pricedLines(now)
    for (const { number } of pieces) {
      if (!sold.some((line) => line.number === number && !line.voided)) throw new ProblemError('return-nothing')
    }
    const before = without(sold, taken)
    if (only(sold, pieces).some(isGiftCard)) throw new ProblemError('gift-card-kept')
    for (const { number } of pieces) {
      const asked = pieces.filter((piece) => piece.number === number).reduce((sum, { quantity }) => sum + quantity, 0)
      if (asked > (before.find((line) => line.number === number)?.quantity ?? 0))
        throw new ProblemError('return-exceeds-sold')
    }
    const left = without(before, pieces)
    const totals = worthOf(before, left, taxesOfSale(now.sale, taxes()))
    const dueCents = exchangeWith === undefined ? 0 : dueOf(exchangeWith)
    const refunds = planRefunds(
      totals.totalCents,
      {
        tenders: now.tenders.map(({ kind, amountCents }) => ({ kind, amountCents: cents(amountCents) })),
        refunds: repository.refundsOfSale(saleId).map((refund) => ({
          kind: refund.kind,
          paidBy: refund.paidBy,
          amountCents: cents(refund.amountCents),
          roundingCents: cents(refund.roundingCents),
        })),
        reversible:
          now.redemption?.state === 'approved' &&
          reversalOpen(clock.now(), now.redemption.transDateTime ?? '', profile.timeZone),
      },
      dueCents,
    )
    if (!refunds) throw new ProblemError('return-not-covered')
    return {
      now,
      lines: only(before, pieces),
      left,
      totals,
      refunds,
      dueCents,
      paysCents: Math.min(dueCents, creditOf(refunds)),
    }
  }

  /** What can still be given back as miles, and until when (specification 3 §3). */
  function reversibleOf({ redemption }: SaleParts): ReturnQuote['reversible'] {
    if (redemption?.state !== 'approved') return null
    const closesAt = reversalDeadline(redemption.transDateTime ?? '', profile.timeZone)
    if (!(clock.now() < closesAt)) return null
    return {
      closesAt: isoOf(closesAt),
      miles: miles(redemption.miles ?? 0),
      amountCents: cents(redemption.amountCents ?? 0),
    }
  }

  return { completed, plan, reversibleOf }
}
