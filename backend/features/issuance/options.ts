import type { Locale } from '../../../contracts/locales.ts'
import type { Profile } from '../../../contracts/profile.ts'
import type { IssuanceClient } from '../../central/issuance.ts'
import type { Transact } from '../../db/transact.ts'
import type { Issuances } from '../../loyalty/issue.ts'
import type { Journal } from '../../outbox/journal.ts'
import type { KeyedMutex } from '../../outbox/keyed-mutex.ts'
import type { Seal } from '../../outbox/seal.ts'
import type { DomainEvents } from '../domain-events.ts'
import type { Members } from '../member/service.ts'
import type { Sales } from '../sales/service.ts'
import type { RulesRepository } from './repository.ts'

export interface IssuingOptions {
  readonly profile: Profile
  readonly journal: Journal
  readonly transact: Transact
  readonly sales: Pick<Sales, 'exists' | 'publish'>
  readonly events: DomainEvents
  readonly issuances: Pick<Issuances, 'enqueue'>
  readonly issuance: IssuanceClient
  readonly members: Members
  readonly rules: RulesRepository
  readonly seal: Seal
  readonly locale: () => Locale
  readonly collectorMutex: Pick<KeyedMutex, 'run' | 'busy'>
  /** The lane's: see lane_epoch. */
  readonly epoch: number
  /** True while nobody answers: then the program is not asked for what nobody must wait for. */
  readonly centralIsAway: () => boolean
}
