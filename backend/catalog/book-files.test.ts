import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { BookName } from '../../contracts/catalog/book-files.ts'
import { Charge, ChargeList } from '../../contracts/catalog/charges.ts'
import { ExportedFile } from '../../contracts/catalog/files.ts'
import { ManufacturerCoupon } from '../../contracts/catalog/manufacturer-coupons.ts'
import { csvFile, withoutApostrophes } from '../../contracts/core/csv.ts'
import type { Localized } from '../../contracts/core/locales.ts'
import { REGION_DEPOSITS } from '../../contracts/core/region-deposits.ts'
import { Coupon } from '../../contracts/sales/sale-rules.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { trainingProfile } from '../../packages/lab/testing/loyalty-harness.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import {
  CHARGE_TABLE,
  COUPON_TABLE,
  MANUFACTURER_COUPON_TABLE,
  readCells,
  type Table,
  tableColumns,
  textsOf,
} from './book-columns.ts'
import { parseCsv } from './editions/csv.ts'

const central = useCentral()
const training = trainingProfile()

/** Writes entries as a file, reads the file, and returns the entries. */
function readBack<Entry>(table: Table<Entry>, schema: z.ZodType<Entry>, entries: readonly Entry[]): Entry[] {
  const columns = tableColumns(table)
  const csv = csvFile(
    columns,
    entries.map((entry) => columns.map((column) => textsOf(table, entry)[column] ?? '')),
  )
  return [...parseCsv([csv])].slice(1).map(({ fields }) => {
    const read = readCells(table, (column) => withoutApostrophes(fields[columns.indexOf(column)] ?? ''), false)
    return schema.parse('wrong' in read ? { wrong: read.wrong } : read.draft)
  })
}

const cents = fc.integer({ min: 0, max: 10_000 })
const dollars = fc.integer({ min: 1, max: 10_000_000 }).map((amount) => amount / 100)
const percent = fc.integer({ min: 1, max: 10_000 }).map((share) => share / 100)
const day = fc.integer({ min: 0, max: 9_999 }).map((days) => new Date(days * 86_400_000).toJSON().slice(0, 10))
const names = fc.record({
  'en-CA': fc.constantFrom('Can', '=SUM(A1)', 'Say "hi", now', '-20%', 'a;=b', '＝x'),
  'fr-CA': fc.constantFrom('Canette', 'Été; soldes', '@x'),
})
const code = fc.stringMatching(/^[!-~]{3,64}$/).filter((text) => !text.includes("'"))
const days = fc
  .uniqueArray(day, { maxLength: 2 })
  .map((two) => two.toSorted())
  .map(([from, until]) => ({ ...(from && { from }), ...(until && { until }) }))
const reach = fc.oneof(
  fc.constant({}),
  fc.record({ sku: fc.constantFrom('1010', '0042', '-7') }),
  fc.record({ department: fc.constantFrom('grocery', 'soins d’été') }),
)
const charges = fc
  .record(
    {
      id: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,39}$/),
      kind: fc.constantFrom('deposit', 'fee'),
      names,
      cents,
      refundCents: cents,
      changes: fc
        .uniqueArray(fc.record({ from: day, cents, refundCents: cents }, { requiredKeys: ['from', 'cents'] }), {
          selector: ({ from }) => from,
          maxLength: 6,
        })
        .map((changes) => changes.toSorted((one, other) => one.from.localeCompare(other.from))),
    },
    { requiredKeys: ['id', 'kind', 'names', 'cents'] },
  )
  .map((charge) => Charge.parse(charge))
const coupons = fc
  .tuple(
    fc.record({ code, name: names, minimumDollars: dollars }, { requiredKeys: ['code', 'name'] }),
    fc.oneof(fc.constant({}), fc.record({ percent }), fc.record({ dollars })),
    reach,
    days,
  )
  .map((parts) => Coupon.parse(Object.assign({}, ...parts)))
const manufacturerCoupons = fc
  .tuple(
    fc.record(
      { code, name: names, dollars, units: fc.integer({ min: 1, max: 99 }) },
      { requiredKeys: ['code', 'name'] },
    ),
    reach,
    days,
  )
  .map((parts) => ManufacturerCoupon.parse(Object.assign({}, ...parts)))

