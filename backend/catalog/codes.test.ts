import { expect, test } from 'vitest'
import { Item } from '../../contracts/catalog/catalog.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import type { TerminalEvent } from '../../contracts/core/events.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../core/http/testing.ts'
import { openCatalogFixture } from './catalog.fixture.ts'
import { openStaging } from './editions/staging.ts'
import { stageCatalog } from './editions/load.ts'
import { formatCatalogErrors } from './editions/load.ts'

const central = useCentral()
const HEADER =
  'sku,barcode,name_en,name_fr,price,tax_category,department,category,more_barcodes,packs,most_per_sale,blocked'
const PACKS = 'packs as “code x pieces” or “code x pieces @ price”, separated by |'
const COLA = {
  sku: 'COLA',
  barcode: '0628451101000',
  name: { 'en-CA': 'Cola', 'fr-CA': 'Cola' },
  priceCents: 125,
  openPrice: null,
  taxCategory: 'zero-rated',
  departmentId: 'drinks',
  categoryId: null,
  codes: ['012345000065', '4011'],
  packs: [
    { barcode: '10628451101007', quantity: 6, priceCents: 500 },
    { barcode: '20628451101004', quantity: 12 },
  ],
  mostPerSale: 24,
}

function stage(...rows: string[]) {
  const file = join(temporaryFolder(), 'catalog.csv')
  writeFileSync(file, [HEADER, ...rows].join('\n'))
  const staging = openStaging()
  const staged = stageCatalog(file, staging, { timeZone: 'America/Toronto' })
  return 'errors' in staged
    ? formatCatalogErrors(staged.errors)
        .split(/\S+:(?=\d)/)
        .filter((line) => line !== '')
        .map((line) => line.trim())
    : [...staging.alphabetical()].map(({ codes, packs, mostPerSale, blocked }) => ({
        codes,
        packs,
        mostPerSale,
        blocked,
      }))
}

test('an import reads several codes or packs from one cell, and restores their lost leading zeros', () => {
  expect(
    stage('1,,A,A,1,standard,d,,4011 | 94011;36000291469,"10628451101007 x 6 @ 5.00|20628451101004x12",24,Recalled'),
  ).toEqual([
    {
      codes: ['4011', '94011', '036000291469'],
      packs: [
        { barcode: '10628451101007', quantity: 6, priceCents: 500 },
        { barcode: '20628451101004', quantity: 12 },
      ],
      mostPerSale: 24,
      blocked: 'Recalled',
    },
  ])
})

test('a catalog file with a wrong pack, limit or repeated code is refused with the line of each error', () => {
  expect(
    stage(
      '1,,A,A,1,standard,d,,,10628451101007 by 6,,',
      '2,,A,A,1,standard,d,,,10628451101007 x 1,,',
      '3,,A,A,1,standard,d,,,,0,',
      '4,4011,A,A,1,standard,d,,,,,',
      '5,,A,A,1,standard,d,,94011 | 4011,,,',
      '6,,A,A,1,standard,d,,,4011 x 6,,',
    ),
  ).toEqual([
    `2  packs: expected ${PACKS}, found “10628451101007 by 6”`,
    `3  packs: expected ${PACKS}, found “10628451101007 x 1”`,
    '4  most_per_sale: expected whole pieces from 1 to 999, or nothing, found “0”',
    '6  barcode 4011 is already on line 5',
    '7  barcode 4011 is already on line 5',
  ])
})

test('a code that is the SKU of another item is refused with its line, in either order', () => {
  expect(
    stage(
      '4011,,A,A,1,standard,d,,,,,',
      '2,4011,A,A,1,standard,d,,,,,',
      '3,,A,A,1,standard,d,,94011,,,',
      '94011,,A,A,1,standard,d,,,,,',
      '4065,4065,A,A,1,standard,d,,,,,',
    ),
  ).toEqual(['3  barcode 4011 is the sku of the item on line 2', '5  sku 94011 is a barcode of the item on line 4'])
})

test('a typed number finds the item of its scan, although an earlier release let it be another SKU', async () => {
  const { catalog, transact, file } = await openCatalogFixture()
  await catalog.open(file(['4011,,Towel,Serviette,9.00,zero-rated,d,', 'COLA,,Cola,Cola,1.25,zero-rated,drinks,']))
  transact((tx) => catalog.change(tx, 'sam', { kind: 'put', item: Item.parse(COLA) }))
  const found = [catalog.findByBarcode('4011'), catalog.findTyped(' 4011 '), ...catalog.search('4011', 1)]
  expect(found.map((item) => item?.sku)).toEqual(['COLA', 'COLA', 'COLA'])
  expect(catalog.findTyped('COLA')?.sku).toBe('COLA')
})

