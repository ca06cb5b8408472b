import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startTestServer, temporaryFolder, windowOfHeader } from '../core/http/testing.ts'
import { CATALOG_HEAD, openCatalogFixture, type CatalogFixture } from './catalog.fixture.ts'
import { openEditionFile } from './editions/edition-file.ts'
import { lookupRoutes } from './catalog.routes.ts'
import { type CatalogService, catalogOf } from './catalog.ts'
import { testContext } from '../../packages/lab/testing/lane-context.ts'

const TRAINING = join(import.meta.dirname, '../..', 'stores', 'training-catalog.csv')

async function stocked(rows?: readonly string[]): Promise<CatalogFixture> {
  const opened = await openCatalogFixture()
  expect(await opened.catalog.open(rows === undefined ? TRAINING : opened.file(rows))).toHaveProperty('imported')
  return opened
}

const skus = (catalog: CatalogService, query: string, limit = 12): string[] =>
  catalog.search(query, limit).map((item) => item.sku)

describe('a scanned code', () => {
  test('finds its item with any number of leading zeros', async () => {
    const { catalog } = await stocked([
      '1,0628451101000,Apples,Pommes,1,standard,produce,',
      '2,4011,Bananas,Bananes,1,standard,produce,',
      '3,96385074,Gum,Gomme,1,standard,candy,',
    ])
    for (const code of ['0628451101000', '628451101000', '00628451101000'])
      expect(catalog.findByBarcode(code)?.sku, code).toBe('1')
    expect(catalog.findByBarcode('4011')?.sku).toBe('2')
    expect(catalog.findByBarcode('96385074')?.sku).toBe('3')
  })

  test('finds nothing if it is unknown or only a part of a code', async () => {
    const { catalog } = await stocked()
    for (const code of ['0628451101001', '62845110100', '', '4012', "' OR 1=1 --"])
      expect(catalog.findByBarcode(code), code).toBeUndefined()
  })
})

describe('a search for items', () => {
  const rows = [
    '1004,0628451101512,Whole milk 2 L,Lait entier 2 L,5.49,zero-rated,dairy,',
    '1007,0628451102021,"Large eggs, dozen","Gros œufs, douzaine",4.89,zero-rated,dairy,',
    '1010,0628451102526,Chocolate milk,Lait au chocolat,3.00,standard,dairy,',
    '1011,0628451102694,"Crème brûlée","Crème brûlée",7.00,standard,dairy,',
    'AB-77/L,,Milk pitcher,Pot à lait,12.00,standard,kitchen,',
  ]

  test.each([
    ['milk', ['AB-77/L', '1010', '1004']],
    ['whole mi', ['1004']],
    ['MILK WHOLE', ['1004']],
    ['lait', ['1010', '1004', 'AB-77/L']],
    ['oeufs', ['1007']],
    ['Œufs gros', ['1007']],
    ['creme brulee', ['1011']],
    ['CRÈME', ['1011']],
    ['1010', ['1010']],
    ['102', ['1010', '1011', '1007']],
    ['ab-77', ['AB-77/L']],
    ['AB-77/L', ['AB-77/L']],
    ['2526', ['1010']],
    ['0628451102021', ['1007']],
    ['6284 5110 2021', ['1007']],
    ['nothing like it', []],
    ['" OR NEAR(* : ^ -', []],
    ['***', []],
  ])('finds the intended items for “%s”', async (query, expected) => {
    const { catalog } = await stocked(rows)
    expect(skus(catalog, query)).toEqual(expected)
  })

  test('accepts any input without an error', async () => {
    const { catalog } = await stocked()
    for (const query of [
      '"',
      "'",
      '%',
      '(',
      'a AND',
      'NOT a',
      'name_en:a',
      '\u0000',
      'é'.repeat(80),
      '🍎',
      '-1',
      'a* b*',
    ])
      expect(() => catalog.search(query, 12), query).not.toThrow()
  })

  test('returns no more items than the limit', async () => {
    const { catalog } = await stocked()
    expect(catalog.search('a', 3)).toHaveLength(3)
  })
})

