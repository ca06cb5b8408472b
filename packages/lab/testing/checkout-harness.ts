import { EventEmitter } from 'node:events'
import { onTestFinished } from 'vitest'
import type { Staff } from '../../../contracts/staff/session.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { StaffId } from '../../../contracts/core/ids.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import { createTokenSource } from '../../../backend/core/central/token.ts'
import { createTransport } from '../../../backend/core/central/transport.ts'
import { type CheckoutOptions, openLabCheckout } from './lane-context.ts'
import { systemRng } from '../../../backend/core/clock.ts'
import { cardReadsOf } from '../../../backend/core/devices/reads.ts'
import { type Windows, windowsOf } from '../../../backend/core/http/events.ts'
import { openCatalogFixture } from '../../../backend/catalog/catalog.fixture.ts'
import type { PrintingDevice } from '../../../backend/payments/receipts/receipts.ts'
import { ProblemError } from '../../../backend/core/problem.ts'
import { temporaryFolder, testClock, testLog } from '../../../backend/core/http/testing.ts'
import { createOutbox } from '../../../backend/core/outbox/outbox.ts'
import { createSeal } from '../../../backend/core/integrity/seal.ts'
import { MASTER_KEY, openTestDatabase, trainingProfile } from './loyalty-harness.ts'

const ALEX: Staff = { id: StaffId.parse('alex'), name: 'Alex', role: 'cashier', locale: 'en-CA' }

/**
 * The checkout of a production store without HTTP and devices. Alex sells from the training catalog; the loyalty
 * service is unreachable.
 */
export async function openCheckout(
  printer: PrintingDevice,
  change: Partial<Profile> = {},
  more: Pick<CheckoutOptions, 'offers' | 'member'> = {},
) {
  const profile = { ...trainingProfile(), mode: 'production' as const, ...change }
  const [lane] = profile.lanes
  if (!lane) throw new Error('the training profile has a lane')
  const db = await openTestDatabase(temporaryFolder())
  const clock = testClock()
  const { log } = testLog()
  const { catalog } = await openCatalogFixture({ db, clock })
  await catalog.open('stores/training-catalog.csv')
  const seal = createSeal(MASTER_KEY)
  const outbox = createOutbox({
    db,
    seal,
    clock,
    rng: systemRng,
    log,
    onStop: () => undefined,
    refusal: (reason) => new ProblemError(reason),
  })
  const events: TerminalEvent[] = []
  const checkout = openLabCheckout({
    db,
    seal,
    outbox,
    profile,
    lane,
    catalog,
    clock,
    rng: systemRng,
    log,
    printer,
    transport: createTransport({
      tokens: createTokenSource({ clock, log, grant: () => Promise.reject(new Error('no loyalty service')) }),
      log,
      exchange: () => Promise.reject(new Error('no loyalty service')),
    }),
    signedIn: () => ALEX,
    staffName: () => ALEX.name,
    ...more,
    publish: (event) => {
      events.push(event)
    },
  })
  windowsOf.provide(checkout.ctx, { published: new EventEmitter() } as unknown as Windows)
  const cardReads = cardReadsOf(checkout.ctx)
  onTestFinished(() => {
    checkout.stop()
  })
  return { checkout, db, clock, cashier: ALEX, events, cardReads }
}
