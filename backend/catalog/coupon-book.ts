import type { CouponList, SaveCoupon } from '../../contracts/catalog/catalog.ts'
import { Coupon } from '../../contracts/sales/sale-rules.ts'
import { CouponChange } from '../../contracts/store/changes.ts'
import type { Database } from '../core/db/database.ts'
import type { Tx } from '../core/db/transact.ts'
import { ProblemError, refuseChanged } from '../core/problem.ts'
import type { AuditDetail } from '../core/audit.ts'
import { perLane, type Ctx } from '../core/context.ts'
import { changesOf } from '../store/changes.ts'

/** Coupons that a manager added, changed or removed, by code in capitals; null for a removed coupon. */
export function createCouponsRepository(db: Database) {
  const read = (text: string | null): Coupon | null => (text === null ? null : Coupon.parse(JSON.parse(text)))
  const select = db.prepare<[], { code: string; coupon: string | null }>(
    'SELECT code, coupon FROM store_coupon ORDER BY code',
  )
  const selectOne = db.prepare<[string], { coupon: string | null }>('SELECT coupon FROM store_coupon WHERE code = ?')
  const upsert = db.prepare(
    'INSERT INTO store_coupon (code, coupon) VALUES (?, ?) ON CONFLICT (code) DO UPDATE SET coupon = excluded.coupon',
  )
  return {
    all: (): Map<string, Coupon | null> => new Map(select.all().map((row) => [row.code, read(row.coupon)])),
    byCode(code: string): Coupon | null | undefined {
      const row = selectOne.get(code)
      return row && read(row.coupon)
    },
    set(tx: Tx, code: string, coupon: Coupon | null): void {
      tx.run(upsert, code, coupon && JSON.stringify(coupon))
    },
  }
}

interface Written {
  readonly code: string
  readonly before: Coupon | undefined
  readonly after: Coupon | null
}

export type CouponBook = ReturnType<typeof couponBookOf>

/**
 * Coupons that the store accepts: those of the profile with a manager's changes. A sale keeps its own copy of a coupon.
 */
export const couponBookOf = perLane((ctx: Ctx) => {
  const { transact, audit } = ctx
  const repository = couponRowsOf(ctx)
  const profiles = ctx.profile.coupons
  const store = { changes: changesOf(ctx), onTaken: () => ctx.publish({ type: 'catalog-changed' }) }
  const ofProfile = new Map(profiles.map((coupon) => [coupon.code.toUpperCase(), coupon]))

  function find(code: string): Coupon | undefined {
    const key = code.trim().toUpperCase()
    const ofLane = repository.byCode(key)
    return ofLane === undefined ? ofProfile.get(key) : (ofLane ?? undefined)
  }

  function list(): CouponList {
    const ofLane = repository.all()
    const unchanged = [...ofProfile].filter(([key]) => !ofLane.has(key)).map(([, coupon]) => coupon)
    const entries = [
      ...unchanged.map((coupon) => ({ coupon, from: 'profile' as const })),
      ...[...ofLane.values()].flatMap((coupon) => (coupon === null ? [] : [{ coupon, from: 'lane' as const }])),
    ]
    return { coupons: entries.toSorted((one, other) => one.coupon.code.localeCompare(other.coupon.code)) }
  }

  function write(tx: Tx, { code, before, after }: Written, actorId: string | null, detail?: AuditDetail): void {
    repository.set(tx, code.toUpperCase(), after)
    audit.record(tx, {
      kind: after === null ? 'coupon-removed' : before === undefined ? 'coupon-added' : 'coupon-changed',
      actorId,
      subject: code,
      detail: {
        before: before === undefined ? null : JSON.stringify(before),
        after: after && JSON.stringify(after),
        ...detail,
      },
    })
  }

  function commit(staffId: string, code: string, before: Coupon | undefined, after: Coupon | null): CouponList {
    transact((tx) => {
      write(tx, { code, before, after }, staffId)
      const value: CouponChange = { coupon: after }
      store?.changes.recordLocal(tx, { kind: 'coupon', subject: code.toUpperCase(), value, byId: staffId })
    })
    return list()
  }

  store?.changes.follow('coupon', CouponChange, (tx, { subject, value, byId, detail }) => {
    const before = find(subject)
    write(tx, { code: value.coupon?.code ?? before?.code ?? subject, before, after: value.coupon }, byId, detail)
    transact.afterCommit(store.onTaken)
  })

  return {
    find,
    list,
    /** Adds or changes a coupon. Throws `coupon-code-used`, `coupon-unknown` and `changed-meanwhile`. */
    save({ how, coupon, seen }: SaveCoupon, staffId: string): CouponList {
      const before = find(coupon.code)
      if (how === 'add' && before !== undefined) throw new ProblemError('coupon-code-used')
      if (how === 'change' && before === undefined) throw new ProblemError('coupon-unknown')
      refuseChanged(seen, before)
      return commit(staffId, coupon.code, before, coupon)
    },
    remove(code: string, staffId: string): CouponList {
      const before = find(code)
      if (before === undefined) throw new ProblemError('coupon-unknown')
      return commit(staffId, before.code, before, null)
    },
  }
})

const couponRowsOf = perLane(({ db }) => createCouponsRepository(db))
