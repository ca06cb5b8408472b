import {
  CELL_SEPARATOR,
  CellReader,
  dayIn,
  dollarsText,
  NAME_COLUMNS,
  nameColumnOf,
  REQUIRED_NAME_COLUMNS,
} from '../../contracts/catalog/cells.ts'
import { type Charge, ChargeKind, MAX_CHARGE_CENTS } from '../../contracts/catalog/charges.ts'
import { MAX_CHARGE_CHANGES } from '../../contracts/catalog/item-charges.ts'
import type { ManufacturerCoupon } from '../../contracts/catalog/manufacturer-coupons.ts'
import type { Names } from '../../contracts/core/locales.ts'
import { LOCALES } from '../../contracts/i18n/languages.ts'
import type { Coupon } from '../../contracts/sales/sale-rules.ts'

/** Expected form of a cell, as the error message about a wrong cell states it. */
export type TableForm =
  | 'kind'
  | 'chargeName'
  | 'amount'
  | 'changes'
  | 'code'
  | 'sku'
  | 'pieces'
  | 'oneReduction'
  | 'oneReach'
export type TableReader = CellReader<string, TableForm>

/** How the cells of a column are read and written. */
interface Cell<Value> {
  readonly read: (reader: TableReader, column: string) => unknown
  readonly write: (value: Value) => string
}

/** Columns of the file of a book: one for each property of an entry, and one for each language of its name. */
export interface Table<Entry> {
  readonly names: {
    readonly key: keyof Entry
    readonly of: (entry: Entry) => Names
    readonly longest: number
    readonly form: 'name' | 'chargeName'
  }
  /** The first column is the key of an entry. */
  readonly columns: readonly Column<Entry>[]
  /** Refuses cells that contradict each other. */
  readonly check?: (reader: TableReader) => void
}

interface Column<Entry> {
  readonly name: string
  readonly key: keyof Entry
  readonly isRequired: boolean
  readonly read: Cell<never>['read']
  readonly write: (entry: Entry) => string
}

/** Returns a function that builds the columns of an entry. */
export const columnOf =
  <Entry>() =>
  <Key extends keyof Entry>(
    name: string,
    key: Key,
    cell: Cell<NonNullable<Entry[Key]>>,
    isRequired: 'required' | 'optional' = 'optional',
  ): Column<Entry> => ({
    name,
    key,
    isRequired: isRequired === 'required',
    read: cell.read,
    write: ({ [key]: value }) => (value === undefined || value === null ? '' : cell.write(value)),
  })

type Keyed = Readonly<Record<string, unknown>>

export const tableColumns = <Entry>({ columns: [key, ...others] }: Table<Entry>): string[] => [
  key?.name ?? '',
  ...NAME_COLUMNS,
  ...others.map(({ name }) => name),
]

export const requiredColumns = <Entry>({ columns }: Table<Entry>): string[] => [
  ...columns.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  ...REQUIRED_NAME_COLUMNS,
]

export const textsOf = <Entry>({ names, columns }: Table<Entry>, entry: Entry): Record<string, string> => ({
  ...Object.fromEntries(columns.map(({ name, write }) => [name, write(entry)])),
  ...Object.fromEntries(LOCALES.map((locale) => [nameColumnOf(locale), names.of(entry)[locale] ?? ''])),
})

/** Reads the cells of one row as an entry. An empty cell of an optional column leaves its property out. */
export function readCells<Entry>(
  { names, columns, check }: Table<Entry>,
  texts: (column: string) => string,
  decimalComma: boolean,
): { readonly draft: Keyed } | { readonly wrong: TableReader['wrong'] } {
  const reader: TableReader = new CellReader(texts, decimalComma)
  const given = columns.filter(({ name, isRequired }) => isRequired || reader.text(name) !== '')
  const draft = {
    [names.key]: reader.names(names.longest, names.form),
    ...Object.fromEntries(given.map(({ name, key, read }) => [key, read(reader, name)])),
  }
  check?.(reader)
  return reader.wrong.length === 0 ? { draft } : { wrong: reader.wrong }
}

