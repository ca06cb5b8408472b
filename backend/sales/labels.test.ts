import { DeviceDetailsList } from '../../contracts/operations/devices.ts'
import { expect, test } from 'vitest'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const CATALOG =
  '12345,,Cheddar,Cheddar,19.99,zero-rated,dairy,\n' +
  'HAM,00077,Ham,Jambon,24.00,zero-rated,deli,\n' +
  'V1,95012345678903,Salmon,Saumon,31.00,zero-rated,fish,'
const LABELS = [{ layout: '02IIIIIVPPPPC' }, { layout: '22IIIIIWWWWWC' }]

const ONE_KILOGRAM = ']E02200077010003'
const ONE_GRAM_MORE = ']E02200077010010'

test('a label rings its item at its price or weight; a second scan of a price label raises the quantity', async () => {
  const harness = await openTerminalHarness(central, { catalog: CATALOG, labels: LABELS })
  const scan = (code: string) => harness.call('POST', '/api/training/scan', { code })
  const lines = (count: number) => harness.until((sale) => sale.lines.length === count)

  await scan(']E00212345928752')
  expect((await lines(1)).lines[0]).toMatchObject({
    sku: '12345',
    name: { 'en-CA': 'Cheddar' },
    quantity: 1,
    amountCents: 2875,
  })
  await scan(']E02200077004378')
  expect((await lines(2)).lines[1]).toMatchObject({
    sku: 'HAM',
    name: { 'en-CA': 'Ham', 'fr-CA': 'Jambon' },
    measure: { unit: 'kg', netThousandths: 437, unitPriceCents: 2400, source: 'label' },
    amountCents: 1049,
  })
  await scan(']C101950123456789033103001750')
  expect((await lines(3)).lines[2]).toMatchObject({ sku: 'V1', amountCents: 5425 })
  await scan(']E02200077010003')
  const sale = await lines(4)
  expect(sale.lines[3]).toMatchObject({ sku: 'HAM', amountCents: 2400 })
  expect(sale.totals.subtotalCents).toBe(2875 + 1049 + 5425 + 2400)

  await scan(']E00212345928752')
  await scan(']E00212345928752')
  expect((await harness.until((now) => now.lines.at(-1)?.quantity === 2)).lines.at(-1)).toMatchObject({
    sku: '12345',
    amountCents: 5750,
  })
})

test('each weighed piece is a separate line, whose quantity cannot be raised', async () => {
  const catalog = 'HAM,00077,Ham,Jambon,3.80,zero-rated,deli,\n77,,Other,Autre,1.00,zero-rated,deli,'
  const harness = await openTerminalHarness(central, { catalog, labels: LABELS })
  await harness.call('POST', '/api/training/scan', { code: ONE_KILOGRAM })
  await harness.call('POST', '/api/training/scan', { code: ONE_GRAM_MORE })
  const { id, version, lines } = await harness.until((now) => now.lines.length === 2)
  expect(lines).toMatchObject([
    { measure: { netThousandths: 1_000 }, quantity: 1, amountCents: 380 },
    { measure: { netThousandths: 1_001 }, quantity: 1, amountCents: 380 },
  ])
  expect(await harness.refused('PUT', `/api/sales/${id}/lines/2`, { version, quantity: 3 })).toBe('weighed-single')
})

test('a leading zero in the item number of a label is never dropped to match another item', async () => {
  const catalog = '77,,Other,Autre,1.00,zero-rated,deli,'
  const harness = await openTerminalHarness(central, { catalog, labels: LABELS })
  await harness.call('POST', '/api/training/scan', { code: ONE_KILOGRAM })
  await harness.call('POST', '/api/sales/current/lines', { sku: '77', quantity: 1 })
  const sale = await harness.until((now) => now.lines.length > 0)
  expect(sale.lines.map(({ quantity }) => quantity)).toEqual([1])
  expect(sale.lines[0]?.name).toMatchObject({ 'en-CA': 'Other' })
})

test('a weight label matches the item with its base barcode, and never a barcode with fewer zeros', async () => {
  const other = '1005,1005,Other,Autre,1.00,zero-rated,deli,'
  const catalog = `APPLE,2101005000007,Apple,Pomme,3.80,zero-rated,produce,\n${other}`
  const harness = await openTerminalHarness(central, { catalog, labels: [{ layout: '21IIIIIWWWWWC' }] })
  await harness.call('POST', '/api/training/scan', { code: ']E02101005010006' })
  expect((await harness.until((now) => now.lines.length === 1)).lines).toMatchObject([
    { sku: 'APPLE', name: { 'en-CA': 'Apple' }, measure: { netThousandths: 1_000 }, amountCents: 380 },
  ])
})