async function openCola(more: object = {}) {
  const harness = await openTerminalHarness(central, {
    catalog: 'GUM,,Gum,Gomme,1.00,zero-rated,drinks,',
    staffId: 'sam',
  })
  await harness.call('POST', '/api/catalog/items', { how: 'add', item: { ...COLA, ...more } })
  const scan = (code: string) => harness.call('POST', '/api/training/scan', { code })
  const lines = async (pieces: number) =>
    (await harness.until((sale) => sale.lines.reduce((sum, { quantity }) => sum + quantity, 0) === pieces)).lines.map(
      ({ name, quantity, unitPriceCents }) => `${quantity} ${name['en-CA']} ${unitPriceCents}`,
    )
  const eventOfType = <Type extends TerminalEvent['type']>(type: Type) =>
    harness.event((event): event is Extract<TerminalEvent, { type: Type }> => event.type === type)
  return { harness, scan, lines, eventOfType }
}

test('an item is rung by each of its codes: further barcodes, UPC-E and price look-up codes', async () => {
  const { harness, scan, lines } = await openCola()
  // GS1 DataBar with the price look-up code 4011, and a further barcode as printed in UPC-E.
  for (const code of ['0628451101000', '012345000065', ']E001234565', ']e00100000000040112']) await scan(code)
  expect(await lines(4)).toEqual(['4 Cola 125'])
  for (const q of ['4011', '123456', '0123456', '01234565', 'COLA'])
    expect((await harness.call('POST', '/api/catalog/items/search', { q })).body, q).toMatchObject({
      exact: { sku: 'COLA', pack: null },
    })
})

test('a scanned pack, in ITF-14 or GS1-128, rings its pieces, or one unit if the pack has its own price', async () => {
  const { harness, scan, lines } = await openCola()
  await scan(']I020628451101004')
  expect(await lines(12)).toEqual(['12 Cola 125'])
  await scan(']C10110628451101007')
  expect(await lines(13)).toEqual(['12 Cola 125', '1 Cola, pack of 6 500'])
  const sale = await harness.current()
  expect(sale?.totals.totalCents).toBe(12 * 125 + 500)
  const typed = await harness.call('POST', '/api/catalog/items/search', { q: '1 06 28451 10100 7' })
  expect(typed.body).toMatchObject({ exact: { sku: 'COLA', pack: '10628451101007' } })
  await harness.call('POST', '/api/sales/current/lines', { sku: 'COLA', pack: '10628451101007', quantity: 1 })
  expect(await lines(14)).toEqual(['12 Cola 125', '2 Cola, pack of 6 500'])
})

test('an item cannot be given the SKU of another item as a code, nor another item’s code as its SKU', async () => {
  const { harness } = await openCola()
  const add = (item: object) => harness.refused('POST', '/api/catalog/items', { how: 'add', item })
  const other = { ...COLA, sku: 'OTHER', barcode: null, codes: undefined, packs: undefined }
  expect(await add({ ...other, barcode: 'GUM' })).toBe('item-barcode-used')
  expect(await add({ ...other, sku: '4011' })).toBe('item-barcode-used')
})

test('pieces above an item’s limit per sale, also in packs, and a blocked item are refused', async () => {
  const { harness, scan, lines, eventOfType } = await openCola()
  await scan('20628451101004')
  await scan('10628451101007')
  await lines(13)
  await scan('20628451101004')
  expect(await eventOfType('scan-refused')).toMatchObject({
    code: 'item-limit',
    messages: { 'en-CA': 'At most 24 of this item in one sale. Reduce the quantity.' },
  })
  expect(await lines(13)).toHaveLength(2)
  const sale = await harness.current()
  expect(await harness.refused('PUT', `/api/sales/${sale?.id}/lines/1`, { version: sale?.version, quantity: 19 })).toBe(
    'item-limit',
  )
  await harness.call('POST', '/api/catalog/items', {
    how: 'change',
    item: { ...COLA, blocked: 'Recalled by the maker' },
  })
  await scan('0628451101000')
  expect(
    await harness.event(
      (event): event is Extract<TerminalEvent, { type: 'scan-refused' }> =>
        event.type === 'scan-refused' && event.code === 'item-blocked',
    ),
  ).toMatchObject({
    messages: { 'fr-CA': 'Cet article ne doit pas être vendu. Raison : Recalled by the maker.' },
  })
})