const plain = (text: string): string => text
const idCell: Cell<string> = { read: (reader, column) => reader.id(column), write: plain }
const kindCell: Cell<ChargeKind> = {
  read: (reader, column) => reader.oneOf(column, ChargeKind.options, 'kind'),
  write: plain,
}
const chargeCell: Cell<number> = {
  read: (reader, column) => reader.cents(column, 0, MAX_CHARGE_CENTS, 'amount'),
  write: dollarsText,
}
/** Planned amounts as `2027-01-01 0.15 0.10`: day, amount, and refund, which by default is the amount. */
const changesCell: Cell<Charge['changes']> = {
  read: (reader, column) => {
    const parts = reader
      .text(column)
      .split(/[|;\n\r]+/)
      .map((part) => part.trim().split(/\s+/))
      .filter(([day]) => day !== '')
    const changes = parts.flatMap(([day = '', ...amounts]) => {
      const from = dayIn(day)
      const [cents, refundCents] = amounts.map((amount) => reader.centsIn(amount, 0, MAX_CHARGE_CENTS))
      const areRead =
        amounts.length <= 2 && cents !== undefined && amounts.length === (refundCents === undefined ? 1 : 2)
      if (from === undefined || !areRead) return []
      return [{ from, cents, ...(refundCents === undefined ? {} : { refundCents }) }]
    })
    const days = new Set(changes.map(({ from }) => from))
    if (days.size < parts.length || parts.length > MAX_CHARGE_CHANGES) reader.refuse(column, 'changes')
    return changes.toSorted((one, other) => one.from.localeCompare(other.from))
  },
  write: (changes) =>
    changes
      .map(({ from, cents, refundCents }) =>
        [from, dollarsText(cents), ...(refundCents === undefined ? [] : [dollarsText(refundCents)])].join(' '),
      )
      .join(CELL_SEPARATOR),
}
const codeCell = (longest: number): Cell<string> => ({
  read: (reader, column) => reader.matching(column, new RegExp(`^[!-~]{3,${longest}}$`), 'code'),
  write: plain,
})
const skuCell: Cell<string> = { read: (reader, column) => reader.matching(column, /^\S{1,40}$/, 'sku'), write: plain }
const textCell: Cell<string> = { read: (reader, column) => reader.text(column), write: plain }
const dayCell: Cell<string> = { read: (reader, column) => reader.day(column), write: plain }
const dollarsCell: Cell<number> = {
  read: (reader, column) => (reader.cents(column, 1) ?? 0) / 100,
  write: (dollars) => dollars.toFixed(2),
}
const percentCell: Cell<number> = { read: (reader, column) => (reader.percent(column, 2) ?? 0) / 100, write: String }
const piecesCell: Cell<number> = { read: (reader, column) => reader.whole(column, 1, 99, 'pieces'), write: String }

function checkCoupon(reader: TableReader): void {
  const alone = (first: string, second: string, form: 'oneReduction' | 'oneReach'): void => {
    if (reader.text(first) !== '' && reader.text(second) !== '') reader.refuse(second, form)
  }
  alone('percent', 'dollars', 'oneReduction')
  alone('sku', 'department', 'oneReach')
  reader.daysInOrder('from_day', 'until_day')
}

const ofCharge = columnOf<Charge>()
export const CHARGE_TABLE: Table<Charge> = {
  names: { key: 'names', of: ({ names }) => names, longest: 40, form: 'chargeName' },
  columns: [
    ofCharge('id', 'id', idCell, 'required'),
    ofCharge('kind', 'kind', kindCell, 'required'),
    ofCharge('amount', 'cents', chargeCell, 'required'),
    ofCharge('refund', 'refundCents', chargeCell),
    ofCharge('changes', 'changes', changesCell),
  ],
}

const ofCoupon = columnOf<Coupon>()
export const COUPON_TABLE: Table<Coupon> = {
  names: { key: 'name', of: ({ name }) => name, longest: 60, form: 'name' },
  columns: [
    ofCoupon('code', 'code', codeCell(64), 'required'),
    ofCoupon('percent', 'percent', percentCell),
    ofCoupon('dollars', 'dollars', dollarsCell),
    ofCoupon('sku', 'sku', skuCell),
    ofCoupon('department', 'department', textCell),
    ofCoupon('minimum', 'minimumDollars', dollarsCell),
    ofCoupon('from_day', 'from', dayCell),
    ofCoupon('until_day', 'until', dayCell),
  ],
  check: checkCoupon,
}

const ofManufacturer = columnOf<ManufacturerCoupon>()
export const MANUFACTURER_COUPON_TABLE: Table<ManufacturerCoupon> = {
  names: { key: 'name', of: ({ name }) => name, longest: 60, form: 'name' },
  columns: [
    ofManufacturer('code', 'code', codeCell(80), 'required'),
    ofManufacturer('dollars', 'dollars', dollarsCell),
    ofManufacturer('sku', 'sku', skuCell),
    ofManufacturer('department', 'department', textCell),
    ofManufacturer('units', 'units', piecesCell),
    ofManufacturer('from_day', 'from', dayCell),
    ofManufacturer('until_day', 'until', dayCell),
  ],
  check: checkCoupon,
}
