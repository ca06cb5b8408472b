import type { HeldSale } from '../../../contracts/api/held-sales.ts'
import type { Sale } from '../../../contracts/api/sales.ts'
import type { Lane } from '../../../contracts/profile.ts'
import { isoOf, type Clock } from '../../clock.ts'
import type { Transact } from '../../db/transact.ts'
import { holdsCollectorNumber } from '../../domain/masking.ts'
import { looksLikePaymentCard } from '../../domain/payment-card.ts'
import type { StoreTaxes } from '../../domain/tax.ts'
import { ProblemError } from '../../http/problem.ts'
import type { Guard, Who } from '../approvals/guard.ts'
import type { Members } from '../member/service.ts'
import type { Sales } from '../sales/service.ts'
import { totalsOf } from '../sales/view.ts'
import type { AuditTrail } from '../staff/audit.ts'
import type { HeldSalesRepository } from './repository.ts'

export interface HeldSalesOptions {
  readonly repository: HeldSalesRepository
  readonly sales: Sales
  readonly members: Members
  readonly transact: Transact
  readonly audit: AuditTrail
  readonly clock: Clock
  readonly lane: Lane
  readonly taxes: StoreTaxes
  readonly guard: Pick<Guard, 'whole'>
}

export type HeldSalesService = ReturnType<typeof createHeldSales>

/**
 * Puts the open sale aside for another customer and brings it back. A sale that was paid on is never put aside: its
 * redemption could be given back only until 03:00 (specification 3 §4.5), and nobody would be looking.
 */
export function createHeldSales(options: HeldSalesOptions) {
  const { repository, sales, members, transact, audit, guard, clock, lane, taxes } = options

  function freeNumber(): string {
    const taken = new Set(repository.list(lane.id).map(({ heldAs }) => heldAs))
    let number = 1
    while (taken.has(String(number))) number += 1
    return String(number)
  }

  return {
    list: (): HeldSale[] =>
      repository.list(lane.id).map(({ id, heldAs, heldAt, cashier }) => {
        const parts = sales.parts(id)
        return {
          id,
          version: parts.sale.version,
          name: heldAs,
          heldAt: isoOf(heldAt),
          itemCount: parts.lines.reduce((count, line) => count + (line.voided === 1 ? 0 : line.quantity), 0),
          totalCents: totalsOf(parts, taxes()).totalCents,
          memberLast4: parts.sale.memberLast4,
          cashier: cashier ?? parts.sale.servedBy,
        }
      }),

    /**
     * Throws ProblemError `sale-empty`, `sale-held-by-redemption`, `sale-paid-on`, or `note-holds-number` for a name
     * that is a card number.
     */
    hold: (id: string, version: number, name: string | undefined, who: Who): Sale =>
      sales.command(id, version, 'hold', (tx, now) => {
        if (name !== undefined && (looksLikePaymentCard(name) || holdsCollectorNumber(name)))
          throw new ProblemError('note-holds-number')
        if (!now.lines.some((line) => line.voided === 0)) throw new ProblemError('sale-empty')
        sales.refuseDuringPayment(now)
        if (
          now.tenders.length > 0 ||
          (now.redemption && now.redemption.state !== 'declined' && now.redemption.state !== 'reversed')
        )
          throw new ProblemError('sale-paid-on')
        guard.whole('hold', now, who)
        repository.hold(tx, id, clock.now(), name ?? freeNumber(), who.actorId)
        audit.record(tx, { kind: 'sale-held', actorId: who.actorId, subject: id })
      }),

    /** Throws ProblemError `sale-not-held`, `sale-stale`, or `sale-open-already` while the lane rings another. */
    resume(id: string, version: number, actorId: string): Sale {
      transact((tx) => {
        const sale = sales.row(id)
        if (sale.state !== 'held' || sale.lane !== lane.id) throw new ProblemError('sale-not-held')
        if (sale.version !== version) throw new ProblemError('sale-stale')
        if (sales.currentId() !== null) throw new ProblemError('sale-open-already')
        repository.resume(tx, id)
        sales.touch(tx, id)
        audit.record(tx, { kind: 'sale-resumed', actorId, subject: id })
      })
      const sale = sales.publish(id, 'hold')
      members.resume(id)
      return sale
    },
  }
}