describe("importing the profile's catalog", () => {
  test('does nothing for an unchanged file, and replaces the whole catalog by a changed one', async () => {
    const { catalog } = await openCatalogFixture()
    const file = join(temporaryFolder(), 'catalog.csv')
    writeFileSync(file, `${CATALOG_HEAD}\n1,111111111117,Old,Vieux,1.00,standard,x,\n2,,Stays,Reste,2.00,standard,x,\n`)
    expect(await catalog.open(file)).toEqual({ imported: 2 })
    expect(await catalog.open(file)).toEqual({ unchanged: true })
    writeFileSync(file, `${CATALOG_HEAD}\n2,,Stays,Reste,2.50,standard,x,\n3,111111111117,New,Neuf,3.00,standard,x,\n`)
    expect(await catalog.open(file)).toEqual({ imported: 2 })
    expect(catalog.findBySku('1')).toBeUndefined()
    expect(catalog.findBySku('2')?.priceCents).toBe(250)
    expect(catalog.findByBarcode('111111111117')?.sku).toBe('3')
    expect(skus(catalog, 'old')).toEqual([])
    expect(skus(catalog, 'new')).toEqual(['3'])
    expect(skus(catalog, '1111')).toEqual(['3'])
  })

  test('keeps the old catalog when the file has errors', async () => {
    const { catalog } = await stocked()
    const before = catalog.search('milk', 50)
    expect(before.length).toBeGreaterThan(0)
    const file = join(temporaryFolder(), 'catalog.csv')
    writeFileSync(file, `${readFileSync(TRAINING, 'utf8')}9999,,Bad,Mauvais,free,standard,x,\n`)
    expect(await catalog.open(file)).toHaveProperty('errors')
    expect(catalog.search('milk', 50)).toEqual(before)
  })
})

describe('quick keys', () => {
  const produce = { id: 'produce', name: { 'en-CA': 'Fruit and vegetables', 'fr-CA': 'Fruits et légumes' } }

  test('list the profile’s departments first, with their names and the items that the profile chooses', async () => {
    const { catalog } = await stocked()
    const [first, second, ...others] = catalog.quickKeys([
      { id: 'pets', name: { 'en-CA': 'Pets', 'fr-CA': 'Animaux' } },
      { ...produce, quick: ['1003', 'gone', '1001'] },
    ])
    expect(first).toMatchObject({ id: 'pets', items: [{ sku: '1033' }, { sku: '1032' }] })
    expect(second).toMatchObject({ name: produce.name, items: [{ sku: '1003' }, { sku: '1001' }] })
    expect(others.map(({ id }) => id)).toEqual([
      'bakery',
      'books',
      'care',
      'clothing',
      'dairy',
      'deli',
      'drinks',
      'floral',
      'grocery',
      'household',
      'snacks',
    ])
    expect(others[0]?.name).toEqual({ 'en-CA': 'bakery', 'fr-CA': 'bakery' })
  })

  test('leave out a department without items, and show only the first items of a large one', async () => {
    const { catalog } = await stocked(
      Array.from({ length: 40 }, (_, index) => `S${index},,Thing ${index},Chose ${index},1,standard,things,`),
    )
    expect(catalog.quickKeys([produce]).map(({ id, items }) => [id, items.length])).toEqual([['things', 24]])
  })
})

