import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { CatalogImport } from '../../contracts/catalog/catalog.ts'
import { cents } from '../../contracts/core/money.ts'
import { openTestDatabase, temporaryFolder, testClock } from '../core/http/testing.ts'
import { CATALOG_HEAD, openCatalogFixture, type CatalogFixture } from './catalog.fixture.ts'
import { openEditionFile } from './editions/edition-file.ts'
import { DIFFERENCES } from './imports.ts'
import { CATALOG_QUERIES } from './editions/catalog.sql.ts'

const MILK = '1,0628451101512,Milk,Lait,5.49,zero-rated,dairy,'
const EGGS = '2,0628451102021,Eggs,Œufs,4.89,zero-rated,dairy,'
const SOAP = '3,,Soap,Savon,2.00,standard,care,'
const fileOf = (...lines: string[]): string => [CATALOG_HEAD, ...lines].join('\n')

async function stocked(...lines: string[]): Promise<CatalogFixture> {
  const opened = await openCatalogFixture()
  await opened.catalog.open(opened.file(lines.length > 0 ? lines : [MILK, EGGS, SOAP]))
  return opened
}
const idOf = (shown: CatalogImport): string => shown.id

describe('an import at the lane', () => {
  test('first shows its changes, then applies all of them, and can be undone', async () => {
    const { imports, compared, catalog, everything, audit } = await stocked()
    const before = everything()
    const shown = await compared(
      fileOf(
        '1,0628451101512,Milk,Lait,5.99,zero-rated,dairy,',
        '2,0628451102021,Eggs,Gros œufs,4.89,zero-rated,dairy,',
        '4,,Tea,Thé,3.00,standard,grocery,',
      ),
    )
    expect(shown).toMatchObject({
      phase: 'ready',
      encoding: 'utf-8',
      separator: 'comma',
      counts: { items: 3, new: 1, price: 1, planned: 0, other: 1, gone: 1 },
    })
    expect(imports.differences('price', 0)).toMatchObject({
      differences: [{ before: { sku: '1', priceCents: 549 }, after: { sku: '1', priceCents: 599 } }],
      next: null,
    })
    expect(imports.differences('other', 0).differences[0]).toMatchObject({
      before: { name: { 'fr-CA': 'Œufs' } },
      after: { name: { 'fr-CA': 'Gros œufs' } },
    })
    expect(imports.differences('new', 0).differences[0]).toMatchObject({ before: null, after: { sku: '4' } })
    expect(imports.differences('gone', 0).differences[0]).toMatchObject({ before: { sku: '3' }, after: null })
    expect(everything()).toEqual(before)

    imports.apply(idOf(shown), 'sam')
    expect(catalog.findBySku('1')?.priceCents).toBe(599)
    expect(catalog.findBySku('3')).toBeUndefined()
    expect(catalog.search('thé', 5).map(({ sku }) => sku)).toEqual(['4'])
    expect(imports.state()).toMatchObject({
      current: { origin: 'import', fileName: 'prices.csv', by: 'sam', items: 3, changes: 0 },
      previous: { origin: 'profile', items: 3 },
      import: null,
    })

    await imports.undo('sam', () => undefined)
    expect(everything()).toEqual(before)
    expect(imports.state()).toMatchObject({ current: { origin: 'profile' }, previous: null })
    await expect(imports.undo('sam', () => undefined)).rejects.toThrow('nothing-to-undo')
    expect(audit.latest(9).map(({ kind, actorId, subject }) => [kind, actorId, subject])).toEqual([
      ['catalog-import-undone', 'sam', 'prices.csv'],
      ['catalog-imported', 'sam', 'prices.csv'],
      ['catalog-imported', null, 'catalog.csv'],
    ])
  })

  test('is refused as a whole for two bad rows, with the line and column of each and the expected value', async () => {
    const { imports, compared, everything } = await stocked()
    const before = everything()
    const shown = await compared(
      fileOf(MILK, '2,5.01234E+12,Eggs,Œufs,4.89,zero-rated,dairy,', '5,,Pie,Tarte,free,standard,bakery,'),
    )
    expect(shown).toMatchObject({
      phase: 'refused',
      refused: 2,
      rows: [
        { line: 3, column: 'barcode' },
        { line: 4, column: 'price', messages: { 'en-CA': 'price: expected dollars such as 6.99, found “free”' } },
      ],
    })
    expect(() => imports.apply(idOf(shown), 'sam')).toThrow('catalog-import-gone')
    expect(everything()).toEqual(before)
  })

  test('is refused for a barcode that means something else at the scanner, with its line', async () => {
    const { compared } = await stocked()
    const lines = ['4,80000000011,Pie,Tarte,1.00,standard,bakery,', '5,STAFF-A10001,Tea,Thé,1.00,standard,grocery,']
    expect(await compared(fileOf(MILK, ...lines))).toMatchObject({
      phase: 'refused',
      refused: 2,
      rows: [
        { line: 3, column: 'barcode', messages: { 'en-CA': 'barcode: contains a card number; remove it' } },
        {
          line: 4,
          column: 'barcode',
          messages: { 'en-CA': expect.stringContaining('expected a code that scanners do not read as a card') },
        },
      ],
    })
  })

  test('reports the first of thousands of bad rows and counts all of them', async () => {
    const { compared } = await stocked()
    const bad = Array.from({ length: 3_000 }, (_, index) => `S${index},,Name,Nom,free,standard,grocery,`)
    const shown = await compared(fileOf(...bad))
    expect(shown).toMatchObject({ phase: 'refused', refused: 3_000 })
    expect('rows' in shown && shown.rows.length).toBe(200)
  })

  test('is not applied if the catalog has changed since its comparison', async () => {
    const { imports, compared, planned, catalog } = await stocked()
    const shown = await compared(fileOf(MILK))
    planned.plan({ sku: '1', priceCents: cents(600), from: '2026-12-01T00:00' }, 'sam')
    expect(() => imports.apply(idOf(shown), 'sam')).toThrow('catalog-changed')
    expect(catalog.findBySku('2')).toBeDefined()
  })

  test('is not applied if a planned price has begun since its comparison, and is applied after a new one', async () => {
    const clock = testClock('2026-11-20T15:00:00Z')
    const { imports, compared, planned, catalog, file } = await openCatalogFixture({ clock })
    await catalog.open(file([MILK, EGGS]))
    planned.plan({ sku: '1', priceCents: cents(600), from: '2026-12-01T00:00' }, 'sam')
    const shown = await compared(fileOf(MILK))
    clock.advance(Date.parse('2026-12-01T06:00:00Z') - clock.now())
    expect(() => imports.apply(idOf(shown), 'sam')).toThrow('catalog-changed')
    expect(catalog.findBySku('1')?.priceCents).toBe(600)
    imports.apply(idOf(await compared(fileOf(MILK))), 'sam')
    expect(catalog.findBySku('1')?.priceCents).toBe(549)
  })

  test('does not block the lane while a file with few rows is compared with a large catalog', async () => {
    const many = Array.from({ length: 4_000 }, (_, index) => `N${index},,Item ${index},Article ${index},1,standard,x,`)
    const { imports } = await stocked(...many)
    await imports.take('prices.csv', Readable.from([Buffer.from(fileOf(MILK))]))
    // If the main thread had done the work, the work would have ended before this callback.
    await new Promise(setImmediate)
    expect(imports.state().import?.phase).toBe('working')
  })

  test('is refused with a short message if the file has no line break', async () => {
    const { compared } = await stocked()
    const shown = await compared('x'.repeat(1_000_000))
    expect(shown.phase).toBe('refused')
    expect(JSON.stringify(shown).length).toBeLessThan(20_000)
  })

  test('is replaced by the next one if it was not applied, and deleted with its file if it was dropped', async () => {
    const { imports, compared, folder } = await stocked()
    const first = await compared(fileOf(MILK))
    const second = await compared(fileOf(EGGS))
    expect(() => imports.apply(idOf(first), 'sam')).toThrow('catalog-import-gone')
    imports.drop(idOf(first))
    expect(imports.state().import).toMatchObject({ id: idOf(second) })
    imports.drop(idOf(second))
    expect(imports.state().import).toBeNull()
    expect(readdirSync(join(folder, 'catalog'))).toHaveLength(1)
  })

  test('changes nothing and leaves no file when the upload is interrupted', async () => {
    const { imports, everything, folder } = await stocked()
    const before = everything()
    const cut = Readable.from(
      (async function* () {
        yield Buffer.from(fileOf(MILK))
        throw new Error('the window was closed')
      })(),
    )
    await expect(imports.take('prices.csv', cut)).rejects.toThrow('the window was closed')
    expect(imports.state().import).toBeNull()
    expect(everything()).toEqual(before)
    expect(readdirSync(join(folder, 'catalog'))).toHaveLength(1)
  })

  test.each([
    ['utf-8', 'comma', (text: string) => Buffer.from(text)],
    ['utf-8-bom', 'comma', (text: string) => Buffer.from(`\uFEFF${text}`)],
    ['utf-16le', 'comma', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['utf-16le', 'comma', (text: string) => Buffer.from(text, 'utf16le')],
    ['utf-16be', 'comma', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    ['utf-16be', 'comma', (text: string) => Buffer.from(text, 'utf16le').swap16()],
    [
      'windows-1252',
      'comma',
      (text: string) => Buffer.from(text.replace('Œ', '\u008c').replace('’', '\u0092'), 'latin1'),
    ],
    ['utf-8', 'semicolon', (text: string) => Buffer.from(text.replaceAll(',', ';').replaceAll('.', ','))],
    [
      'windows-1252',
      'tab',
      (text: string) => Buffer.from(text.replaceAll(',', '\t').replace('Œ', '\u008c').replace('’', '\u0092'), 'latin1'),
    ],
  ])('has the encoding %s and the separator %s of its file detected', async (encoding, separator, encoded) => {
    const { imports, compared, catalog } = await stocked()
    const shown = await compared(encoded(fileOf('7,,Farmer’s eggs,Œufs été,1234.50,zero-rated,dairy,')))
    expect(shown).toMatchObject({ phase: 'ready', encoding, separator })
    imports.apply(idOf(shown), 'sam')
    expect(catalog.findBySku('7')).toMatchObject({
      name: { 'en-CA': 'Farmer’s eggs', 'fr-CA': 'Œufs été' },
      priceCents: 123_450,
    })
  })
})

describe('a planned price', () => {
  const from = `${CATALOG_HEAD},price_from`

  test('is read from the file with its start time, and applies from then on, also after a restart', async () => {
    const clock = testClock('2026-11-20T15:00:00Z')
    const folder = temporaryFolder()
    const db = await openTestDatabase(folder)
    const opened = await openCatalogFixture({ db, clock, folder })
    const profile = opened.file([MILK, EGGS])
    await opened.catalog.open(profile)
    const shown = await opened.compared(
      [
        from,
        '1,0628451101512,Milk,Lait,5.99,zero-rated,dairy,,2026-12-01 06:00',
        `${EGGS},`,
        '9,,New,Neuf,1.00,standard,x,,2027-01-01',
      ].join('\n'),
    )
    expect(shown).toMatchObject({ counts: { items: 3, new: 1, price: 0, planned: 1, other: 0 } })
    expect(opened.imports.differences('planned', 0).differences[0]).toMatchObject({
      before: { priceCents: 549 },
      after: { priceCents: 549 },
      planned: { fromAt: '2026-12-01T11:00:00.000Z', priceCents: 599 },
    })
    opened.imports.apply(idOf(shown), 'sam')
    const price = (): number | undefined => opened.catalog.findBySku('1')?.priceCents
    expect(price()).toBe(549)
    expect(opened.catalog.findBySku('9')?.priceCents).toBe(100)
    expect(opened.planned.list().prices).toMatchObject([{ sku: '1', priceCents: 549, plannedCents: 599 }])
    clock.advance(Date.parse('2026-12-01T10:59:59.999Z') - clock.now())
    expect(price()).toBe(549)
    clock.advance(1)
    expect(price()).toBe(599)
    expect(opened.catalog.search('milk', 1)[0]?.priceCents).toBe(599)
    expect(opened.catalog.quickKeys([])[0]?.items.map(({ priceCents }) => priceCents)).toContain(599)
    expect(opened.planned.list().prices).toEqual([])
    opened.catalog.close()
    const again = await openCatalogFixture({ db, clock, folder })
    expect(await again.catalog.open(profile)).toEqual({ unchanged: true })
    expect(again.catalog.findBySku('1')?.priceCents).toBe(599)
  })

  test.each([
    ['in the hour that the clocks skip in spring', '2026-03-08T02:30', '2026-03-08T07:30:00.000Z'],
    ['in the first of the two equal hours in autumn', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z'],
    ['at midnight before the clocks change', '2026-11-01T00:00', '2026-11-01T04:00:00.000Z'],
    ['at midnight after the clocks changed', '2026-11-02T00:00', '2026-11-02T05:00:00.000Z'],
  ])("begins at the planned time of the store's clock: %s", async (_what, wall, instant) => {
    const clock = testClock('2026-01-10T15:00:00Z')
    const opened = await openCatalogFixture({ clock })
    await opened.catalog.open(opened.file([MILK]))
    opened.planned.plan({ sku: '1', priceCents: cents(700), from: wall }, 'sam')
    expect(opened.planned.list().prices[0]?.fromAt).toBe(instant)
    clock.advance(Date.parse(instant) - 1 - clock.now())
    expect(opened.catalog.findBySku('1')?.priceCents).toBe(549)
    clock.advance(1)
    expect(opened.catalog.findBySku('1')?.priceCents).toBe(700)
  })

  test('can be added and cancelled at the lane, and another import keeps it or replaces it', async () => {
    const { planned, compared, imports, catalog } = await stocked()
    planned.plan({ sku: '1', priceCents: cents(600), from: '2026-12-01T00:00' }, 'sam')
    planned.plan({ sku: '2', priceCents: cents(500), from: '2026-12-02T00:00' }, 'sam')
    planned.plan({ sku: '3', priceCents: cents(250), from: '2026-12-03T00:00' }, 'sam')
    planned.cancel({ sku: '3', fromAt: '2026-12-03T05:00:00.000Z' }, 'sam')
    expect(planned.list().prices).toHaveLength(2)
    expect(() => planned.cancel({ sku: '3', fromAt: '2026-12-03T05:00:00.000Z' }, 'sam')).toThrow('not-found')
    expect(() => planned.plan({ sku: '1', priceCents: cents(1), from: '2026-11-20T00:00' }, 'sam')).toThrow(
      'price-from-past',
    )
    expect(() => planned.plan({ sku: 'none', priceCents: cents(1), from: '2027-11-20T00:00' }, 'sam')).toThrow(
      'item-unknown',
    )
    const shown = await compared(
      [from, `${MILK},`, '2,0628451102021,Eggs,Œufs,5.50,zero-rated,dairy,,2026-12-05'].join('\n'),
    )
    imports.apply(idOf(shown), 'sam')
    expect(planned.list().prices.map(({ sku, plannedCents, fromAt }) => [sku, plannedCents, fromAt])).toEqual([
      ['1', 600, '2026-12-01T05:00:00.000Z'],
      ['2', 550, '2026-12-05T05:00:00.000Z'],
    ])
    await imports.undo('sam', () => undefined)
    expect(planned.list().prices.map(({ sku, plannedCents }) => [sku, plannedCents])).toEqual([
      ['1', 600],
      ['2', 500],
    ])
    expect(catalog.plannedCount()).toBe(2)
  })
})

describe('a start of the program', () => {
  test("keeps a manager's import until the profile’s file changes; the import of that file can be undone", async () => {
    const folder = temporaryFolder()
    const db = await openTestDatabase(folder)
    const first = await openCatalogFixture({ db, folder })
    const profile = first.file([MILK, EGGS])
    await first.catalog.open(profile)
    first.imports.apply(idOf(await first.compared(fileOf(SOAP))), 'sam')
    first.catalog.close()

    const second = await openCatalogFixture({ db, folder })
    // Throws if it is called: the names must not be checked, because a manager's changes must not prevent a start.
    const checkNames = (): never => {
      throw new Error('it was looked at')
    }
    expect(await second.catalog.open(profile, { checkNames })).toEqual({ unchanged: true })
    expect(second.catalog.findBySku('3')).toBeDefined()
    second.catalog.close()

    const third = await openCatalogFixture({ db, folder })
    expect(await third.catalog.open(third.file([MILK]))).toEqual({ imported: 1 })
    expect(third.catalog.findBySku('3')).toBeUndefined()
    await third.imports.undo('sam', () => undefined)
    expect(third.catalog.findBySku('3')).toBeDefined()
  })

  test.each(['is gone', 'lacks a change', 'has changes that the database lacks', 'is not a database'])(
    'rebuilds the file of the edition when it %s',
    async (trouble) => {
      const folder = temporaryFolder()
      const db = await openTestDatabase(folder)
      const first = await openCatalogFixture({ db, folder })
      const profile = first.file([MILK, EGGS, SOAP])
      await first.catalog.open(profile)
      first.planned.plan({ sku: '1', priceCents: cents(600), from: '2026-12-01T00:00' }, 'sam')
      const before = first.everything()
      const path = first.catalog.pathOf(first.catalog.place().edition)
      first.catalog.close()
      if (trouble === 'is gone') rmSync(path)
      else if (trouble === 'is not a database') writeFileSync(path, 'nothing of the kind')
      else {
        const file = openEditionFile(path)
        if (trouble === 'lacks a change') file.exec('UPDATE about SET applied = 0; DELETE FROM planned_price')
        else file.exec('UPDATE about SET applied = 99; UPDATE item SET names = \'{"en-CA":"Other"}\'')
        file.close()
      }
      const second = await openCatalogFixture({ db, folder })
      expect(await second.catalog.open(profile)).toEqual({ unchanged: true })
      expect(second.everything()).toEqual(before)
      expect(second.catalog.search('milk', 5).map(({ sku }) => sku)).toEqual(['1'])
    },
  )
})

test('a catalog change is refused while a full disk prevents writing an earlier one to the edition', async () => {
  const { catalog, planned, everything } = await stocked()
  const plan = (sku: string): void => {
    planned.plan({ sku, priceCents: cents(600), from: '2026-12-01T00:00' }, 'sam')
  }
  const other = openEditionFile(catalog.pathOf(catalog.place().edition))
  other.exec("CREATE TRIGGER full BEFORE UPDATE ON about BEGIN SELECT RAISE(FAIL, 'disk full'); END")
  plan('1')
  expect(() => {
    plan('2')
  }).toThrow('storage-failed')
  expect(catalog.findBySku('1')?.priceCents).toBe(549)
  other.exec('DROP TRIGGER full')
  other.close()
  plan('2')
  expect(everything()).toMatchObject([{}, {}, {}, { sku: '1' }, { sku: '2' }])
})

test('lists of planned prices and of an import’s changes are read by an index, without sorting', async () => {
  const { catalog } = await stocked()
  const file = openEditionFile(catalog.pathOf(catalog.place().edition), { readonly: true })
  const plan = (sql: string): string =>
    file
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll('+?', '?').replaceAll('?', '1')}`)
      .all()
      .map(({ detail }) => detail)
      .join('; ')
  const { planned, plannedCount, plannedOf, priceOf, began } = CATALOG_QUERIES
  expect(plan(planned)).toMatch(/^SEARCH planned_price USING INDEX planned_price_from .*; SEARCH item USING INDEX/)
  for (const sql of [plannedCount, began]) expect(plan(sql)).toContain('USING COVERING INDEX planned_price_from')
  for (const sql of [plannedOf, priceOf]) expect(plan(sql)).toMatch(/^SEARCH planned_price USING PRIMARY KEY/)
  expect(plan(DIFFERENCES)).toBe('SEARCH difference USING INDEX difference_of_kind (kind=? AND number>?)')
  for (const sql of [planned, plannedOf, DIFFERENCES]) expect(plan(sql)).not.toContain('TEMP B-TREE')
  file.close()
})
