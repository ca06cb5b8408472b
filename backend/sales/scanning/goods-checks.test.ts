import { expect, test } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarnessOptions } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const CATALOG = 'MILK,9506000134352,Milk,Lait,5.00,zero-rated,dairy,'
/** The expiry in the first code (AI 17) has day 00, which means the last day of January 2020. */
const EXPIRED = ']C1010950600013435217200100'
const RECALLED = ']C1010950600013435210L7'
const LOTS = [{ barcode: '9506000134352', lot: 'L7' }]

async function openLane(goodsChecks: TerminalHarnessOptions['goodsChecks']) {
  const lane = await openTerminalHarness(central, { catalog: CATALOG, goodsChecks })
  return {
    lane,
    scan: (code: string) => lane.call('POST', '/api/training/scan', { code }),
    async nextEvent(type: 'goods-asked' | 'scan-refused') {
      for (;;) {
        const event = lane.events().find((one) => one.type === type)
        if (event) return event
        await lane.next()
      }
    },
  }
}

test('expired goods require a decision, and are rung once when the cashier accepts them', async () => {
  const { lane, scan, nextEvent } = await openLane({})
  await scan(EXPIRED)
  expect(await nextEvent('goods-asked')).toMatchObject({
    item: { sku: 'MILK' },
    doubt: { kind: 'expired', date: '2020-01-31' },
  })
  const rung = await lane.call('POST', '/api/sales/current/lines/scanned', {})
  expect(rung.body).toMatchObject({ sale: { lines: [{ sku: 'MILK', quantity: 1, amountCents: 500 }] } })
  expect(await lane.refused('POST', '/api/sales/current/lines/scanned', {})).toBe('scan-gone')
  const noted = lane.read<{ actor: string; detail: string }>(
    "SELECT actor_id AS actor, detail FROM audit_entry WHERE kind = 'goods-sold-anyway' AND subject = 'MILK'",
  )
  expect(noted.map(({ actor, detail }) => [actor, JSON.parse(detail)])).toEqual([
    ['alex', { saleId: rung.body.sale.id, sellBy: '2020-01-31' }],
  ])
})

test('a recalled lot is refused with instructions, and the cashier cannot accept it like expired goods', async () => {
  const { lane, scan, nextEvent } = await openLane({ recalledLots: LOTS })
  await scan(RECALLED)
  expect(await nextEvent('scan-refused')).toMatchObject({ code: 'item-recalled' })
  expect(await lane.refused('POST', '/api/sales/current/lines/scanned', {})).toBe('scan-gone')
})

test('a store that ignores expiry dates and lots rings expired and recalled goods', async () => {
  const { lane, scan } = await openLane({ expired: 'ignore', recalled: 'ignore', recalledLots: LOTS })
  await scan(EXPIRED)
  await scan(RECALLED)
  expect((await lane.until(({ lines }) => lines[0]?.quantity === 2)).lines).toHaveLength(1)
})

test('an expired item with an open price is never rung at its list price', async () => {
  const open = 'MILK,9506000134352,Milk,Lait,5.00,zero-rated,dairy,,1.00-9.00'
  const lane = await openTerminalHarness(central, {
    catalog: `sku,barcode,name_en,name_fr,price,tax_category,department,category,open_price\n${open}`,
  })
  await lane.call('POST', '/api/training/scan', { code: EXPIRED })
  while (!lane.events().some(({ type }) => type === 'goods-asked')) await lane.next()
  expect(await lane.refused('POST', '/api/sales/current/lines/scanned', {})).toBe('scan-gone')
})
