import type { Benchmark } from './benchmark.ts'
import { audit } from './audit/audit.ts'
import { catalog } from './catalog/catalog.ts'
import { central } from './central/central.ts'
import { checkout } from './checkout/checkout.ts'
import { connection } from './connection/connection.ts'
import { hardware } from './hardware/hardware.ts'
import { journal } from './journal/journal.ts'
import { manager } from './manager/manager.ts'
import { memory } from './memory/memory.ts'
import { offers } from './offers/offers.ts'
import { packages } from './packages/packages.ts'
import { reports } from './reports/reports.ts'
import { restore } from './restore/restore.ts'
import { storeDatabase } from './store/database-load.ts'
import { store } from './store/store.ts'

export const BENCHMARKS: readonly Benchmark[] = [
  checkout,
  catalog,
  central,
  journal,
  hardware,
  memory,
  manager,
  connection,
  audit,
  reports,
  restore,
  offers,
  packages,
  store,
  storeDatabase,
]
