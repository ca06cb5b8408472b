import type { Ledger } from '../ledger/ledger.ts'
import type { ProgramRepository } from '../program/repository.ts'
import type { IssuanceRepository } from './repository.ts'

/** What both halves of the issuance service, and the settlement of what waits, work with. */
export interface IssuanceDependencies {
  readonly program: ProgramRepository
  readonly ledger: Ledger
  readonly issuances: IssuanceRepository
}
