import type { Ledger } from '../ledger/ledger.ts'
import type { ProgramRepository } from '../program/repository.ts'
import type { OfferStateRepository } from '../offers/states.ts'
import type { IssuanceRepository } from './repository.ts'

/** What both halves of the issuance service, and the settlement of what waits, work with. */
export interface IssuanceDependencies {
  readonly program: ProgramRepository
  readonly ledger: Ledger
  readonly issuances: IssuanceRepository
  /** What collectors did with the offers of specification 1. */
  readonly offerStates: Pick<OfferStateRepository, 'of'>
}