describe('an item name that is typed', () => {
  const ITEMS = [
    'KIDS,,"Children’s toothbrush","Brosse à dents d’enfant",1,standard,care,',
    'TEE,,T-shirt,Gaminet,1,standard,clothes,',
    'POLO,,Polo shirts (2-pack),Polos (paquet de 2),1,standard,clothes,',
    'BERRY,,Blueberry jam,Confiture de bleuets,1,standard,grocery,',
    'BERRIES,,Wild blueberries,Bleuets sauvages,1,standard,grocery,',
    'BOX,,Lunch box,Boîte à lunch,1,standard,home,',
    'HORSE,,Horse toy,Jouet cheval,1,standard,toys,',
    'CAKE,,Cakes,Gâteaux,1,standard,bakery,',
    'GLASS,,Glass,Verre,1,standard,home,',
    'WATER,,Water,"L\'eau de source",1,standard,grocery,',
  ]
  const FOUND: readonly [string, readonly string[]][] = [
    ['childrens', ['KIDS']],
    ["children's", ['KIDS']],
    ['children', ['KIDS']],
    ['denfant', ['KIDS']],
    ['enfants', ['KIDS']],
    ['tshirt', ['TEE']],
    ['t-shirt', ['TEE']],
    ['t shirts', ['TEE']],
    ['tshirts', ['TEE']],
    ['shirts', ['POLO', 'TEE']],
    ['shirt', ['POLO', 'TEE']],
    ['2 pack', ['POLO']],
    ['2pack', ['POLO']],
    ['blueberries', ['BERRIES', 'BERRY']],
    ['blueberry', ['BERRIES', 'BERRY']],
    ['bleuet', ['BERRY', 'BERRIES']],
    ['boxes', ['BOX']],
    ['boîtes', ['BOX']],
    ['chevaux', ['HORSE']],
    ['gâteau', ['CAKE']],
    ['gateaux', ['CAKE']],
    ['cake', ['CAKE']],
    ['glasses', ['GLASS']],
    ['glass', ['GLASS']],
    ['leau', ['WATER']],
    ['l’eau', ['WATER']],
  ]
  test('finds its item although apostrophes, hyphens or plural forms differ, in both languages', async () => {
    const { catalog } = await stocked(ITEMS)
    for (const [query, found] of FOUND) expect(skus(catalog, query).toSorted(), query).toEqual(found.toSorted())
  })

  test('finds an item in a catalog that an earlier version of the program has indexed', async () => {
    const { catalog, db, folder, file } = await stocked(['TEE,,T-shirt,Gaminet,1,standard,clothes,'])
    const profileFile = file(['TEE,,T-shirt,Gaminet,1,standard,clothes,'])
    const { edition } = catalog.place()
    catalog.close()
    // Rewrites the search index as an earlier program made it: without joined terms, and with another index version.
    const left = openEditionFile(join(folder, 'catalog', `${edition}.db`))
    left.exec(
      `INSERT INTO item_words (item_words) VALUES ('delete-all'); INSERT INTO item_words (rowid, words)
        VALUES (64, 't shirt gaminet tee'); UPDATE about SET words = words - 1`,
    )
    left.close()
    const { catalog: again } = await openCatalogFixture({ db, folder })
    expect(await again.open(profileFile)).toEqual({ unchanged: true })
    expect(skus(again, 'tshirt')).toEqual(['TEE'])
  })
})

const SEARCH = '/api/catalog/items/search'

test('a search over HTTP is for signed-in people only, has at most fifty results, and needs a text', async () => {
  const stock = await stocked()
  const ctx = testContext({ db: stock.db })
  catalogOf.provide(ctx, stock.catalog)
  const server = await startTestServer({ db: stock.db, routes: () => [(app) => lookupRoutes(ctx, app)] })
  server.db.prepare("INSERT INTO staff (id, name, role, locale) VALUES ('alex', 'Alex', 'cashier', 'en-CA')").run()
  const window = server.openWindow()
  expect((await server.call('POST', SEARCH, { window, body: { q: 'milk' } })).json()).toMatchObject({
    code: 'sign-in-required',
  })
  server.sessions.signIn(windowOfHeader(window), 'alex')
  const found = (await server.call('POST', SEARCH, { window, body: { q: 'œufs' } })).json<{
    items: { sku: string }[]
  }>()
  expect(found.items[0]).toMatchObject({ sku: '1007', name: { 'fr-CA': 'Gros œufs, douzaine' }, priceCents: 489 })
  for (const body of [{}, { q: '' }, { q: ' ' }, { q: 'a', limit: 0 }, { q: 'a', limit: 51 }, { q: 'a'.repeat(81) }]) {
    expect((await server.call('POST', SEARCH, { window, body })).json(), JSON.stringify(body)).toMatchObject({
      code: 'body-invalid',
    })
  }
})
