import type { GivenIssuance } from '../../../contracts/central/issuance.ts'
import type { PartnerRule } from '../../../contracts/core/profile.ts'
import type { SaleFact } from '../../../contracts/store/facts.ts'
import type { AnswerEntry } from '../../core/outbox/operation-lists.ts'
import type { SaleSecret } from '../../store/store-seal.ts'

export interface Elsewhere {
  readonly lane: string
  readonly cashierName: string
  readonly secret: SaleSecret
  readonly issuance: {
    /** State of the call that issues the miles; null while this lane does not know how the call ended. */
    readonly state: string | null
    readonly type: string
    readonly transactionId: string | null
    readonly given: readonly GivenIssuance[]
    readonly rules: readonly PartnerRule[]
    readonly answered: readonly AnswerEntry[] | null
  } | null
  readonly offers: SaleFact['offers']
}
