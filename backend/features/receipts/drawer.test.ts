import { createOutbox } from '../../outbox/outbox.ts'
import { ProblemError } from '../../http/problem.ts'
import { expect, onTestFinished, test } from 'vitest'
import type { Staff } from '../../../contracts/api/session.ts'
import { StaffId } from '../../../contracts/ids.ts'
import { cents } from '../../../contracts/money.ts'
import { createTokenSource } from '../../central/token.ts'
import { createTransport } from '../../central/transport.ts'
import { createCentralStatus } from '../../central-status.ts'
import { createCheckout } from '../../checkout.ts'
import { systemRng } from '../../clock.ts'
import { createCardReads } from '../../devices/card-reads.ts'
import { temporaryFolder, testClock, testLog } from '../../http/testing.ts'
import { createSeal } from '../../outbox/seal.ts'
import { MASTER_KEY, openTestDatabase, trainingProfile } from '../../testing/loyalty-harness.ts'
import { openCatalogFixture } from '../catalog/catalog.fixture.ts'
import { createAuditTrail } from '../staff/audit.ts'
import type { PrintingDevice } from './service.ts'

const ALEX: Staff = { id: StaffId.parse('alex'), name: 'Alex', role: 'cashier', locale: 'en-CA' }

/**
 * A checkout of a store that takes real money, with a printer that does what the test says. The loyalty service is not
 * reached.
 */
async function openLane() {
  const profile = { ...trainingProfile(), mode: 'production' as const }
  const [lane] = profile.lanes
  if (!lane) throw new Error('the training profile has a lane')
  const folder = temporaryFolder()
  const db = await openTestDatabase(folder)
  const clock = testClock()
  const { log } = testLog()
  const printer = {
    state: 'confirmed' as 'confirmed' | 'failed' | 'unknown',
    drawerOpenedAt: null as number | null,
    kicks: [] as boolean[],
  }
  const device: PrintingDevice = {
    get drawerOpenedAt() {
      return printer.drawerOpenedAt
    },
    print(request) {
      printer.kicks.push(request.openDrawer)
      return Promise.resolve({ state: printer.state, detail: null })
    },
  }
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
  const checkout = createCheckout({
    db,
    seal,
    outbox,
    profile,
    lane,
    catalog,
    clock,
    rng: systemRng,
    log,
    printer: device,
    cardReads: createCardReads(clock, 1_000),
    central: createCentralStatus(),
    audit: createAuditTrail({ db, clock }),
    transport: createTransport({
      tokens: createTokenSource({ clock, log, grant: () => Promise.reject(new Error('no loyalty service')) }),
      log,
      exchange: () => Promise.reject(new Error('no loyalty service')),
    }),
    signedIn: () => ALEX,
    staffName: () => ALEX.name,
    publish: () => undefined,
  })
  onTestFinished(() => {
    checkout.stop()
  })
  const settled = async (): Promise<void> => {
    await checkout.receipts.settled()
  }
  return {
    clock,
    printer,
    async sell(kind: 'cash' | 'card'): Promise<string> {
      const sale = checkout.sales.ringSku('1001', 1)
      checkout.tenders.add(
        sale.id,
        kind === 'cash'
          ? { kind, version: sale.version, tenderedCents: cents(1_000) }
          : { kind, version: sale.version, amountCents: sale.totals.totalCents, reference: 'T1' },
      )
      await settled()
      return sale.id
    },
    async printAgain(saleId: string): Promise<void> {
      clock.advance(60_000)
      checkout.receipts.reprint({ kind: 'sale', id: saleId }, { actorId: ALEX.id })
      await settled()
    },
  }
}

test('cash opens the drawer with its receipt, and no copy ever opens it', async () => {
  const lane = await openLane()
  const sale = await lane.sell('cash')
  await lane.printAgain(sale)
  expect(lane.printer.kicks).toEqual([true, false])
  await lane.sell('card')
  expect(lane.printer.kicks).toEqual([true, false, false])
})

test('a cash receipt of which nothing left opens the drawer when it is printed at last, and once', async () => {
  const lane = await openLane()
  lane.printer.state = 'failed'
  const sale = await lane.sell('cash')
  await lane.printAgain(sale)
  lane.printer.state = 'confirmed'
  await lane.printAgain(sale)
  await lane.printAgain(sale)
  // Twice nothing reached the printer, then the paper and its kick, then a copy.
  expect(lane.printer.kicks).toEqual([true, true, true, false])
})

test('a receipt in doubt may have opened it: what is printed later does not', async () => {
  const lane = await openLane()
  lane.printer.state = 'unknown'
  const sale = await lane.sell('cash')
  lane.printer.state = 'confirmed'
  await lane.printAgain(sale)
  expect(lane.printer.kicks).toEqual([true, false])
})

test('a drawer that was opened with its key since then is not opened again', async () => {
  const lane = await openLane()
  lane.printer.state = 'failed'
  const sale = await lane.sell('cash')
  lane.clock.advance(5_000)
  lane.printer.drawerOpenedAt = lane.clock.now()
  lane.printer.state = 'confirmed'
  await lane.printAgain(sale)
  expect(lane.printer.kicks).toEqual([true, false])
})
