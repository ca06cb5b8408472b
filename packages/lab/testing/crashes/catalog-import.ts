import { createReadStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../../backend/core/clock.ts'
import { migrate, readMigrations } from '../../../../backend/core/db/migrate.ts'
import { openDatabase } from '../../../../backend/core/db/database.ts'
import { createTransact } from '../../../../backend/core/db/transact.ts'
import { createCatalogImports } from '../../../../backend/catalog/imports.ts'
import { SCAN_CODES } from '../scan-codes.ts'
import { createCatalogService } from '../../../../backend/catalog/catalog.ts'
import { createAuditTrail } from '../../../../backend/core/audit.ts'
import { createLogger } from '../../../../backend/core/log.ts'
import { createSeal } from '../../../../backend/core/integrity/seal.ts'
import { MASTER_KEY } from '../loyalty-harness.ts'

/**
 * Imports a file as a manager does and dies at a step of it, as in a power cut:
 * `node catalog-import.ts FOLDER PROFILE_FILE CSV reading|compared|in-transaction|committed|applied|undo|undone`.
 */
const [folder = '', profileFile = '', csv = '', step = ''] = process.argv.slice(2)
const die = (at: string): void => {
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
      if (doing === 'applying') die('in-transaction')
      if (doing === 'undoing') die('undo')
    },
    committed() {
      if (doing === 'applying') die('committed')
      if (doing === 'undoing') die('undone')
    },
  },
})
const audit = createAuditTrail({ db, clock: systemClock, seal: createSeal(MASTER_KEY) })
const log = createLogger({ level: 'silent', destination: process.stderr })
const parts = { db, transact, audit, clock: systemClock, timeZone: 'America/Toronto', scanCodes: SCAN_CODES, log }
const catalog = createCatalogService({ ...parts, folder: join(folder, 'catalog') })
await catalog.open(profileFile)

const done = Promise.withResolvers<string>()
const imports = createCatalogImports({
  ...parts,
  catalog,
  staffName: (id) => id,
  onStep() {
    const shown = imports.state().import
    if (shown?.phase === 'working') die('reading')
    if (shown?.phase === 'ready') done.resolve(shown.id)
    if (shown?.phase === 'failed' || shown?.phase === 'refused') done.reject(new Error(JSON.stringify(shown)))
  },
})
await imports.take('prices.csv', createReadStream(csv))
const id = await done.promise
die('compared')
doing = 'applying'
imports.apply(id, 'sam')
die('applied')
doing = 'undoing'
await imports.undo('sam', () => undefined)
process.exit(0)