test('a quantity that is raised, also by an undo, is checked by the present rules of the item', async () => {
  const harness = await openTerminalHarness(central, { staffId: 'sam' })
  const { id } = await harness.ring('1001', 2)
  const found = await harness.call('POST', '/api/catalog/items/search', { q: '1001' })
  const { items }: { items: object[] } = found.body as never
  const change = (now: object) =>
    harness.call('POST', '/api/catalog/items', { how: 'change', item: { ...items[0], ...now } })
  const send = async (method: string, path: string, body: object = {}) => {
    const { version } = (await harness.call('GET', `/api/sales/${id}`)).body.sale
    return (await harness.call(method, `/api/sales/${id}${path}`, { version, ...body })).body
  }
  await change({ blocked: 'Recalled' })
  expect(await send('PUT', '/lines/1', { quantity: 3 })).toMatchObject({ code: 'item-blocked' })
  expect((await send('PUT', '/lines/1', { quantity: 1 })).sale.lines).toMatchObject([{ quantity: 1 }])
  expect(await send('POST', '/undo')).toMatchObject({ code: 'item-blocked' })
  await change({ minimumAge: 18 })
  expect((await send('PUT', '/lines/1', { quantity: 3 })).sale.ageCheck).toMatchObject({ minimumAge: 18 })
  await harness.call('POST', '/api/catalog/items/remove', { sku: '1001' })
  expect(await send('PUT', '/lines/1', { quantity: 4 })).toMatchObject({ code: 'item-unknown' })
})

test('a quantity entered before a scan applies to that scan only', async () => {
  const { harness, scan, lines, eventOfType } = await openCola({ mostPerSale: undefined })
  await harness.call('POST', '/api/input/quantity', { quantity: 3 })
  expect(await eventOfType('next-quantity')).toMatchObject({ quantity: 3 })
  await scan('10628451101007')
  await lines(3)
  expect(await eventOfType('next-quantity')).toMatchObject({ quantity: null })
  await scan('0628451101000')
  expect(await lines(4)).toEqual(['3 Cola, pack of 6 500', '1 Cola 125'])
})

test('a price check shows the price and the pack, or that the code is unknown, and rings nothing', async () => {
  const { harness, scan, eventOfType } = await openCola()
  await harness.call('POST', '/api/input/claims', { what: 'prices', claimed: true, stream: harness.stream })
  await scan('10628451101007')
  expect(await eventOfType('price-checked')).toMatchObject({
    check: { item: { sku: 'COLA' }, pack: { quantity: 6 }, priceCents: 500, afterCents: 500 },
  })
  await scan('4006381333931')
  expect(
    await harness.event(
      (event): event is Extract<TerminalEvent, { type: 'price-checked' }> =>
        event.type === 'price-checked' && event.check === null,
    ),
  ).toMatchObject({ code: '4006381333931' })
  expect(await harness.current()).toBeNull()
  expect((await harness.call('POST', '/api/catalog/price-check', { code: '4011' })).body).toMatchObject({
    check: { item: { sku: 'COLA' }, pack: null, priceCents: 125, reductions: [], afterCents: 125 },
  })
})

test('the item editor refuses a code of another item, a repeated code and a wrong check digit', async () => {
  const { harness } = await openCola()
  const save = (item: object) =>
    harness.refused('POST', '/api/catalog/items', { how: 'add', item: { ...COLA, packs: undefined, ...item } })
  expect(await save({ sku: 'NEW', barcode: '01234565', codes: undefined })).toBe('item-barcode-used')
  expect(await save({ sku: 'NEW', barcode: null, codes: ['94011', '10628451101007'] })).toBe('item-barcode-used')
  expect(await save({ sku: 'NEW', barcode: '4012', codes: ['4012'] })).toBe('item-code-twice')
  expect(await save({ sku: 'NEW', barcode: null, codes: ['10628451101008'] })).toBe('item-barcode-wrong')
})

test('a pack with its own price keeps its number of pieces when it is held, resumed, paid and printed', async () => {
  const { harness } = await openCola()
  await harness.call('POST', '/api/sales/current/lines', { sku: 'COLA', pack: '10628451101007', quantity: 2 })
  const held = await harness.until((sale) => sale.lines.length === 1)
  await harness.call('POST', `/api/sales/${held.id}/hold`, { version: held.version })
  const { body } = await harness.call('POST', `/api/sales/${held.id}/resume`, { version: held.version + 1 })
  const { id, version } = (body as { sale: { id: string; version: number } }).sale
  await harness.call('POST', `/api/sales/${id}/tenders`, { kind: 'cash', tenderedCents: 1_000, version })
  expect(harness.read('SELECT quantity, unit_price_cents AS price, pack_pieces AS pieces FROM sale_line')).toEqual([
    { quantity: 2, price: 500, pieces: 6 },
  ])
  const receipt = await harness.call('GET', `/api/sales/${id}/receipt`)
  expect(JSON.stringify(receipt.body)).toContain('Cola, pack of 6')
})
