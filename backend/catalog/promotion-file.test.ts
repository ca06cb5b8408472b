import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fieldsOf, readPromotion, REWARDS } from '../../contracts/catalog/promotion-fields.ts'
import { ExportedFile } from '../../contracts/catalog/files.ts'
import { Promotion } from '../../contracts/catalog/promotions.ts'
import type { Localized } from '../../contracts/core/locales.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

const CATALOG = [
  'sku,barcode,name_en,name_fr,price,tax_category,department,category',
  '1010,,Coffee,Café,10.00,zero-rated,grocery,hot drinks',
  '0042,,Tea,Thé,5.00,zero-rated,grocery,',
  'SOAP,,Soap,Savon,3.00,standard,care,',
].join('\n')

interface Read {
  readonly kind: string
  readonly promotions: readonly Promotion[]
  readonly rows: readonly { readonly line: number; readonly column: string | null; readonly messages: Localized }[]
}
const send = async (lane: TerminalHarness, file: string): Promise<Read> =>
  (await (await lane.upload('/api/catalog/promotions/file', file)).json()) as Read

const items = fc.oneof(
  fc.constant({ kind: 'all' as const }),
  fc.uniqueArray(fc.stringMatching(/^[A-Z0-9]{2,8}$/), { minLength: 1, maxLength: 4 }).map((skus) => ({
    kind: 'items' as const,
    skus,
  })),
  fc.uniqueArray(fc.stringMatching(/^[a-z]{2,6}( [a-z]{2,6})?$/), { minLength: 1, maxLength: 3 }).map((ids) => ({
    kind: 'departments' as const,
    ids,
  })),
)
const cents = fc.integer({ min: 1, max: 99_999 })
const ppm = fc.integer({ min: 1, max: 1_000_000 })
const promotions = fc
  .record(
    {
      id: fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/),
      names: fc.record({
        'en-CA': fc.constantFrom('2 for $5', '=SUM(A1)', 'Say "hi", now', '-20%'),
        'fr-CA': fc.constantFrom('2 pour 5 $', 'Été; soldes'),
      }),
      items,
      reward: fc.oneof(
        fc.record({ kind: fc.constantFrom('percent' as const, 'basket-percent' as const), ppm }),
        fc.record({ kind: fc.constantFrom('amount' as const, 'price' as const, 'basket-amount' as const), cents }),
        fc.record({ kind: fc.constant('set-price' as const), units: fc.integer({ min: 2, max: 100 }), cents }),
        fc.record(
          {
            kind: fc.constant('buy-get' as const),
            buy: fc.integer({ min: 0, max: 9 }),
            get: fc.integer({ min: 1, max: 9 }),
            ppm,
            getItems: items,
          },
          { requiredKeys: ['kind', 'buy', 'get', 'ppm'] },
        ),
      ),
      conditions: fc.record(
        { counts: items, minimumCents: cents, minimumUnits: cents.map((n) => (n % 99) + 1) },
        { requiredKeys: [] },
      ),
      times: fc.record(
        {
          fromDay: fc.constant('2026-12-01'),
          untilDay: fc.constant('2026-12-24'),
          weekdays: fc
            .uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 })
            .map((days) => days.toSorted((a, b) => a - b)),
          fromTime: fc.constantFrom('00:00', '09:05'),
          untilTime: fc.constantFrom('17:30', '23:59'),
        },
        { requiredKeys: [] },
      ),
      buyers: fc.constantFrom('everyone', 'members', 'staff', 'seniors'),
      most: fc.integer({ min: 1, max: 9_999 }),
      stackable: fc.boolean(),
      priority: fc.integer({ min: 0, max: 999 }),
    },
    { requiredKeys: ['id', 'names', 'items', 'reward'] },
  )
  .map((given) => Promotion.parse(given))

