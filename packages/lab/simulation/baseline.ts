import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import { Sku } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { LaneSettings, Profile } from '../../../contracts/core/profile.ts'
import { migrate, readMigrations } from '../../../backend/core/db/migrate.ts'
import { adopt } from '../../../backend/core/integrity/state.ts'
import { followChanges } from '../../../backend/core/integrity/evidence.ts'
import { createSeal } from '../../../backend/core/integrity/seal.ts'
import { loadProfile } from '../../../backend/core/profile/profile.ts'
import { MASTER_KEY } from './terminal.ts'

export interface Baseline {
  readonly image: Buffer
  readonly profile: Profile
  readonly lane: LaneSettings
  readonly items: readonly Item[]
}

async function createBaseline(): Promise<Baseline> {
  const db = new Database(':memory:')
  await migrate(db, readMigrations(), undefined, () => {
    // The table of idempotency keys of completed commands, which are inserted in the transaction of the command’s
    // effect.
    db.exec('CREATE TABLE effect_seen (key TEXT NOT NULL) STRICT')
    adopt(db, createSeal(MASTER_KEY))
  })
  followChanges(db, createSeal(MASTER_KEY))
  db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'manager', 'en-CA')").run()
  db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('kim', 'Kim', 'cashier', 'fr-CA')").run()
  const image = db.serialize()
  db.close()
  const loaded = loadProfile(join(import.meta.dirname, '../../../stores/training.yaml'))
  if ('errors' in loaded) throw new Error('the training profile does not load')
  const [lane] = loaded.profile.lanes
  if (!lane) throw new Error('the training profile has no lane')
  const items = [399, 999, 1299, 2499, 4335, 8999, 12_000].map((price, index): Item => ({
    sku: Sku.parse(`S${index}`),
    barcode: null,
    name: { 'en-CA': `Item ${index}`, 'fr-CA': `Article ${index}` },
    priceCents: cents(price),
    openPrice: null,
    taxCategory: index % 2 === 0 ? 'standard' : 'zero-rated',
    departmentId: 'D1',
    categoryId: null,
  }))
  return { image, profile: loaded.profile, lane, items }
}

let baseline: Promise<Baseline> | undefined
export const loadBaseline = (): Promise<Baseline> => (baseline ??= createBaseline())