describe('an entry of a book in a row of a file', () => {
  test('is read back as the same entry', () => {
    const all = <Entry>(table: Table<Entry>, schema: z.ZodType<Entry>, entry: fc.Arbitrary<Entry>): void =>
      fc.assert(
        fc.property(entry, (one) => {
          expect(readBack(table, schema, [one])).toEqual([one])
        }),
      )
    all(CHARGE_TABLE, Charge, charges)
    all(COUPON_TABLE, Coupon, coupons)
    all(MANUFACTURER_COUPON_TABLE, ManufacturerCoupon, manufacturerCoupons)
  })

  test('is read back as the same entry for the deposits of all regions and the books of the training store', () => {
    const given = [...Object.values(REGION_DEPOSITS).flat(), ...training.deposits.charges]
    expect(readBack(CHARGE_TABLE, Charge, given)).toEqual(given)
    expect(readBack(COUPON_TABLE, Coupon, training.coupons)).toEqual(training.coupons)
    const { manufacturerCoupons: ofManufacturers } = training
    expect(readBack(MANUFACTURER_COUPON_TABLE, ManufacturerCoupon, ofManufacturers)).toEqual(ofManufacturers)
  })
})

const CATALOG = [
  'sku,barcode,name_en,name_fr,price,tax_category,department,category',
  '1010,,Coffee,Café,10.00,zero-rated,grocery,',
  '0042,,Tea,Thé,5.00,zero-rated,grocery,',
].join('\n')
const NAME = { 'en-CA': 'Name', 'fr-CA': 'Nom' }

interface Read {
  readonly kind: string
  readonly found: { readonly book: BookName; readonly entries: readonly object[] }
  readonly rows: readonly { readonly line: number; readonly column: string | null; readonly messages: Localized }[]
}
const openLane = (given: { staffId?: 'alex' } = {}): Promise<TerminalHarness> =>
  openTerminalHarness(central, {
    staffId: 'sam',
    region: 'AB',
    catalog: CATALOG,
    coupons: [
      { code: 'COFFEE2', name: NAME, dollars: 2, sku: '1010' },
      { code: '0099', name: NAME, percent: 12.5, department: 'grocery', minimumDollars: 20 },
      // The catalog no longer has this item.
      { code: '-OLD', name: { 'en-CA': '=old', 'fr-CA': 'Été' }, dollars: 1, sku: '9999', until: '2026-12-01' },
    ],
    manufacturerCoupons: [{ code: '9900000000011', name: NAME, dollars: 5, sku: '0042', units: 2 }],
    deposits: {
      charges: [
        {
          id: 'jug',
          kind: 'deposit',
          names: NAME,
          cents: 1_000,
          changes: [
            { from: '2027-01-01', cents: 1_500, refundCents: 10 },
            { from: '2027-06-01', cents: 0 },
          ],
        },
      ],
    },
    ...given,
  })
const send = async (lane: TerminalHarness, book: BookName, file: string | Uint8Array<ArrayBuffer>): Promise<Read> => {
  const answer = await lane.upload(`/api/catalog/files/${book}`, file)
  expect(answer.status).toBe(200)
  return (await answer.json()) as Read
}
const exported = async (lane: TerminalHarness, book: BookName): Promise<string> =>
  ExportedFile.parse((await lane.call('GET', `/api/catalog/files/${book}`)).body).csv
const listed = async (lane: TerminalHarness, book: BookName): Promise<unknown> =>
  (await lane.call('GET', `/api/catalog/${book}`)).body
const BOOKS = [
  ['charges', 3],
  ['coupons', 3],
  ['manufacturer-coupons', 1],
] as const satisfies readonly (readonly [BookName, number])[]

