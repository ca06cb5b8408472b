import { describe, expect, onTestFinished, test } from 'vitest'
import { openCatalogFixture } from './catalog.fixture.ts'
import { openEditionFile } from './editions/edition-file.ts'
import { CATALOG_QUERIES } from './editions/catalog.sql.ts'

describe('a catalog of a hundred thousand items', () => {
  const names = ['apples', 'butter', 'crackers', 'milk', 'peas', 'soup', 'sauce', 'eggs', 'bread', 'cheese']
  const french = ['pommes', 'beurre', 'craquelins', 'lait', 'pois', 'soupe', 'sauce', 'œufs', 'pain', 'fromage']
  const ean = (index: number): string => {
    const twelve = `0628${String(index).padStart(8, '0')}`
    const sum = [...twelve].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0)
    return `${twelve}${(10 - (sum % 10)) % 10}`
  }
  const rows = Array.from(
    { length: 100_000 },
    (_, index) =>
      `S${index},${ean(index)},"Item organic ${names[index % 10]} no ${index}","Article ${french[index % 10]} ` +
      `biologique n° ${index}",${index % 5000}.00,standard,grocery,`,
  )

  test('is imported, and an index finds each item by its barcode and by every term of its name', async () => {
    const { catalog, file } = await openCatalogFixture()
    expect(await catalog.open(file(rows))).toHaveProperty('imported')

    // A term that every item has is the slowest search; a first letter is the most frequent one.
    for (const query of [
      'i',
      'item',
      'items',
      'articles biologiques',
      'sauces',
      'biologique article',
      'organic sauce',
      'oeufs',
      '99999',
      '628000',
    ]) {
      expect(catalog.search(query, 12).length, query).toBeGreaterThan(0)
    }
    expect(catalog.findByBarcode(ean(54_321))?.sku).toBe('S54321')

    const edition = openEditionFile(catalog.pathOf(catalog.place().edition), { readonly: true })
    onTestFinished(() => {
      edition.close()
    })
    const plan = (sql: string): string =>
      edition
        .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll('?', "'1'")}`)
        .all()
        .map((step) => step.detail)
        .join('; ')
    expect(plan(CATALOG_QUERIES.bySku)).toMatch(/^SEARCH item USING INDEX \S+ \(sku=\?\)$/)
    expect(plan(CATALOG_QUERIES.byBarcode)).toMatch(/^SEARCH item USING INDEX \S+ \(barcode_key=\?\)$/)
    expect(plan(CATALOG_QUERIES.ofDepartment)).toMatch(
      /^SEARCH item USING INDEX item_of_department \(department_id=\?\)$/,
    )
    expect(plan(CATALOG_QUERIES.departments)).not.toMatch(/SCAN item/)
    expect(catalog.quickKeys([]).length).toBeGreaterThan(0)
    for (const sql of [CATALOG_QUERIES.byWords, CATALOG_QUERIES.byBarcodeSubstring]) {
      expect(plan(sql)).toMatch(/VIRTUAL TABLE INDEX .*; SEARCH item USING INTEGER PRIMARY KEY \(rowid=\?\)$/)
      expect(plan(sql)).not.toContain('TEMP B-TREE')
    }
  })
})
