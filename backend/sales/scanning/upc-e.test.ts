import { expect, test } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
/**
 * The code 01234565 is valid both as UPC-E (of 012345000065) and as EAN-8; the code 04252614 (of 042100005264) only as
 * UPC-E.
 */
const CATALOG =
  'GUM,01234565,Gum,Gomme,1.00,zero-rated,candy,\n' +
  'MINTS,04252614,Mints,Menthes,2.00,zero-rated,candy,\n' +
  'BEANS,042100005301,Beans,Haricots,3.00,zero-rated,dry,'

const READINGS = {
  GUM: ['01234565', ']E001234565', ']E401234565', '012345000065', ']E00012345000065', ']C10100000001234565'],
  MINTS: ['04252614', ']E004252614', ']E00425261', '042100005264', ']E00042100005264'],
}

async function pieces(harness: TerminalHarness, count: number) {
  const sale = await harness.until((now) => now.lines.reduce((sum, line) => sum + line.quantity, 0) === count)
  return sale.lines.map(({ sku, quantity }) => `${quantity} ${sku}`)
}

test('an item with a printed UPC-E is found by a scanner that sends any format of the code', async () => {
  const harness = await openTerminalHarness(central, { catalog: CATALOG })
  for (const code of READINGS.GUM) await harness.call('POST', '/api/training/scan', { code })
  expect(await pieces(harness, READINGS.GUM.length)).toEqual([`${READINGS.GUM.length} GUM`])
  for (const code of READINGS.MINTS) await harness.call('POST', '/api/training/scan', { code })
  expect(await pieces(harness, READINGS.GUM.length + READINGS.MINTS.length)).toEqual([
    `${READINGS.GUM.length} GUM`,
    `${READINGS.MINTS.length} MINTS`,
  ])
})

test('an item with a printed UPC-E is found by a keyboard scanner, and by typing the code', async () => {
  const harness = await openTerminalHarness(central, { catalog: CATALOG })
  for (const text of ['01234565', ']E001234565', '012345000065'])
    await harness.call('POST', '/api/devices/keys', { text })
  expect(await pieces(harness, 3)).toEqual(['3 GUM'])
  for (const q of ['01234565', '012345000065', '0 123456 5'])
    expect((await harness.call('POST', '/api/catalog/items/search', { q })).body, q).toMatchObject({
      items: [{ sku: 'GUM' }],
    })
})

test('the item editor accepts a printed UPC-E, and refuses it for a second item with the same UPC-A', async () => {
  const harness = await openTerminalHarness(central, { catalog: CATALOG, staffId: 'sam' })
  const item = {
    sku: 'NEW',
    name: { 'en-CA': 'New', 'fr-CA': 'Nouveau' },
    priceCents: 100,
    openPrice: null,
    taxCategory: 'standard',
    departmentId: 'candy',
    categoryId: null,
  }
  const save = async (barcode: string) => {
    const { body } = await harness.call('POST', '/api/catalog/items', { how: 'add', item: { ...item, barcode } })
    return body as { code?: string; item?: { barcode: string } }
  }
  for (const taken of ['012345000065', '01234565', '042100005264', '04253011'])
    expect((await save(taken)).code, taken).toBe('item-barcode-used')
  for (const wrong of ['0', '00000000', '01234566']) expect((await save(wrong)).code, wrong).toBe('item-barcode-wrong')
  expect((await save('0-123450-5')).item?.barcode).toBe('01234505')
})
