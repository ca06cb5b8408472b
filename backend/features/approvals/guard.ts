import type { ApprovalAction } from '../../../contracts/api/sale-changes.ts'
import type { Staff } from '../../../contracts/api/session.ts'
import type { AuditKind } from '../../../contracts/audit-kinds.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { ApprovalSettings } from '../../../contracts/sale-rules.ts'
import { needsSupervisor } from '../../domain/discounts.ts'
import type { Transact, Tx } from '../../db/transact.ts'
import type { StoreTax } from '../../domain/tax.ts'
import { ProblemError } from '../../http/problem.ts'
import { pricingOf, totalsOf, type PricedParts, type SaleParts } from '../sales/view.ts'
import type { AuditDetail, AuditTrail } from '../staff/audit.ts'
import { approvalRequest, changeOfSale, covered, subjectOf, type ApprovalFacts } from './request.ts'

/** Who asks for a change, and which supervisor or manager has approved it: null when nobody has. */
export interface Who {
  readonly actorId: string
  readonly approvedBy: string | null
  /** What was shown to whoever approved; left out of what a supervisor does on their own word. */
  readonly covers?: string
}

/** Who may approve what a cashier may not do alone. */
export const mayApprove = ({ role }: Pick<Staff, 'role'>): boolean => role !== 'cashier'
/** A command without a PIN beside it: a supervisor or a manager who sells needs nobody else's word. */
export const onOwnWord = (actor: Pick<Staff, 'id' | 'role'>): Who => ({
  actorId: actor.id,
  approvedBy: mayApprove(actor) ? actor.id : null,
})

export type Guard = ReturnType<typeof createGuard>

export interface GuardOptions {
  readonly settings: ApprovalSettings
  readonly taxes: readonly StoreTax[]
  readonly audit: Pick<AuditTrail, 'record'>
  readonly transact: Transact
  /** In which the trail names items. */
  readonly locale: Locale
}

/**
 * What a cashier may not do alone, by the store's settings, and the trail of what was done. Every call stands inside
 * the transaction of its change: a refusal takes the change back, and the entry of the trail commits with it. It stands
 * after everything else that may refuse the change: nobody is called to approve what cannot be done anyway.
 */
export function createGuard({ settings, taxes, audit, transact, locale }: GuardOptions) {
  const limitPpm = Math.round(settings.discountAbovePercent * 10_000)

  function need(action: ApprovalAction, who: Who, facts: ApprovalFacts, thing?: string): void {
    const { actorId, approvedBy, covers } = who
    const request = approvalRequest(action, facts, thing)
    if (approvedBy !== null && (covers === undefined || covers === request.covers)) {
      const onOwn = covers === undefined
      const subject = subjectOf(facts) ?? thing
      transact((tx) => {
        audit.record(tx, {
          kind: onOwn ? 'override' : 'approval-given',
          actorId: approvedBy,
          ...(subject === undefined ? {} : { subject }),
          detail: { action, ...(onOwn ? {} : { askedBy: actorId }), ...covered(facts, locale) },
        })
      })
      return
    }
    throw new ProblemError('approval-required', [{ path: 'action', message: action }], { approval: request })
  }

  /** What of a change a supervisor must see, in the order in which it is named. */
  function neededFor(before: SaleParts, after: SaleParts): ApprovalAction | null {
    if (settings.lineVoid && voidsLine(before, after)) return 'line-void'
    if (settings.priceChange && pricesMore(before, after)) return 'price'
    if (settings.taxExemption && exemptsMore(before, after, taxes)) return 'exemption'
    return needsSupervisor(limitPpm, pricingOf(before), pricingOf(after)) ? 'discount' : null
  }

  return {
    /**
     * For what needs a supervisor here and now; throws ProblemError `approval-required` with what would be done, unless
     * exactly that was approved.
     */
    need,
    /**
     * For every change of an open sale, by whichever door it comes: an approval covers what it was given for, and
     * nothing that comes after.
     */
    change(before: SaleParts, after: SaleParts, who: Who): void {
      const action = neededFor(before, after)
      if (action !== null) need(action, who, changeOfSale(before, after, taxes))
    },
    /** False where ringing can ask nobody: nothing of this sale was agreed by hand. */
    mayAsk: ({ sale, lines, discounts }: PricedParts): boolean =>
      sale.exemption !== null ||
      discounts.some(({ byHand }) => byHand) ||
      lines.some(({ regularPriceCents, voided }) => regularPriceCents !== null && voided === 0),
    /** `detail` says what stood before and after. Never a PIN or a card number. */
    record(tx: Tx, kind: AuditKind, saleId: string, { actorId, approvedBy }: Who, detail: AuditDetail): void {
      audit.record(tx, { kind, actorId, subject: saleId, detail: { ...detail, approvedBy } })
    },
  }
}

const standing = ({ lines }: SaleParts) => lines.filter(({ voided }) => voided === 0)

function voidsLine(before: SaleParts, after: SaleParts): boolean {
  const left = new Set(standing(after).map(({ number }) => number))
  return standing(before).some(({ number }) => !left.has(number))
}

/** Another price than the catalog's, of a line or for pieces that did not have it before. */
function pricesMore(before: SaleParts, after: SaleParts): boolean {
  const was = new Map(standing(before).map((line) => [line.number, line]))
  return standing(after).some(({ number, regularPriceCents, unitPriceCents, quantity }) => {
    const then = was.get(number)
    return (
      regularPriceCents !== null &&
      (then === undefined ||
        then.regularPriceCents === null ||
        then.unitPriceCents !== unitPriceCents ||
        quantity > then.quantity)
    )
  })
}

/** Another exemption, or more tax that is not taken. */
function exemptsMore(before: SaleParts, after: SaleParts, taxes: readonly StoreTax[]): boolean {
  if (after.sale.exemption === null) return false
  return before.sale.exemption !== after.sale.exemption || spared(after, taxes) > spared(before, taxes)
}

const spared = (parts: SaleParts, taxes: readonly StoreTax[]): number =>
  totalsOf({ ...parts, sale: { ...parts.sale, exemption: null } }, taxes).totalCents - totalsOf(parts, taxes).totalCents