test('an item sold by weight is never rung without its weight', async () => {
  const head = 'sku,barcode,name_en,name_fr,price,tax_category,department,category,sold_by\n'
  const catalog =
    `${head}BASE,2201005000004,Apple,Pomme,3.80,zero-rated,produce,,\n` +
    'NUMBER,00077,Ham,Jambon,24.00,zero-rated,deli,,\nFISH,95012345678903,Salmon,Saumon,31.00,zero-rated,fish,,\n' +
    'NUTS,4012,Nuts,Noix,12.00,zero-rated,bulk,,kg\nBAGEL,00078,Bagel,Bagel,1.00,zero-rated,bakery,,each'
  const harness = await openTerminalHarness(central, { catalog, labels: LABELS })
  for (const sku of ['BASE', 'NUMBER', 'FISH', 'NUTS']) {
    const ring = { sku, quantity: 1 }
    expect(await harness.refused('POST', '/api/sales/current/lines', ring), sku).toBe('weight-required')
    const quote = { items: [ring] }
    expect(await harness.refused('POST', '/api/returns/without-record/quote', quote), sku).toBe('weight-required')
  }
  for (const code of [']E02201005000004', '00077', '95012345678903', '4012']) {
    const before = harness.events().length
    await harness.call('POST', '/api/training/scan', { code })
    const events = () =>
      harness
        .events()
        .slice(before)
        .filter(({ type }) => type !== 'queue-changed')
    while (events().length === 0) await harness.next()
    expect(events(), code).toMatchObject([{ type: 'weight-asked' }])
  }
  await harness.call('POST', '/api/training/scan', { code: '00078' })
  await harness.call('POST', '/api/training/scan', { code: ONE_KILOGRAM })
  expect((await harness.until((now) => now.lines.length === 2)).lines).toMatchObject([
    { sku: 'BAGEL', amountCents: 100 },
    { sku: 'NUMBER', amountCents: 2400 },
  ])
})

test('a GS1 label prices an item sold by the piece only within the bounds of its open price', async () => {
  const head = 'sku,barcode,name_en,name_fr,price,tax_category,department,category,sold_by,open_price\n'
  const catalog =
    `${head}WINE,0628451101000,Wine,Vin,30.00,standard,drinks,,,\n` +
    'BAGEL,00078,Bagel,Bagel,1.00,zero-rated,bakery,,each,\nCARD,4012345678901,Card,Carte,50.00,standard,misc,,,' +
    '20.00-200.00\nPEAR,0628451101017,Pear,Poire,4.00,zero-rated,produce,,kg,'
  const harness = await openTerminalHarness(central, { catalog, labels: LABELS })
  // Labels with one gram, with one cent, and with one cent below the item's bounds, and a weight label of the store's
  // layout.
  const WRONG = [
    ']d201006284511010003103000001',
    ']d20100628451101000392201',
    ']d2010401234567890139221999',
    ']E02200078010002',
  ]
  const refused = () => harness.events().filter((event) => event.type === 'scan-refused')
  for (const [index, code] of WRONG.entries()) {
    await harness.call('POST', '/api/training/scan', { code })
    while (refused().length === index) await harness.next()
    expect(refused().at(-1), code).toMatchObject({ code: 'label-price-refused' })
  }
  await harness.call('POST', '/api/training/scan', { code: ']d201006284511010173103000500' })
  await harness.call('POST', '/api/training/scan', { code: ']d2010401234567890139222000' })
  expect((await harness.until((now) => now.lines.length === 2)).lines).toMatchObject([
    { sku: 'PEAR', amountCents: 200 },
    { sku: 'CARD', amountCents: 2000 },
  ])
})

test('an open-price item needs a price to be returned without a record of its sale', async () => {
  const head = 'sku,barcode,name_en,name_fr,price,tax_category,department,category,open_price\n'
  const catalog = `${head}CLOCK,,Repair,Réparation,50.00,standard,care,,1.00-200.00`
  const harness = await openTerminalHarness(central, { catalog })
  const quote = { items: [{ sku: 'CLOCK', quantity: 1 }] }
  expect(await harness.refused('POST', '/api/returns/without-record/quote', quote)).toBe('price-required')
})

test('a label typed by a keyboard scanner is rung at its price, and does not count as a device read', async () => {
  const harness = await openTerminalHarness(central, { catalog: CATALOG, labels: LABELS, staffId: 'sam' })
  const type = (text: string) => harness.call('POST', '/api/devices/keys', { text })
  expect((await type('0212345928752')).status).toBe(200)
  expect((await harness.until((sale) => sale.lines.length === 1)).lines[0]).toMatchObject({
    sku: '12345',
    amountCents: 2875,
  })
  expect(await harness.refused('POST', '/api/devices/keys', { text: '' })).toBe('body-invalid')
  const [reader, scanner] = DeviceDetailsList.parse((await harness.call('GET', '/api/devices/details')).body).devices
  expect([reader, scanner]).toMatchObject([
    { role: 'card-reader', statistics: { reads: 0 } },
    { role: 'scanner', statistics: { reads: 0 } },
  ])
  expect((await harness.call('POST', '/api/devices/check', {})).status).toBe(200)
})
