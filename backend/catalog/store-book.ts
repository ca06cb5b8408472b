import type { z } from 'zod'
import type { AuditKind } from '../../contracts/staff/audit-kinds.ts'
import type { ChangeKind } from '../../contracts/store/changes.ts'
import type { AuditDetail } from '../core/audit.ts'
import type { Ctx } from '../core/context.ts'
import type { Tx } from '../core/db/transact.ts'
import { ProblemError, refuseChanged } from '../core/problem.ts'
import type { ProblemCode } from '../../contracts/core/errors.ts'
import { changesOf } from '../store/changes.ts'

/**
 * An entry of a book before and after one save: `before` is undefined if it was added, `after` is null if it was
 * removed.
 */
interface Written<Entry> {
  readonly name: string
  readonly before: Entry | undefined
  readonly after: Entry | null
}

/** Table of each book with its key column and its column of entries. */
const TABLES = {
  coupon: ['store_coupon', 'code', 'coupon'],
  promotion: ['store_promotion', 'id', 'promotion'],
  charge: ['store_charge', 'id', 'charge'],
  'manufacturer-coupon': ['store_manufacturer_coupon', 'code', 'coupon'],
} as const

export interface BookRules<Entry extends object> {
  readonly kind: ChangeKind & keyof typeof TABLES
  /** Entries of the profile. A row of the table replaces the entry of the profile with the same key. */
  readonly profile: readonly Entry[]
  readonly entry: z.ZodType<Entry>
  /** Schema of a change, as lanes exchange it. */
  readonly change: z.ZodType<Readonly<Record<string, Entry | null>>>
  /** Code or id of an entry, as people write it. */
  readonly nameOf: (entry: Entry) => string
  /** Returns the key of a code or id: coupon codes in capitals, because they are case-insensitive. */
  readonly keyOf: (name: string) => string
  readonly problems: { readonly used: ProblemCode; readonly unknown: ProblemCode }
}

export interface BookEntry<Entry> {
  readonly entry: Entry
  readonly from: 'lane' | 'profile'
}

/**
 * A book: the coupons of the store or of manufacturers, the promotions, or the deposits and fees. It has the entries of
 * the profile, and managers add, change and remove entries at any lane of the store. The table of its kind has a row
 * for each changed entry, with null for a removed one.
 */
export function createStoreBook<Entry extends object>(ctx: Ctx, rules: BookRules<Entry>) {
  const { kind, keyOf, nameOf } = rules
  const [table, id, column] = TABLES[kind]
  const { db, transact, audit } = ctx
  const select = db.prepare<[], { key: string; entry: string | null }>(
    `SELECT ${id} AS key, ${column} AS entry FROM ${table} ORDER BY ${id}`,
  )
  const selectOne = db.prepare<[string], { entry: string | null }>(
    `SELECT ${column} AS entry FROM ${table} WHERE ${id} = ?`,
  )
  const upsert = db.prepare(
    `INSERT INTO ${table} (${id}, ${column}) VALUES (?, ?)
      ON CONFLICT (${id}) DO UPDATE SET ${column} = excluded.${column}`,
  )
  const read = (text: string | null): Entry | null => (text === null ? null : rules.entry.parse(JSON.parse(text)))
  const ofProfile = new Map(rules.profile.map((entry) => [keyOf(nameOf(entry)), entry]))
  const changes = changesOf(ctx)
  const listeners: (() => void)[] = []

  function find(name: string): Entry | undefined {
    const key = keyOf(name)
    const row = selectOne.get(key)
    return row === undefined ? ofProfile.get(key) : (read(row.entry) ?? undefined)
  }

  function list(): BookEntry<Entry>[] {
    const changed = new Map(select.all().map(({ key, entry }) => [key, read(entry)]))
    const unchanged = [...ofProfile].filter(([key]) => !changed.has(key)).map(([, entry]) => entry)
    return [
      ...unchanged.map((entry) => ({ entry, from: 'profile' as const })),
      ...[...changed.values()].flatMap((entry) => (entry === null ? [] : [{ entry, from: 'lane' as const }])),
    ].toSorted((one, other) => nameOf(one.entry).localeCompare(nameOf(other.entry)))
  }

  function write(tx: Tx, { name, before, after }: Written<Entry>, actorId: string | null, detail?: AuditDetail): void {
    tx.run(upsert, keyOf(name), after && JSON.stringify(after))
    const auditKind: AuditKind =
      after === null ? `${kind}-removed` : before === undefined ? `${kind}-added` : `${kind}-changed`
    audit.record(tx, {
      kind: auditKind,
      actorId,
      subject: name,
      detail: {
        before: before === undefined ? null : JSON.stringify(before),
        after: after && JSON.stringify(after),
        ...detail,
      },
    })
    transact.afterCommit(() => {
      for (const listener of listeners) listener()
    })
  }

  function commit(tx: Tx, staffId: string, written: Written<Entry>): void {
    write(tx, written, staffId)
    changes.recordLocal(tx, {
      kind,
      subject: keyOf(written.name),
      value: { [kind]: written.after },
      byId: staffId,
    })
  }

  changes.follow(kind, rules.change, (tx, { subject, value, byId, detail }) => {
    const before = find(subject)
    const after = value[kind] ?? null
    const named = after ?? before
    write(tx, { name: named === undefined ? subject : nameOf(named), before, after }, byId, detail)
    transact.afterCommit(() => {
      ctx.publish({ type: 'catalog-changed' })
    })
  })

  return {
    find,
    list,
    all: (): Entry[] => list().map(({ entry }) => entry),
    keyOf: (entry: Entry): string => keyOf(nameOf(entry)),
    /** Calls the listener after each commit that changes an entry. */
    onChange: (listener: () => void): void => void listeners.push(listener),
    /** Throws the problems of the rules, and `changed-meanwhile`. */
    save(how: 'add' | 'change', entry: Entry, seen: Entry | undefined, staffId: string): void {
      const before = find(nameOf(entry))
      if (how === 'add' && before !== undefined) throw new ProblemError(rules.problems.used)
      if (how === 'change' && before === undefined) throw new ProblemError(rules.problems.unknown)
      refuseChanged(seen, before)
      transact((tx) => {
        commit(tx, staffId, { name: nameOf(entry), before, after: entry })
      })
    },
    /** Adds or replaces these entries, and leaves all others. */
    saveAll(entries: readonly Entry[], staffId: string): void {
      transact((tx) => {
        for (const entry of entries)
          commit(tx, staffId, { name: nameOf(entry), before: find(nameOf(entry)), after: entry })
      })
    },
    remove(name: string, staffId: string): void {
      const before = find(name)
      if (before === undefined) throw new ProblemError(rules.problems.unknown)
      transact((tx) => {
        commit(tx, staffId, { name: nameOf(before), before, after: null })
      })
    },
  }
}
