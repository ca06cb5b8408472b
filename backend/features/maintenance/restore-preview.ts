import { copyFileSync, existsSync, rmSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { LostGroup, LostKind, LostThing } from '../../../contracts/api/backups.ts'
import { cents } from '../../../contracts/money.ts'
import { isoOf } from '../../clock.ts'
import { migrateAtOnce, readMigrations } from '../../db/migrate.ts'
import type { Database } from '../../db/open.ts'
import { tooNew } from '../../db/schema-mark.ts'
import { examineCopy } from '../../outbox/integrity-check.ts'
import { LOST, type LostRow } from './lost-since.ts'

export interface PreviewFiles {
  /** The database that the terminal works with. */
  readonly database: string
  readonly backup: string
  /** Where a copy of the backup may lie for a while: its schema is brought to this program's. */
  readonly scratch: string
  readonly masterKey: Uint8Array
}

export interface PreviewFound {
  /** What its proof found: null when it held. */
  readonly problem: string | null
  readonly refusal: 'broken' | 'newer-program' | 'paid-sale' | null
  readonly newestEntryAt: string | null
  readonly lost: LostGroup[]
  readonly waits: number
  readonly answeredSince: number
  readonly openSales: number
}

/** So many of each kind are named; the rest is counted. */
const NAMED = 20

/** A sale of the backup that holds money or miles: nobody knows what became of it since. */
const PAID_SALE = `SELECT 1 FROM kept.sale WHERE state = 'open' AND (
  EXISTS (SELECT 1 FROM kept.tender AS paid WHERE paid.sale_id = sale.id AND takes_back IS NULL AND NOT EXISTS (
    SELECT 1 FROM kept.tender AS back WHERE back.sale_id = paid.sale_id AND back.takes_back = paid.number))
  OR EXISTS (SELECT 1 FROM kept.operation WHERE sale_id = sale.id AND kind = 'redemption'
    AND state NOT IN ('declined', 'reversed'))
  OR EXISTS (SELECT 1 FROM kept.card_transaction WHERE sale_id = sale.id AND state IN ('asked', 'unknown'))) LIMIT 1`

/**
 * Proves a backup and compares it with the database in use, in one view of each. Changes neither. Throws for a
 * database that cannot be read.
 */
export function previewRestore({ database, backup, scratch, masterKey }: PreviewFiles): PreviewFound {
  const drop = (): void => {
    for (const left of [scratch, `${scratch}-journal`, `${scratch}-wal`, `${scratch}-shm`])
      rmSync(left, { force: true })
  }
  drop()
  try {
    copyFileSync(backup, scratch)
    if (existsSync(`${backup}-wal`)) copyFileSync(`${backup}-wal`, `${scratch}-wal`)
    const found = examineCopy(scratch, masterKey)
    const { problem, newestEntryAt } = found
    const newer = problem === null && tooNew(found, readMigrations().length) !== null
    if (problem !== null || newer)
      return {
        problem,
        refusal: newer ? 'newer-program' : 'broken',
        newestEntryAt: null,
        lost: [],
        waits: 0,
        answeredSince: 0,
        openSales: 0,
      }
    migrateScratch(scratch)
    return {
      problem,
      newestEntryAt: newestEntryAt === null ? null : isoOf(newestEntryAt),
      ...compared(database, scratch),
    }
  } finally {
    drop()
  }
}

function migrateScratch(scratch: string): void {
  const db = new Sqlite(scratch)
  try {
    migrateAtOnce(db, readMigrations())
  } finally {
    db.close()
  }
}

type Compared = Omit<PreviewFound, 'problem' | 'newestEntryAt'>

function compared(database: string, scratch: string): Compared {
  const db = new Sqlite(database, { readonly: true })
  try {
    db.prepare('ATTACH ? AS kept').run(scratch)
    db.exec('BEGIN')
    const count = (sql: string): number => Number(db.prepare(`SELECT count(*) FROM ${sql}`).pluck().get())
    return {
      refusal: db.prepare(PAID_SALE).get() === undefined ? null : 'paid-sale',
      lost: (Object.keys(LOST) as LostKind[]).map((kind) => groupOf(db, kind)),
      waits: count('kept.operation WHERE open = 1'),
      answeredSince: count(
        `kept.operation AS old WHERE open = 1
        AND EXISTS (SELECT 1 FROM main.operation AS now WHERE now.id = old.id AND now.open = 0)`,
      ),
      openSales: count("kept.sale WHERE state = 'open'"),
    }
  } finally {
    db.close()
  }
}

function groupOf(db: Database, kind: LostKind): LostGroup {
  const newest: LostThing[] = []
  let count = 0
  let total: number | null = null
  for (const { id, at, cents: amount, detail } of db.prepare<[], LostRow>(LOST[kind]).iterate()) {
    count += 1
    if (amount !== null) total = (total ?? 0) + amount
    if (newest.length < NAMED)
      newest.push({
        id,
        at: at === null ? null : isoOf(at),
        amountCents: amount === null ? null : cents(amount),
        detail,
      })
  }
  return { kind, count, totalCents: total === null ? null : cents(total), newest }
}
