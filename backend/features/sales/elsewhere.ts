import { z } from 'zod'
import type { GivenIssuance } from '../../../contracts/central/issuance.ts'
import { CollectorNumber } from '../../../contracts/ids.ts'
import type { PartnerRule } from '../../../contracts/profile.ts'
import type { SaleFact } from '../../../contracts/store/facts.ts'
import type { AnswerEntry } from '../../outbox/answer-entries.ts'

/** What the sealed part of a sale holds. */
export const SaleSecret = z.object({
  collector: CollectorNumber.optional(),
  /** The request of its REDEEM, as REVERSE repeats it. */
  redeem: z.json().optional(),
  /** Who got the miles. */
  earner: CollectorNumber.optional(),
})
export type SaleSecret = z.infer<typeof SaleSecret>

/** What of another lane's sale its parts do not say. */
export interface Elsewhere {
  readonly lane: string
  readonly cashierName: string
  readonly secret: SaleSecret
  readonly issuance: {
    /** Null: nothing was heard of it since it was queued. */
    readonly state: string | null
    readonly type: string
    readonly transactionId: string | null
    readonly given: readonly GivenIssuance[]
    readonly rules: readonly PartnerRule[]
    readonly answered: readonly AnswerEntry[] | null
  } | null
  readonly offers: SaleFact['offers']
}
