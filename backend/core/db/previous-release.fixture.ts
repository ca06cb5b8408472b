import { statementsOf } from '../../../packages/lab/testing/sql-statements.ts'
import type { Database } from './database.ts'

/**
 * Triggers that a migration replaced by less strict ones, which differ only for rows that the previous release does not
 * write.
 */
const REFUSES_LESS: ReadonlySet<string> = new Set(['refund_was_paid'])

/**
 * Returns what in the migrated schema would make the previous release fail; empty when it works. `deleted`: tables from
 * which it deletes rows. A schema comparison cannot see updated rows or unknown kinds; docs/releases.md and
 * `packages/lab/testing/one-release-back.campaign.test.ts` cover these.
 */
export function incompatibilities(before: Database, after: Database, deleted: ReadonlySet<string>): string[] {
  const [known, found] = [schemaOf(before), schemaOf(after)]
  return [
    ...[...known].flatMap(([name, old]) => {
      const now = found.get(name)
      if (now === undefined) return [`${old.type} ${name} is gone`]
      if (old.type === 'table') return changesOfTable(before, after, name, old.sql, now.sql)
      return REFUSES_LESS.has(name) || statementsOf(old.sql) === statementsOf(now.sql)
        ? []
        : [`${old.type} ${name} is another`]
    }),
    ...[...found].filter(([name]) => !known.has(name)).flatMap(([, added]) => harmOf(added, known)),
    ...[...found.values()]
      .filter(({ type }) => type === 'table')
      .flatMap(({ name }) => keysThatHold(before, after, name, new Set(known.keys()), deleted)),
  ]
}

interface Item {
  readonly type: string
  readonly name: string
  readonly table: string
  readonly sql: string
}

const schemaOf = (db: Database): Map<string, Item> =>
  new Map(
    db
      .prepare<[], Item>(
        `SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema
          WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
      )
      .all()
      .map((item) => [item.name, item]),
  )

interface Column {
  readonly name: string
  readonly type: string
  readonly required: number
  readonly given: string | null
  readonly key: number
  readonly hidden: number
}

const columnsOf = (db: Database, table: string): Column[] =>
  db
    .prepare<[string], Column>(
      `SELECT name, type, "notnull" AS required, dflt_value AS given, pk AS "key", hidden FROM pragma_table_xinfo(?)`,
    )
    .all(table)

/**
 * Tables whose columns are hashed into a chain or a digest: a program that does not know a column computes another
 * hash.
 */
const HASHED = new Set(['operation', 'journal_entry', 'audit_entry', 'tamper_evidence', 'schema_mark'])

function changesOfTable(before: Database, after: Database, table: string, old: string, now: string): string[] {
  const found: string[] = []
  const columns = new Map(columnsOf(after, table).map((column) => [column.name, column]))
  const known = columnsOf(before, table)
  for (const column of known)
    if (JSON.stringify(columns.get(column.name)) !== JSON.stringify(column))
      found.push(`${table}.${column.name} is another, or gone`)
  const added = [...columns.values()].filter(({ name }) => !known.some((one) => one.name === name))
  if (added.length > 0 && HASHED.has(table)) found.push(`${table} has another column, and its rows are hashed`)
  for (const { name, required, given } of added)
    if (required === 1 && (given === null || given === 'NULL'))
      found.push(`${table}.${name} is required and has no default`)
  const left = new Set(definitionsOf(now))
  for (const definition of definitionsOf(old))
    if (!left.delete(definition)) found.push(`${table} lacks “${definition}”`)
  for (const definition of left) {
    const own = added.find(({ name }) => definition === name || definition.startsWith(`${name} `))
    if (!own) found.push(`${table} has a new constraint or column “${definition}”`)
    else if (/\b(UNIQUE|PRIMARY KEY)\b/i.test(definition)) found.push(`${table}.${own.name} is unique`)
    else if (known.some(({ name }) => new RegExp(`\\b${name}\\b`).test(definition.replace(/REFERENCES.*?\)/i, ''))))
      found.push(`${table}.${own.name} depends on another column`)
  }
  if (tailOf(old) !== tailOf(now)) found.push(`${table} is no longer “${tailOf(old)}”`)
  return found
}

function harmOf({ type, name, table, sql }: Item, known: ReadonlyMap<string, Item>): string[] {
  if (!known.has(table)) return []
  if (type === 'index' && /^CREATE UNIQUE/i.test(sql)) return [`index ${name} refuses rows of ${table}`]
  if (type === 'trigger' && /\bRAISE\s*\(/i.test(sql)) return [`trigger ${name} refuses changes of ${table}`]
  return []
}

function keysThatHold(
  before: Database,
  after: Database,
  table: string,
  known: ReadonlySet<string>,
  deleted: ReadonlySet<string>,
): string[] {
  const keys = (db: Database): { to: string; from: string; gone: string }[] =>
    db
      .prepare<[string], { to: string; from: string; gone: string }>(
        `SELECT "table" AS "to", "from", on_delete AS gone FROM pragma_foreign_key_list(?)`,
      )
      .all(table)
  const old = new Set(keys(before).map((key) => JSON.stringify(key)))
  return keys(after)
    .filter((key) => !old.has(JSON.stringify(key)) && known.has(key.to) && deleted.has(key.to))
    .filter(({ gone }) => gone !== 'CASCADE' && gone !== 'SET NULL')
    .map(({ to, from }) => `${table}.${from} holds rows of ${to}, which are deleted`)
}

const tailOf = (sql: string): string => statementsOf(sql).replace(/^.*\)/, '').trim()

function definitionsOf(sql: string): string[] {
  const text = statementsOf(sql)
  const body = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'))
  const definitions: string[] = []
  let depth = 0
  let quoted = false
  let definition = ''
  for (const sign of body) {
    if (sign === "'") quoted = !quoted
    if (!quoted && sign === '(') depth += 1
    if (!quoted && sign === ')') depth -= 1
    if (sign === ',' && depth === 0 && !quoted) {
      definitions.push(definition.trim())
      definition = ''
    } else definition += sign
  }
  return [...definitions, definition.trim()]
}