describe('a promotion in a row of a file', () => {
  test('is read back as the same promotion', () => {
    fc.assert(
      fc.property(promotions, (promotion) => {
        const texts = fieldsOf(promotion)
        const read = readPromotion((field) => texts[field] ?? '', false)
        expect('wrong' in read ? read.wrong : Promotion.parse(read.promotion)).toEqual(promotion)
      }),
    )
  })

  test('is read although a spreadsheet changed dates, times, numbers, weekdays, yes or no, and capitals', () => {
    const texts: Record<string, string> = {
      id: 'Apples-2',
      name_en: 'Apples',
      name_fr: 'Pommes',
      reward: 'SET-PRICE',
      units: '2.00',
      dollars: '$ 5,00',
      from_day: '2026/12/1',
      until_day: '2026-12-24 00:00:00',
      from_time: '9:00:00',
      until_time: '5:30 PM',
      weekdays: 'Monday, mer; 7',
      stackable: 'VRAI',
    }
    expect(readPromotion((field) => texts[field] ?? '', true)).toMatchObject({
      promotion: {
        id: 'apples-2',
        reward: { kind: 'set-price', units: 2, cents: 500 },
        times: {
          fromDay: '2026-12-01',
          untilDay: '2026-12-24',
          fromTime: '09:00',
          untilTime: '17:30',
          weekdays: [1, 3, 7],
        },
        stackable: true,
      },
    })
  })

  test('is refused with each wrong field and its expected form', () => {
    const texts: Record<string, string> = {
      id: 'two words',
      name_en: '',
      name_fr: 'x',
      reward: 'percent',
      percent: '101',
      from_day: '1/12/2026',
      until_time: '25:00',
      weekdays: 'someday',
      buyers: 'friends',
      most: '0',
      stackable: 'maybe',
    }
    expect(readPromotion((field) => texts[field] ?? '', false)).toEqual({
      wrong: [
        ['id', 'id'],
        ['name_en', 'name'],
        ['percent', 'percent'],
        ['from_day', 'day'],
        ['weekdays', 'weekdays'],
        ['until_time', 'time'],
        ['buyers', 'buyers'],
        ['most', 'whole'],
        ['stackable', 'yesNo'],
      ],
    })
    expect(REWARDS).toHaveLength(7)
  })
})

describe('a file of promotions', () => {
  const HEAD = 'id,name_en,name_fr,reward,percent,dollars,units,items'
  test('adds and changes promotions, restores leading zeros of a SKU, and leaves other promotions', async () => {
    const lane = await openTerminalHarness(central, { staffId: 'sam', catalog: CATALOG })
    const kept = { id: 'kept', names: { 'en-CA': 'Kept', 'fr-CA': 'Gardé' }, items: { kind: 'all' } }
    const reward = { kind: 'percent', ppm: 50_000 }
    await lane.call('POST', '/api/catalog/promotions', { how: 'add', promotion: { ...kept, reward } })
    const read = await send(
      lane,
      `${HEAD}\r\ntea,Tea,Thé,set-price,,8.00,2,42\r\nall,5%,5 %,percent,5,,,category: hot drinks\r\n`,
    )
    expect(read).toMatchObject({
      kind: 'read',
      added: 2,
      changed: 0,
      same: 0,
      promotions: [{ items: { skus: ['0042'] } }, { items: { kind: 'categories', ids: ['hot drinks'] } }],
    })
    expect((await lane.call('GET', '/api/catalog/promotions')).body.promotions).toHaveLength(1)
    const saved = await lane.call('POST', '/api/catalog/promotions/save-all', { promotions: read.promotions })
    expect(saved.body.promotions).toMatchObject([
      { promotion: { id: 'all' } },
      { promotion: { id: 'kept' } },
      { promotion: { id: 'tea' } },
    ])
    const { csv } = ExportedFile.parse((await lane.call('GET', '/api/catalog/promotions/file')).body)
    expect(await send(lane, csv)).toMatchObject({ kind: 'read', added: 0, changed: 0, same: 3 })
    const excel = csv.replace('Tea,Thé', 'Green tea,Thé vert').replaceAll(',', ';')
    expect(await send(lane, excel), 'separated by semicolons').toMatchObject({ changed: 1, same: 2 })
  })

  test('is refused as a whole, with the line and column of each error', async () => {
    const lane = await openTerminalHarness(central, { staffId: 'sam', catalog: CATALOG })
    const rows = [
      'tea,Tea,Thé,set-price,,8.00,2,0042',
      'tea,Tea,Thé,set-price,,8.00,1,0042',
      'x,X,X,percent,5,,,9999 | SOAP',
      'y,Y,Y,percent,5,,,department: toys',
      'z,Z,Z,percent,5,,,1.01E+12',
      'short,row',
    ]
    const refused = await send(lane, [HEAD, ...rows].join('\n'))
    expect(refused).toMatchObject({ kind: 'refused', refused: 5 })
    expect(refused.rows.map(({ line, column }) => [line, column])).toEqual([
      [3, 'units'],
      [4, 'items'],
      [5, 'items'],
      [6, 'items'],
      [7, null],
    ])
    expect(refused.rows[0]?.messages['en-CA']).toBe(
      'units: expected units of a set as a whole number from 2 to 100, found “1”',
    )
    expect((await send(lane, 'id,reward\n')).rows.map(({ column }) => column)).toEqual(['name_en', 'name_fr'])
    expect((await send(lane, '')).kind).toBe('refused')
    expect((await send(lane, `${HEAD}\n"open,`)).kind).toBe('refused')
    expect((await lane.call('GET', '/api/catalog/promotions')).body.promotions).toEqual([])
  })
})
