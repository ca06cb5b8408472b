import { createClosings } from '../features/day-end/closings.ts'
import { createDayEndDocuments } from '../features/day-end/documents.ts'
import { createDayEndRepository } from '../features/day-end/repository.ts'
import { createDayEnd } from '../features/day-end/service.ts'
import type { Receipts } from '../features/receipts/service.ts'
import { createShifts } from '../features/shifts/service.ts'
import type { Ground } from './ground.ts'
import type { CheckoutOptions } from './options.ts'

/** The money of a shift, the end of the day, and the closings of months and years. */
export function composeDay(options: CheckoutOptions, ground: Ground, { receipts }: { readonly receipts: Receipts }) {
  const { db, outbox, profile, lane, clock, audit, signedIn, staffName } = options
  const { transact, journal, shiftRows, custody, guard, locale, publish } = ground
  const documents = createDayEndDocuments({ profile, lane, staffName })
  const shifts = createShifts({
    repository: shiftRows,
    custody,
    transact,
    guard,
    audit,
    receipts,
    documents,
    clock,
    settings: () => profile.shifts,
    signedIn,
    staffName,
    locale,
    publish,
  })
  const dayEndRows = createDayEndRepository(db, lane.id)
  const dayEnd = createDayEnd({
    repository: dayEndRows,
    shifts: shiftRows,
    transact,
    journal,
    chain: outbox.chain,
    audit,
    receipts,
    documents,
    clock,
    profile,
    lane,
    staffName,
    locale,
    publish,
  })
  const closings = createClosings({
    repository: dayEndRows,
    shifts: shiftRows,
    transact,
    audit,
    receipts,
    documents,
    clock,
    profile,
    lane,
    locale,
  })
  return { shifts, dayEnd, closings }
}