describe('a file of deposits and fees, or of coupons', () => {
  test('changes nothing if it is exported and imported again, also as spreadsheets save it', async () => {
    const lane = await openLane()
    for (const [book, same] of BOOKS) {
      const csv = await exported(lane, book)
      // A French spreadsheet separates with semicolons and writes decimal commas.
      const french = csv.replaceAll(',', ';').replaceAll(/(\d)\.(\d)/g, '$1,$2')
      const files = [
        csv,
        `sep=;\r\n${french.slice(1)}`,
        Buffer.from(csv, 'utf16le'),
        Buffer.from(french.slice(1).replaceAll('’', '\u0092'), 'latin1'),
      ]
      for (const file of files)
        expect(await send(lane, book, typeof file === 'string' ? file : new Uint8Array(file)), book).toEqual({
          kind: 'read',
          added: 0,
          changed: 0,
          same,
          found: { book, entries: [] },
        })
    }
  })

  test('changes a deposit of the region as its form on the screen does, adds a fee, and no more', async () => {
    const lane = await openLane()
    const before = ChargeList.parse(await listed(lane, 'charges')).charges
    const read = await send(
      lane,
      'charges',
      [
        'id;name_en;name_fr;kind;amount;changes',
        'ab-small;Can;Canette;deposit;0,15;2027/6/1 0,20 0,10 | 2027-01-01 0,25',
        'can-fee;Fee;Écofrais;FEE;$ 0,01;',
      ].join('\n'),
    )
    expect(read).toMatchObject({ kind: 'read', added: 1, changed: 1, same: 0 })
    expect(before.find(({ charge }) => charge.id === 'ab-small')).toMatchObject({ from: 'region', cents: 10 })
    expect((await lane.call('POST', '/api/catalog/files', read.found)).status).toBe(204)
    const after = ChargeList.parse(await listed(lane, 'charges')).charges
    expect(after.find(({ charge }) => charge.id === 'ab-small')).toMatchObject({
      from: 'lane',
      cents: 15,
      charge: {
        changes: [
          { from: '2027-01-01', cents: 25 },
          { from: '2027-06-01', cents: 20, refundCents: 10 },
        ],
      },
    })
    expect(after.filter(({ from }) => from !== 'lane')).toEqual(before.filter(({ charge }) => charge.id !== 'ab-small'))
    expect(lane.read(`SELECT kind, actor_id AS actor, subject FROM audit_entry WHERE kind LIKE 'charge-%'`)).toEqual([
      { kind: 'charge-changed', actor: 'sam', subject: 'ab-small' },
      { kind: 'charge-added', actor: 'sam', subject: 'can-fee' },
    ])
    const forOtherLanes = lane.read(`SELECT subject FROM store_change WHERE kind = 'charge' ORDER BY subject`)
    expect(forOtherLanes).toEqual([{ subject: 'ab-small' }, { subject: 'can-fee' }])
  })

  test('finds a coupon by its code in upper or lower case, and restores leading zeros of codes and SKUs', async () => {
    const lane = await openLane()
    const read = await send(
      lane,
      'coupons',
      'code,name_en,name_fr,percent,dollars,sku\ncoffee2,Name,Nom,,2,1010\n99,Name,Nom,10%,,42\nNEW,New,Nouveau,,,\n',
    )
    expect(read).toMatchObject({
      added: 1,
      changed: 2,
      found: { entries: [{ code: 'coffee2' }, { code: '0099', percent: 10, sku: '0042' }, { code: 'NEW' }] },
    })
    expect((await lane.call('POST', '/api/catalog/files', read.found)).status).toBe(204)
    expect(await listed(lane, 'coupons')).toMatchObject({
      coupons: [
        { coupon: { code: '-OLD' } },
        { coupon: { code: '0099' } },
        { from: 'lane' },
        { coupon: { code: 'NEW' } },
      ],
    })
  })

  test('is refused as a whole, with the line and column of each error', async () => {
    const lane = await openLane()
    const wrongIn = async (book: BookName, ...lines: string[]) => {
      const before = await listed(lane, book)
      const { kind, rows } = await send(lane, book, lines.join('\n'))
      expect(kind).toBe('refused')
      expect(await listed(lane, book)).toEqual(before)
      return rows.map(({ line, column }) => [line, column])
    }
    expect(
      await wrongIn(
        'charges',
        'id,name_en,name_fr,kind,amount,refund,changes',
        'a b,A,A,deposit,0.10,,',
        `b,${'B'.repeat(41)},B,tip,100.01,-1,`,
        'c,C,C,fee,,,2027-01-01 0.10 | 2027-01-01 0.20',
        'd,D,D,fee,0.10,,2027-02-30 0.10',
        'e,E,E,fee,0.10,,2027-01-01',
        'f,Card 4111 1111 1111 1111,F,fee,0.10,,',
        'g,G,G,fee,0.10,,',
        'G,G,G,fee,0.20,,',
        'short',
      ),
    ).toEqual([
      [2, 'id'],
      [3, 'name_en'],
      [3, 'kind'],
      [3, 'amount'],
      [3, 'refund'],
      [4, 'amount'],
      [4, 'changes'],
      [5, 'changes'],
      [6, 'changes'],
      [7, 'name_en'],
      [9, 'id'],
      [10, null],
    ])
    const coupon = 'code,name_en,name_fr,percent,dollars,sku,department,minimum,from_day,until_day'
    expect(
      await wrongIn(
        'coupons',
        coupon,
        'AB,A,A,,,,,,,',
        'BOTH,,B,10,2,1010,grocery,,2026-12-24,2026-12-01',
        'MANY,M,M,100.01,,77,,0,12/24/2026,',
        'ITEM,I,I,,2,77,,,,',
        'DEPARTMENT,D,D,,2,,toys,,,',
        '9.9E+12,E,E,,2,1.01E+12,,,,',
        'STAFF-A10001,S,S,,2,,,,,',
        'CARD,Card 4111 1111 1111 1111,C,,2,,,,,',
        'twice,T,T,,2,,,,,',
        'TWICE,T,T,,3,,,,,',
      ),
    ).toEqual([
      [2, 'code'],
      [3, 'name_en'],
      [3, 'dollars'],
      [3, 'department'],
      [3, 'until_day'],
      [4, 'percent'],
      [4, 'minimum'],
      [4, 'from_day'],
      [5, 'sku'],
      [6, 'department'],
      [7, 'code'],
      [7, 'sku'],
      [8, 'code'],
      [9, 'name_en'],
      [11, 'code'],
    ])
    expect(await wrongIn('manufacturer-coupons', 'code,name_en,name_fr,units', '55555,A,A,100')).toEqual([[2, 'units']])
    expect(await wrongIn('coupons', 'code,name_en,price')).toEqual([
      [1, 'name_fr'],
      [1, 'price'],
    ])
    expect(await wrongIn('coupons', 'code,name_en,name_fr')).toEqual([[1, null]])
    expect(await wrongIn('coupons', '')).toEqual([[1, null]])
    const many = Array.from({ length: 2_000 }, (_, index) => `x-${index},X,X,fee,0.10`)
    expect(await wrongIn('charges', 'id,name_en,name_fr,kind,amount', ...many)).toEqual([[1, null]])
    const { rows } = await send(lane, 'coupons', `${coupon}\n9.9E+12,E,E,,2,,,,,\n`)
    expect(rows[0]?.messages['fr-CA']).toMatch(/9\.9E\+12.*a perdu des chiffres/)
  })

  test('with arbitrary bytes, or damaged at random, is read or refused and never changes the store', async () => {
    const lane = await openLane()
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 6 }),
      fc.constantFrom('"', ',', '\n', '\u0000').map((text) => Buffer.from(text)),
    )
    for (const [book] of BOOKS) {
      const before = await listed(lane, book)
      const valid = Buffer.from(await exported(lane, book))
      const mutated = fc
        .array(fc.tuple(fc.nat({ max: valid.length }), fc.nat({ max: 4 }), piece), { minLength: 1, maxLength: 5 })
        .map((edits) =>
          edits.reduce(
            (bytes, [at, cut, put]) => Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)]),
            valid,
          ),
        )
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), mutated), async (bytes) => {
          expect((await send(lane, book, new Uint8Array(bytes))).kind).toMatch(/^(read|refused)$/)
        }),
        { numRuns: 150 },
      )
      expect(await listed(lane, book)).toEqual(before)
    }
  })

  test('cannot be exported, read or saved by a cashier', async () => {
    const lane = await openLane({ staffId: 'alex' })
    for (const [book] of BOOKS) {
      expect(await lane.refused('GET', `/api/catalog/files/${book}`)).toBe('manager-required')
      expect((await lane.upload(`/api/catalog/files/${book}`, 'id\n')).status).toBe(403)
      expect(await lane.refused('POST', '/api/catalog/files', { book, entries: [] })).toBe('manager-required')
    }
  })

  test('is not saved if one entry has an unknown item or department, or a code that no scan finds', async () => {
    const lane = await openLane()
    const good = { code: 'GOOD', name: NAME, dollars: 1 }
    for (const [bad, problem] of [
      [{ ...good, code: 'BAD', sku: '77' }, 'item-unknown'],
      [{ ...good, code: 'BAD', department: 'toys' }, 'department-unknown'],
      [{ ...good, code: 'STAFF-A10001' }, 'code-not-scannable'],
    ] as const)
      expect(await lane.refused('POST', '/api/catalog/files', { book: 'coupons', entries: [good, bad] })).toBe(problem)
    expect(await exported(lane, 'coupons')).not.toContain('GOOD')
  })
})
