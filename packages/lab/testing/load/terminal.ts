import { join } from 'node:path'
import type { Item } from '../../../../contracts/catalog/catalog.ts'
import type { Sale } from '../../../../contracts/sales/sales.ts'
import type { Staff } from '../../../../contracts/staff/session.ts'
import { Sku, StaffId } from '../../../../contracts/core/ids.ts'
import { cents } from '../../../../contracts/core/money.ts'
import { createTokenSource, type Grant } from '../../../../backend/core/central/token.ts'
import { createTransport, type Exchange } from '../../../../backend/core/central/transport.ts'
import { type Checkout, catalogOfItems, openLabCheckout } from '../lane-context.ts'
import { systemRng, systemClock } from '../../../../backend/core/clock.ts'
import { migrate, readMigrations } from '../../../../backend/core/db/migrate.ts'
import { reserveLog } from '../../../../backend/core/db/log-reserve.ts'
import { openDatabase, type Database } from '../../../../backend/core/db/database.ts'
import { cardReadsOf, type CardReads } from '../../../../backend/core/devices/reads.ts'
import { openHighWaterMark } from '../../../../backend/core/outbox/high-water.ts'
import { ProblemError } from '../../../../backend/core/problem.ts'
import { createOutbox, type Outbox } from '../../../../backend/core/outbox/outbox.ts'
import { createSeal } from '../../../../backend/core/integrity/seal.ts'
import { createLogger } from '../../../../backend/core/log.ts'
import { createMeter, type Meter } from './meter.ts'
import { trainingStore } from './store.ts'

export const MASTER_KEY = Buffer.alloc(32, 7)
export const ALEX: Staff = { id: StaffId.parse('alex'), name: 'Alex', role: 'cashier', locale: 'en-CA' }

export const BASKET: readonly Item[] = [399, 1299, 2499].map((price, index): Item => ({
  sku: Sku.parse(`LOAD-${index}`),
  barcode: null,
  name: { 'en-CA': `Item ${index}`, 'fr-CA': `Article ${index}` },
  priceCents: cents(price),
  openPrice: null,
  taxCategory: 'standard',
  departmentId: 'D1',
  categoryId: null,
}))

export const filesOf = (folder: string) => ({
  database: join(folder, 'terminal.db'),
  mark: join(folder, 'journal.mark'),
})

export async function openTestDatabase(folder: string): Promise<Database> {
  const db = openDatabase(filesOf(folder).database)
  reserveLog(db)
  await migrate(db, readMigrations())
  db.prepare('INSERT OR IGNORE INTO staff (id, name, role, locale) VALUES (?, ?, ?, ?)').run(
    ALEX.id,
    ALEX.name,
    ALEX.role,
    ALEX.locale,
  )
  return db
}

/** The checkout as the terminal composes it: with a database file and in real time, but without drivers and HTTP. */
export interface LoadTerminal {
  readonly db: Database
  readonly outbox: Outbox
  readonly checkout: Checkout
  readonly cardReads: CardReads
  readonly meter: Meter
  until(fits: (sale: Sale) => boolean): Promise<Sale>
  onSale(listener: (sale: Sale) => void): void
  close(): void
}

export async function openTerminal(folder: string, line: { exchange: Exchange; grant: Grant }): Promise<LoadTerminal> {
  const { profile, lane } = trainingStore()
  const log = createLogger({ level: 'error', destination: process.stderr })
  const db = await openTestDatabase(folder)
  const meter = createMeter()
  const seal = createSeal(MASTER_KEY)
  const mark = openHighWaterMark(filesOf(folder).mark, systemClock, seal)
  const listeners = new Set<(sale: Sale) => void>()
  const outbox = createOutbox({
    db,
    seal,
    mark: meter.around(mark),
    clock: systemClock,
    rng: systemRng,
    log,
    observer: meter.observer,
    onStop: () => undefined,
    refusal: (reason) => new ProblemError(reason),
  })
  const checkout = openLabCheckout({
    db,
    seal,
    outbox,
    profile,
    lane,
    log,
    clock: systemClock,
    rng: systemRng,
    transport: createTransport({
      log,
      exchange: meter.answering(line.exchange),
      tokens: createTokenSource({ clock: systemClock, log, grant: line.grant }),
    }),
    catalog: catalogOfItems(BASKET),
    printer: { print: () => Promise.resolve({ state: 'sent', detail: null }) },
    signedIn: () => ALEX,
    staffName: () => ALEX.name,
    publish(event) {
      if (event.type === 'sale-changed') for (const listener of listeners) listener(event.sale)
    },
  })
  const cardReads = cardReadsOf(checkout.ctx)
  return {
    db,
    outbox,
    checkout,
    cardReads,
    meter,
    until: (fits) =>
      new Promise((resolve) => {
        const listener = (sale: Sale): void => {
          if (!fits(sale)) return
          listeners.delete(listener)
          resolve(sale)
        }
        listeners.add(listener)
      }),
    onSale: (listener) => {
      listeners.add(listener)
    },
    close() {
      checkout.stop()
      mark.close()
      db.close()
    },
  }
}
