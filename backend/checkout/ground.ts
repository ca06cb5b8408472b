import type { TerminalEvent } from '../../contracts/events.ts'
import type { Profile } from '../../contracts/profile.ts'
import { epochOf } from '../db/epochs.ts'
import { taxesOf, type StoreTaxes } from '../domain/tax.ts'
import { createGuard } from '../features/approvals/guard.ts'
import { createDomainEvents } from '../features/domain-events.ts'
import { createReturnsRepository } from '../features/returns/repository.ts'
import { createSalesRepository } from '../features/sales/repository.ts'
import { createCustody } from '../features/shifts/custody.ts'
import { createShiftsRepository } from '../features/shifts/repository.ts'
import { createVouchersRepository } from '../features/vouchers/repository.ts'
import type { CheckoutOptions } from './options.ts'

export type Ground = ReturnType<typeof openGround>

/** The profile's taxes as they are in force, worked out once for each that it has. */
function storeTaxes(profile: Profile): StoreTaxes {
  let known: { readonly from: Profile['taxes']; readonly taxes: ReturnType<StoreTaxes> } | null = null
  return () => {
    const from = profile.taxes
    if (known === null || known.from !== from) known = { from, taxes: taxesOf(from, profile.region) }
    return known.taxes
  }
}

/** What every part of a sale stands on: rows, taxes, who may do what, and how screens and other parts hear of it. */
export function openGround(options: CheckoutOptions) {
  const { db, outbox, profile, lane, clock, signedIn } = options
  const { transact, journal, collectorMutex } = outbox
  const taxes = storeTaxes(profile)
  // The store's own choice; in Québec French, whatever language the cashier works in (Charter of the French Language,
  // s. 57); else the language that the customer is served in.
  const storeLocale = profile.locales.receipt ?? (profile.region === 'QC' ? 'fr-CA' : null)
  const locale = () => storeLocale ?? signedIn()?.locale ?? profile.locales.default
  /** Nobody hears of what is not on the disk. */
  const publish = (event: TerminalEvent): void => {
    // mutant: screen-before-commit
    transact.afterCommit(() => {
      options.publish(event)
    })
  }
  const events = createDomainEvents()
  const epoch = epochOf(db)
  const saleRows = createSalesRepository(db)
  const returnRows = createReturnsRepository(db)
  const voucherRows = createVouchersRepository(db)
  const shiftRows = createShiftsRepository(db, lane.id)
  const custody = createCustody({ repository: shiftRows, settings: () => profile.shifts, clock, signedIn })
  const guard = createGuard({
    settings: () => profile.approvals,
    taxes,
    audit: options.audit,
    transact,
    locale: profile.locales.default,
  })
  return {
    transact,
    journal,
    collectorMutex,
    taxes,
    locale,
    publish,
    events,
    epoch,
    saleRows,
    returnRows,
    voucherRows,
    shiftRows,
    custody,
    guard,
  }
}
