import { copyFileSync, existsSync, rmSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { LostGroup, LostKind, LostRecord } from '../../../contracts/operations/backups.ts'
import { cents } from '../../../contracts/core/money.ts'
import { isoOf } from '../../core/clock.ts'
import { migrateAtOnce, readMigrations, whyTooNew } from '../../core/db/migrate.ts'
import type { Database } from '../../core/db/database.ts'
import { examineCopy } from '../../core/outbox/integrity-check.ts'

export interface PreviewFiles {
  readonly database: string
  readonly backup: string
  readonly scratch: string
  readonly masterKey: Uint8Array
}

export interface PreviewFound {
  /** Why the verification rejected the backup; null for a sound backup. */
  readonly problem: string | null
  readonly refusal: 'broken' | 'newer-program' | 'paid-sale' | null
  readonly newestEntryAt: string | null
  readonly lost: LostGroup[]
  readonly waits: number
  readonly answeredSince: number
  readonly openSales: number
}

const NAMED = 20

/**
 * Selects an open sale of the backup that has a payment or miles: what happened to them after the backup is unknown.
 */
const PAID_SALE = `SELECT 1 FROM backup.sale WHERE state = 'open' AND (
  EXISTS (SELECT 1 FROM backup.tender AS paid WHERE paid.sale_id = sale.id AND takes_back IS NULL AND NOT EXISTS (
    SELECT 1 FROM backup.tender AS back WHERE back.sale_id = paid.sale_id AND back.takes_back = paid.number))
  OR EXISTS (SELECT 1 FROM backup.operation WHERE sale_id = sale.id AND kind = 'redemption'
    AND state NOT IN ('declined', 'reversed'))
  OR EXISTS (SELECT 1 FROM backup.card_transaction WHERE sale_id = sale.id AND state IN ('asked', 'unknown'))) LIMIT 1`

/**
 * Verifies a backup and compares it with the database in use, in one snapshot of each, without changing either. Throws
 * for an unreadable database.
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
    const newer = problem === null && whyTooNew(found, readMigrations().length) !== null
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
    db.prepare('ATTACH ? AS backup').run(scratch)
    db.exec('BEGIN')
    const count = (sql: string): number => Number(db.prepare(`SELECT count(*) FROM ${sql}`).pluck().get())
    return {
      refusal: db.prepare(PAID_SALE).get() === undefined ? null : 'paid-sale',
      lost: (Object.keys(LOST) as LostKind[]).map((kind) => groupOf(db, kind)),
      waits: count('backup.operation WHERE open = 1'),
      answeredSince: count(
        `backup.operation AS old WHERE open = 1
        AND EXISTS (SELECT 1 FROM main.operation AS now WHERE now.id = old.id AND now.open = 0)`,
      ),
      openSales: count("backup.sale WHERE state = 'open'"),
    }
  } finally {
    db.close()
  }
}

function groupOf(db: Database, kind: LostKind): LostGroup {
  const newest: LostRecord[] = []
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

export interface LostRow {
  readonly id: string
  readonly at: number | null
  readonly cents: number | null
  readonly detail: string | null
}

const UNKNOWN_CHANGE = `NOT EXISTS (SELECT 1 FROM backup.catalog_change AS old WHERE old.number = now.number
  AND old.edition_id = now.edition_id AND old.at = now.at AND old.change = now.change)`

/**
 * Selects what the running database (`main`) has and the attached `backup` lacks, newest first if its rows have a time.
 * Numbers of a lane are unique even after a restore (lane_epoch); rows without a number are compared by contents.
 */
export const LOST: Readonly<Record<LostKind, string>> = {
  sales: `SELECT id, closed_at AS at, totals ->> '$.totalCents' AS cents, NULL AS detail FROM main.sale AS now
    WHERE state = 'completed'
    AND NOT EXISTS (SELECT 1 FROM backup.sale AS old WHERE old.id = now.id AND old.state = 'completed')
    ORDER BY closed_at DESC, sequence DESC`,
  unfinished: `SELECT id, opened_at AS at, NULL AS cents, held_as AS detail FROM main.sale AS now WHERE state = 'open'
    AND NOT EXISTS (SELECT 1 FROM backup.sale AS old
      WHERE old.id = now.id AND old.state = 'open' AND old.version = now.version)
    ORDER BY opened_at DESC, sequence DESC`,
  returns: `SELECT id, at, total_cents AS cents, NULL AS detail FROM main.sale_return AS now
    WHERE NOT EXISTS (SELECT 1 FROM backup.sale_return AS old WHERE old.id = now.id) ORDER BY at DESC`,
  redemptions: `SELECT sale_id AS id, changed_at AS at, amount_cents AS cents, confirmation_number AS detail
    FROM main.operation AS now WHERE kind = 'redemption' AND confirmation_number IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM backup.operation AS old WHERE old.id = now.id AND old.confirmation_number IS NOT NULL
      AND (old.open = 1 OR old.state = now.state)) ORDER BY changed_at DESC`,
  issuances: `SELECT sale_id AS id, changed_at AS at, NULL AS cents, CAST(miles AS TEXT) AS detail
    FROM main.operation AS now WHERE kind = 'issuance' AND open = 0
    AND NOT EXISTS (SELECT 1 FROM backup.operation AS old WHERE old.id = now.id) ORDER BY changed_at DESC`,
  waiting: `SELECT sale_id AS id, created_at AS at, amount_cents AS cents, type AS detail FROM main.operation AS now
    WHERE open = 1 AND kind <> 'offer-state'
    AND NOT EXISTS (SELECT 1 FROM backup.operation AS old WHERE old.id = now.id) ORDER BY created_at DESC`,
  vouchers: `SELECT last4 AS id, issued_at AS at, (SELECT amount_cents FROM main.voucher_entry
    WHERE voucher_id = now.id AND kind = 'issued') AS cents, kind AS detail FROM main.voucher AS now
    WHERE NOT EXISTS (SELECT 1 FROM backup.voucher AS old WHERE old.id = now.id) ORDER BY issued_at DESC`,
  'vouchers-used': `SELECT last4 AS id, now.at, now.amount_cents AS cents, voucher.kind AS detail
    FROM main.voucher_entry AS now JOIN main.voucher ON voucher.id = now.voucher_id WHERE now.kind = 'redeemed'
    AND EXISTS (SELECT 1 FROM backup.voucher AS old WHERE old.id = now.voucher_id)
    AND NOT EXISTS (SELECT 1 FROM backup.voucher_entry AS old WHERE old.voucher_id = now.voucher_id
      AND old.kind = now.kind AND old.at = now.at AND old.amount_cents = now.amount_cents) ORDER BY now.at DESC`,
  cards: `SELECT sale_id AS id, coalesce(settled_at, asked_at) AS at, amount_cents AS cents, reference AS detail
    FROM main.card_transaction AS now WHERE state IN ('asked', 'unknown', 'approved') AND NOT EXISTS (
    SELECT 1 FROM backup.card_transaction AS old WHERE old.reference = now.reference AND old.state = now.state)
    ORDER BY at DESC`,
  // Operations with an unknown outcome, and those whose outcome a person has decided: after a restore they would need a
  // decision again.
  review: `SELECT sale_id AS id, changed_at AS at, amount_cents AS cents, 'open' AS detail FROM main.operation AS now
      WHERE kind = 'redemption' AND state = 'escalated' AND confirmation_number IS NULL
      AND NOT EXISTS (SELECT 1 FROM backup.operation AS old WHERE old.id = now.id AND old.state = now.state)
    UNION ALL SELECT operation.sale_id, found.at, NULL, 'settled' FROM main.operation_resolution AS found
      JOIN main.operation ON operation.id = found.operation_id WHERE NOT EXISTS (
      SELECT 1 FROM backup.operation_resolution AS old
      WHERE old.operation_id = found.operation_id AND old.at = found.at)
    UNION ALL SELECT code, ended_at, NULL, 'settled' FROM main.issuance_notice AS now WHERE ended_by IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM backup.issuance_notice AS old WHERE old.code = now.code
        AND old.subject = now.subject AND old.ended_at = now.ended_at)
    UNION ALL SELECT sale_id, coalesce(settled_at, asked_at), amount_cents, 'settled' FROM main.card_transaction AS now
      WHERE resolved_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM backup.card_transaction AS old
        WHERE old.reference = now.reference AND old.resolved_by IS NOT NULL) ORDER BY at DESC`,
  cash: `SELECT kind AS id, at, amount_cents AS cents, reason AS detail FROM main.cash_movement AS now
    WHERE NOT EXISTS (SELECT 1 FROM backup.cash_movement AS old WHERE old.id = now.id AND old.at = now.at)
    ORDER BY at DESC`,
  shifts: `SELECT CAST(id AS TEXT) AS id, coalesce(closed_at, counted_at, opened_at) AS at, NULL AS cents,
    CASE WHEN closed_at IS NOT NULL THEN 'closed' WHEN counted_at IS NOT NULL THEN 'counted' ELSE 'open' END AS detail
    FROM main.shift AS now WHERE NOT EXISTS (SELECT 1 FROM backup.shift AS old WHERE old.id = now.id
      AND old.opened_at = now.opened_at AND old.counted_at IS now.counted_at AND old.closed_at IS now.closed_at)
    ORDER BY now.id DESC`,
  z: `SELECT CAST(number AS TEXT) AS id, at, report ->> '$.totals.sales.totalCents' AS cents, NULL AS detail
    FROM main.z_report AS now
    WHERE NOT EXISTS (SELECT 1 FROM backup.z_report AS old WHERE old.number = now.number AND old.at = now.at)
    ORDER BY number DESC`,
  reports: `SELECT business_day AS id, at, amount_cents AS cents, NULL AS detail FROM main.reconciliation_export AS now
      WHERE copy = 0 AND NOT EXISTS (SELECT 1 FROM backup.reconciliation_export AS old
        WHERE old.business_day = now.business_day AND old.at = now.at)
    UNION ALL SELECT now.business_day, sent.at, NULL, 'sent' FROM main.reconciliation_sent AS sent
      JOIN main.reconciliation_export AS now ON now.id = sent.export_id
      JOIN backup.reconciliation_export AS old ON old.business_day = now.business_day AND old.at = now.at
      WHERE NOT EXISTS (SELECT 1 FROM backup.reconciliation_sent AS earlier WHERE earlier.export_id = old.id)
    ORDER BY at DESC`,
  staff: `SELECT now.name AS id, NULL AS at, NULL AS cents, CASE WHEN old.id IS NULL THEN 'added'
      WHEN old.active <> now.active THEN CASE now.active WHEN 1 THEN 'returned' ELSE 'removed' END
      WHEN old.role <> now.role THEN 'role' WHEN old.pin_hash IS NOT now.pin_hash THEN 'pin'
      WHEN old.name <> now.name THEN 'name' ELSE 'language' END AS detail
    FROM main.staff AS now LEFT JOIN backup.staff AS old ON old.id = now.id
    WHERE old.id IS NULL OR old.active <> now.active OR old.role <> now.role OR old.name <> now.name
      OR old.pin_hash IS NOT now.pin_hash OR old.locale <> now.locale ORDER BY now.name`,
  badges: `SELECT now.name AS id, NULL AS at, NULL AS cents,
    CASE WHEN now.badge_hash IS NULL OR now.badge_active = 0 THEN 'deactivated' ELSE 'assigned' END AS detail
    FROM main.staff AS now LEFT JOIN backup.staff AS old ON old.id = now.id
    WHERE now.badge_hash IS NOT old.badge_hash
      OR (now.badge_hash IS NOT NULL AND now.badge_active <> old.badge_active) ORDER BY now.name`,
  settings: `SELECT name AS id, at, NULL AS cents, CASE WHEN calls_off IS NOT NULL THEN 'cancelled' END AS detail
    FROM main.setting AS now
    WHERE NOT EXISTS (SELECT 1 FROM backup.setting AS old WHERE old.name = now.name AND old.from_at = now.from_at
      AND old.at = now.at AND old.value IS now.value) ORDER BY now.id DESC`,
  // Imports only: the next start imports the profile's own catalog file again.
  imports: `SELECT file_name AS id, made_at AS at, NULL AS cents, NULL AS detail FROM main.catalog_edition AS now
      WHERE origin = 'import' AND NOT EXISTS (SELECT 1 FROM backup.catalog_edition AS old WHERE old.id = now.id)
    UNION ALL SELECT undone.file_name, NULL, NULL, 'undone' FROM main.catalog_in_use AS now
      JOIN backup.catalog_in_use AS old ON old.previous_id = now.current_id
      JOIN backup.catalog_edition AS undone ON undone.id = old.current_id ORDER BY at DESC`,
  items: `SELECT coalesce(change ->> '$.item.sku', change ->> '$.sku') AS id, at, NULL AS cents,
    CASE change ->> '$.kind' WHEN 'remove' THEN 'removed' ELSE 'changed' END AS detail FROM main.catalog_change AS now
    WHERE change ->> '$.kind' IN ('put', 'remove') AND ${UNKNOWN_CHANGE} ORDER BY number DESC`,
  // `at`: when the planned price takes effect.
  'planned-prices': `SELECT change ->> '$.sku' AS id, change ->> '$.fromAt' AS at, NULL AS cents,
    coalesce(CAST(change ->> '$.priceCents' AS TEXT), 'cancelled') AS detail FROM main.catalog_change AS now
    WHERE change ->> '$.kind' IN ('plan', 'cancel-plan') AND ${UNKNOWN_CHANGE} ORDER BY number DESC`,
  // A department without a row has the quick keys of the profile.
  'quick-keys': `SELECT coalesce(now.department_id, old.department_id) AS id, NULL AS at, NULL AS cents, NULL AS detail
    FROM main.quick_key_list AS now FULL JOIN backup.quick_key_list AS old ON old.department_id = now.department_id
    WHERE old.skus IS NOT now.skus ORDER BY id`,
  coupons: `${['store_coupon', 'store_manufacturer_coupon']
    .map(
      (table) => `SELECT now.code AS id, NULL AS at, NULL AS cents,
    CASE WHEN now.coupon IS NULL THEN 'removed' ELSE 'changed' END AS detail
    FROM main.${table} AS now LEFT JOIN backup.${table} AS old ON old.code = now.code
    WHERE old.code IS NULL OR old.coupon IS NOT now.coupon`,
    )
    .join(' UNION ALL ')} ORDER BY id`,
  charges: `SELECT now.id AS id, NULL AS at, NULL AS cents,
    CASE WHEN now.charge IS NULL THEN 'removed' ELSE 'changed' END AS detail
    FROM main.store_charge AS now LEFT JOIN backup.store_charge AS old ON old.id = now.id
    WHERE old.id IS NULL OR old.charge IS NOT now.charge ORDER BY id`,
  promotions: `SELECT now.id AS id, NULL AS at, NULL AS cents,
    CASE WHEN now.promotion IS NULL THEN 'removed' ELSE 'changed' END AS detail
    FROM main.store_promotion AS now LEFT JOIN backup.store_promotion AS old ON old.id = now.id
    WHERE old.id IS NULL OR old.promotion IS NOT now.promotion ORDER BY id`,
}
