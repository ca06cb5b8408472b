import { z } from 'zod'
import type { DepartmentList, QuickDepartment, QuickKeyLists, SaveQuickKeys } from '../../contracts/catalog/catalog.ts'
import { perLocale } from '../../contracts/i18n/languages.ts'
import { Sku } from '../../contracts/core/ids.ts'
import type { DepartmentSettings } from '../../contracts/core/profile.ts'
import { QuickKeysChange } from '../../contracts/store/changes.ts'
import type { Database } from '../core/db/database.ts'
import type { Tx } from '../core/db/transact.ts'
import { ProblemError, refuseChanged } from '../core/problem.ts'
import type { AuditDetail } from '../core/audit.ts'
import { perLane, type Ctx, bound } from '../core/context.ts'
import { catalogOf } from './catalog.ts'
import { changesOf } from '../store/changes.ts'

const Skus = z.array(Sku)

export function createQuickKeysRepository(db: Database) {
  const select = db.prepare<[], { department_id: string; skus: string }>(
    'SELECT department_id, skus FROM quick_key_list ORDER BY department_id',
  )
  const upsert = db.prepare(
    `INSERT INTO quick_key_list (department_id, skus) VALUES (?, ?) ON CONFLICT (department_id) DO
      UPDATE SET skus = excluded.skus`,
  )
  const remove = db.prepare('DELETE FROM quick_key_list WHERE department_id = ?')
  return {
    all: (): Map<string, string[]> =>
      new Map(select.all().map((row) => [row.department_id, Skus.parse(JSON.parse(row.skus))])),
    set(tx: Tx, departmentId: string, skus: readonly string[]): void {
      tx.run(upsert, departmentId, JSON.stringify(skus))
    },
    remove(tx: Tx, departmentId: string): void {
      tx.run(remove, departmentId)
    },
  }
}

const onChange = (ctx: Ctx) => ctx.publish({ type: 'catalog-changed' })

function merged(ctx: Ctx): DepartmentSettings[] {
  const arranged = quickKeyRowsOf(ctx).all()
  const named = ctx.profile.catalog.departments.map((department) => {
    const quick = arranged.get(department.id)
    arranged.delete(department.id)
    return quick === undefined ? department : { ...department, quick }
  })
  return [...named, ...[...arranged].map(([id, quick]) => ({ id, name: perLocale(() => id), quick }))]
}

function departments(ctx: Ctx): DepartmentList['departments'] {
  const named = ctx.profile.catalog.departments.map(({ id, name }) => ({ id, name }))
  const others = catalogOf(ctx)
    .departments()
    .filter((id) => !named.some((department) => department.id === id))
  return [...named, ...others.map((id) => ({ id, name: perLocale(() => id) }))]
}

function lists(ctx: Ctx): QuickKeyLists {
  const arranged = quickKeyRowsOf(ctx).all()
  const shown = new Map(
    catalogOf(ctx)
      .quickKeys(merged(ctx))
      .map(({ id, items }) => [id, items]),
  )
  return {
    departments: departments(ctx).map(({ id, name }) => ({
      id,
      name,
      from: arranged.has(id)
        ? 'lane'
        : ctx.profile.catalog.departments.some((department) => department.id === id && department.quick)
          ? 'profile'
          : 'alphabet',
      items: shown.get(id) ?? [],
    })),
  }
}

function write(
  ctx: Ctx,
  tx: Tx,
  departmentId: string,
  skus: readonly string[] | null,
  actorId: string | null,
  detail?: AuditDetail,
): void {
  const repository = quickKeyRowsOf(ctx)
  const before = repository.all().get(departmentId) ?? null
  if (skus === null) repository.remove(tx, departmentId)
  else repository.set(tx, departmentId, skus)
  ctx.audit.record(tx, {
    kind: 'quick-keys-changed',
    actorId,
    subject: departmentId,
    detail: { before: before && before.join(' '), after: skus && skus.join(' '), ...detail },
  })
  ctx.transact.afterCommit(() => onChange(ctx))
}

/**
 * Stores the list of a department. Throws `not-found` for an unknown department, `item-unknown` and
 * `changed-meanwhile`.
 */
function save(ctx: Ctx, { departmentId, skus, seen }: SaveQuickKeys, staffId: string): QuickKeyLists {
  const shown = lists(ctx).departments.find(({ id }) => id === departmentId)
  if (!shown) throw new ProblemError('not-found')
  refuseChanged(
    seen,
    shown.items.map(({ sku }) => sku),
  )
  if (skus?.some((sku) => catalogOf(ctx).findBySku(sku) === undefined)) throw new ProblemError('item-unknown')
  const unique = skus && [...new Set(skus)]
  ctx.transact((tx) => {
    write(ctx, tx, departmentId, unique, staffId)
    const value: QuickKeysChange = { skus: unique }
    changesOf(ctx).recordLocal(tx, { kind: 'quick-keys', subject: departmentId, value, byId: staffId })
  })
  return lists(ctx)
}

/** Departments with their quick keys. A list that was arranged at a lane replaces the profile's. */
export const quickKeysOf = perLane((ctx: Ctx) => {
  // A quick key for an item that this lane does not have yet stays in the list, and is not shown.
  changesOf(ctx).follow('quick-keys', QuickKeysChange, (tx, { subject, value: { skus }, byId, detail }) => {
    write(ctx, tx, subject, skus, byId, detail)
  })
  return {
    ...bound(ctx, {
      departments,
      lists,
      save,
    }),
    quickKeys: (): QuickDepartment[] => catalogOf(ctx).quickKeys(merged(ctx)),
  }
})

const quickKeyRowsOf = perLane(({ db }) => createQuickKeysRepository(db))
