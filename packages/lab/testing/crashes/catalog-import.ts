import { createReadStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock, systemRng } from '../../../../backend/core/clock.ts'
import { migrate, readMigrations } from '../../../../backend/core/db/migrate.ts'
import { openDatabase } from '../../../../backend/core/db/database.ts'
import { createTransact } from '../../../../backend/core/db/transact.ts'
import { catalogImportsOf } from '../../../../backend/catalog/imports.ts'
import { catalogOf } from '../../../../backend/catalog/catalog.ts'
import { createLogger } from '../../../../backend/core/log.ts'
import { createSeal } from '../../../../backend/core/integrity/seal.ts'
import { MASTER_KEY } from '../loyalty-harness.ts'
import type { Outbox } from '../../../../backend/core/outbox/outbox.ts'
import { laneContext, provideCatalogFolder } from '../lane-context.ts'
import { trainingStore } from '../load/store.ts'

/**
 * Imports a catalog file as a manager does and kills its own process at a step, like a power cut: `node
 * catalog-import.ts FOLDER PROFILE_FILE CSV reading|compared|in-transaction|committed|applied|undo|undone`.
 */
const [folder = '', profileFile = '', csv = '', step = ''] = process.argv.slice(2)
const crash = (at: string): void => {
  if (at === step) process.kill(process.pid, 'SIGKILL')
}

mkdirSync(folder, { recursive: true })
const db = openDatabase(join(folder, 'terminal.db'))
await migrate(db, readMigrations())
db.exec("INSERT OR IGNORE INTO staff (id, name, role, locale) VALUES ('sam', 'Sam', 'manager', 'en-CA')")
let doing: 'opening' | 'applying' | 'undoing' = 'opening'
const { transact } = createTransact({
  db,
  onStop: () => undefined,
  refusal: (reason) => new Error(reason),
  onMissed(error) {
    throw error
  },
  watch: {
    committing() {
      if (doing === 'applying') crash('in-transaction')
      if (doing === 'undoing') crash('undo')
    },
    committed() {
      if (doing === 'applying') crash('committed')
      if (doing === 'undoing') crash('undone')
    },
  },
})
const log = createLogger({ level: 'silent', destination: process.stderr })
const ctx = laneContext({
  ...trainingStore(),
  db,
  outbox: { transact } as Outbox,
  seal: createSeal(MASTER_KEY),
  clock: systemClock,
  rng: systemRng,
  log,
  publish: () => {
    onStep()
  },
})
provideCatalogFolder(ctx, join(folder, 'catalog'))
await catalogOf(ctx).open(profileFile)

const done = Promise.withResolvers<string>()
const imports = catalogImportsOf(ctx)
function onStep(): void {
  const shown = imports.state().import
  if (shown?.phase === 'working') crash('reading')
  if (shown?.phase === 'ready') done.resolve(shown.id)
  if (shown?.phase === 'failed' || shown?.phase === 'refused') done.reject(new Error(JSON.stringify(shown)))
}
await imports.take('prices.csv', createReadStream(csv))
const id = await done.promise
crash('compared')
doing = 'applying'
imports.apply(id, 'sam')
crash('applied')
doing = 'undoing'
await imports.undo('sam', () => undefined)
process.exit(0)
