import Sqlite from 'better-sqlite3'
import { LOG_FIELDS } from '../contracts/operations/support.ts'
import type { PlantedSecret, SecretKind } from '../scripts/testing/planted-secrets.ts'

/** Gives out each secret once. `kind`: gives out a secret of this kind, for a field that accepts no other kind. */
export interface Dealer {
  next(kind?: SecretKind): string
  /** Returns a PIN as a number while enough PINs remain, else a number that is no secret. */
  number(): number
  readonly placed: number
  readonly left: number
}

const RESERVED_PINS = 150

export function createDealer(secrets: readonly PlantedSecret[]): Dealer {
  const waiting = Map.groupBy(secrets, ({ kind }) => kind)
  let placed = 0
  let filler = 0
  const longest = (): PlantedSecret[] | undefined =>
    [...waiting.values()].toSorted((one, other) => other.length - one.length)[0]
  return {
    next(kind) {
      const secret = (kind === undefined ? longest() : waiting.get(kind))?.pop()
      if (!secret) throw new Error(`there is no ${kind ?? 'secret'} left to plant`)
      placed += 1
      return secret.value
    },
    number() {
      const pins = waiting.get('pin') ?? []
      if (pins.length <= RESERVED_PINS) return (filler += 1)
      return Number(this.next('pin'))
    },
    get placed() {
      return placed
    },
    get left() {
      return secrets.length - placed
    },
  }
}

const TIME = '2026-11-20T15:00:00.000Z'
const FIELDS = Object.keys(LOG_FIELDS)

const LINES: readonly ((dealer: Dealer) => string)[] = [
  // Plants a secret in every log field that a support file copies, as text.
  (dealer) => logged({ msg: 'a call failed', ...Object.fromEntries(FIELDS.map((name) => [name, dealer.next()])) }),
  // Plants secrets as numbers in log fields that a support file copies as numbers.
  (dealer) =>
    logged({
      msg: 'a call failed',
      ...Object.fromEntries(
        ['aheadSeconds', 'buffered', 'bytes', 'freeMb', 'neededMb', 'received'].map((name, index) => [
          name,
          Number(dealer.next(index === 0 ? 'card' : index === 1 ? 'collector' : 'pin')),
        ]),
      ),
    }),
  (dealer) => logged({ msg: dealer.next() }),
  (dealer) => logged({ msg: `a call failed ${dealer.next()}` }),
  (dealer) =>
    logged({
      msg: `the disk of the data folder has ${dealer.next('pin')} MB free; this lane needs ${dealer.next('pin')} MB`,
    }),
  (dealer) =>
    logged({
      msg: 'a call failed',
      err: {
        type: dealer.next(),
        message: dealer.next(),
        stack: dealer.next(),
        code: dealer.next(),
        cause: { message: dealer.next() },
        [dealer.next()]: 1,
      },
    }),
  (dealer) => logged({ msg: 'a call failed', [dealer.next()]: 1, nested: { deep: [dealer.next(), dealer.next()] } }),
  (dealer) => logged({ msg: 'a call failed', url: `https://cash.example/redeem?card=${dealer.next()}` }),
  (dealer) => logged({ msg: 'a call failed', time: dealer.next() }),
  (dealer) => logged({ msg: 'a call failed', level: dealer.next() }),
  (dealer) => `Error: ${dealer.next()} at /home/${encodeURIComponent(dealer.next())}/store.ts`,
]

const logged = (facts: object): string => JSON.stringify({ level: 50, time: TIME, ...facts })

export const plantedLog = (count: number, dealer: Dealer): string =>
  Array.from({ length: count }, (_, index) => `${LINES[index % LINES.length]?.(dealer) ?? ''}\n`).join('')

type Database = Sqlite.Database
interface Column {
  readonly name: string
  readonly type: string
  readonly pk: number
}

/** Opens the database of a stopped lane without checks, foreign keys and triggers, so that columns accept secrets. */
export function openToPlant(file: string): Database {
  const db = new Sqlite(file)
  db.pragma('ignore_check_constraints = ON')
  db.pragma('foreign_keys = OFF')
  const triggers = db.prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER "${name}"`)
  return db
}

/** Inserts a row with a secret in every column that has no given value. */
export function plantRow(
  db: Database,
  table: string,
  dealer: Dealer,
  given: Readonly<Record<string, unknown>> = {},
): void {
  const columns = db.prepare<[], Column>(`SELECT name, type, pk FROM pragma_table_info('${table}')`).all()
  const values = columns.map(({ name, type, pk }) => {
    if (name in given) return given[name]
    if (type === 'INTEGER' && pk > 0) return freeNumber(db, table, name, dealer)
    if (type === 'INTEGER' || type === 'REAL') return dealer.number()
    return type === 'BLOB' ? Buffer.from(dealer.next()) : dealer.next()
  })
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  db.prepare(`INSERT INTO "${table}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`).run(...values)
}

/** Returns a number that no row has yet: PINs are short, and the lane numbers its own rows from one. */
function freeNumber(db: Database, table: string, name: string, dealer: Dealer): number {
  const existing = db.prepare(`SELECT 1 FROM "${table}" WHERE "${name}" = ?`)
  for (;;) {
    const number = dealer.number()
    if (existing.get(number) === undefined) return number
  }
}

/** Tables that `plantEverywhere` leaves out, because a support file copies values from them. */
const READ = new Set(['echo_result', 'echo_outage', 'offer_list', 'lane_epoch'])

/** Plants secrets in all other tables, except virtual ones. Returns the names of these tables. */
export function plantEverywhere(db: Database, rows: number, dealer: Dealer): string[] {
  const all = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all()
  const virtual = all.filter(({ sql }) => sql.startsWith('CREATE VIRTUAL'))
  const tables = all.filter(({ name }) => !READ.has(name) && !virtual.some((one) => name.startsWith(one.name)))
  for (const { name } of tables)
    for (let row = 0; row < rows; row += 1) plantRow(db, name, dealer, { open: 0, calls_off: null })
  return tables.map(({ name }) => name)
}
