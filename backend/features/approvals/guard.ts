import type { ApprovalAction } from '../../../contracts/api/sale-changes.ts'
import type { ApprovalSettings } from '../../../contracts/sale-rules.ts'
import { needsSupervisor, type Pricing } from '../../domain/discounts.ts'
import { ProblemError } from '../../http/problem.ts'
import type { AuditTrail } from '../staff/audit.ts'

/** Who asks for a change, and which supervisor or manager has approved this very command: null when nobody has. */
export interface Who {
  readonly actorId: string
  readonly approvedBy: string | null
}

export type Guard = ReturnType<typeof createGuard>

/**
 * What a cashier may not do alone, by the store's settings, and the trail of what was done. Every call stands inside the
 * transaction of its change: a refusal takes the change back, and the entry of the trail commits with it. It stands after
 * everything else that may refuse the change: nobody is called to approve what cannot be done anyway.
 */
export function createGuard({ settings, audit }: { readonly settings: ApprovalSettings; readonly audit: AuditTrail }) {
  const limitPpm = Math.round(settings.discountAbovePercent * 10_000)
  const asked = { price: settings.priceChange, 'line-void': settings.lineVoid, exemption: settings.taxExemption } as const

  function need(action: ApprovalAction, { approvedBy }: Who): void {
    if (approvedBy === null) throw new ProblemError('approval-required', [{ path: 'action', message: action }])
  }

  return {
    /** For what needs a supervisor here and now; throws ProblemError `approval-required`, whose detail `action` says what for. */
    need,
    /** For what always needs a supervisor where the store says so. */
    always(action: keyof typeof asked, who: Who): void {
      if (asked[action]) need(action, who)
    },
    /** For whatever leaves a line with more taken off by hand than a cashier may give, however it came to that. */
    pricing(before: Pricing, after: Pricing, who: Who): void {
      if (needsSupervisor(limitPpm, before, after)) need('discount', who)
    },
    /** `detail` says what stood before and after. Never a PIN or a card number. */
    record(kind: string, saleId: string, { actorId, approvedBy }: Who, detail: Readonly<Record<string, string | number | boolean | null>>): void {
      audit.record({ kind, actorId, subject: saleId, detail: { ...detail, approvedBy } })
    },
  }
}
