import { expect, test, vi } from 'vitest'
import { OnlineReceipts } from '../../../contracts/core/profile.ts'
import type { ReceiptView } from '../../../contracts/sales/sales.ts'
import { useCentral } from './central.ts'
import { APPLES, buy } from './return-steps.ts'
import { lanesOf } from './store-lanes.ts'
import { useStore } from './store.ts'
import { openTerminalHarness, type TerminalHarness } from './terminal-harness.ts'
import { callOver } from '../../store-server/testing/call.ts'
import type { StorePlace } from '../../../backend/store/channel.ts'

const central = useCentral()
const store = useStore('01', '02', '03', '04', '05')
const lanes = lanesOf(central, store)
const URL_OF_STORE = 'https://receipts.store.example/receipt'
const receipt = { online: OnlineReceipts.parse({ url: URL_OF_STORE, days: 30 }) }

const viewOf = async (lane: TerminalHarness, id: string): Promise<ReceiptView> =>
  (await lane.call('GET', `/api/sales/${id}/receipt`)).body

const tokenOf = ({ link }: ReceiptView): string => link?.replace(`${URL_OF_STORE}/`, '') ?? ''

const open = async ({ url, ca }: StorePlace, token: string) => {
  const { status, headers, body } = await callOver(ca ?? '', `${url}/receipt/${token}`)
  return { status, headers, html: body.toString() }
}

const opened = async (place: StorePlace, token: string) => {
  await vi.waitFor(async () => expect((await open(place, token)).status).toBe(200), { timeout: 60_000, interval: 100 })
  return open(place, token)
}

test('a customer opens the receipt at the address of its QR code, without balances', async ({ skip }) => {
  const lane = await lanes.open(skip, '01', { receipt })
  const sale = await buy(lane, [[APPLES, 2]], { card: 'fine' })
  const view = await viewOf(lane, sale.id)
  expect(view.link).toMatch(/^https:\/\/receipts\.store\.example\/receipt\/[\w-]{27}$/)
  expect(view.document.blocks).toContainEqual({ kind: 'qr', data: view.link })
  const { html, headers } = await opened(store.place(skip, '01'), tokenOf(view))
  for (const text of [sale.id, 'TOTAL', '<html lang="en-CA">']) expect(html).toContain(text)
  expect(html).not.toMatch(/Your balances|Cash miles|Dream miles/)
  expect(html).not.toContain('<script')
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  expect(headers['content-security-policy']).toContain("default-src 'none'")
})

test('the store server cannot read a receipt without its address, and its log has no address', async ({ skip }) => {
  const lane = await lanes.open(skip, '02', { receipt })
  const sale = await buy(lane, [[APPLES, 1]])
  const token = tokenOf(await viewOf(lane, sale.id))
  await opened(store.place(skip, '02'), token)
  const rows = await store.query(
    "SELECT id, lane, expires_at, encode(sealed, 'escape') AS sealed FROM online_receipt WHERE lane = '02'",
  )
  for (const text of [token, sale.id, 'TOTAL']) expect(JSON.stringify(rows)).not.toContain(text)
  expect(JSON.stringify(store.log())).not.toContain(token)
  expect(store.log()).toContainEqual(expect.objectContaining({ path: '/receipt/:token', status: 200 }))
})

test('an expired receipt, an unknown address and a changed address get the same page with status 404', async ({
  skip,
}) => {
  const lane = await lanes.open(skip, '03', { receipt })
  const place = store.place(skip, '03')
  const sale = await buy(lane, [[APPLES, 1]])
  const token = tokenOf(await viewOf(lane, sale.id))
  await opened(place, token)
  await store.query("UPDATE online_receipt SET expires_at = 1 WHERE lane = '03'")
  const answers = [token, 'A'.repeat(27), `${token.slice(0, -1)}${token.endsWith('A') ? 'Q' : 'A'}`, 'short', '..%2f']
  const pages = await Promise.all(answers.map((one) => open(place, one)))
  expect(pages.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
  expect(new Set(pages.map(({ html }) => html)).size).toBe(1)
  expect(pages[0]?.html).toContain('lang="fr-CA"')
  // Neither a path without a token nor the path to which lanes send receipts lists receipts.
  for (const path of ['/receipt/', '/receipt', '/lane/receipts/online'])
    expect((await callOver(place.ca ?? '', place.url + path)).status).toBe(404)
})

test('an offline lane sends its receipts to the store server when the server is back', async ({ skip }) => {
  const lane = await lanes.open(skip, '04', { receipt })
  store.freeze()
  const sale = await buy(lane, [[APPLES, 1]])
  const token = tokenOf(await viewOf(lane, sale.id))
  expect(token).toHaveLength(27)
  expect(lane.read('SELECT handed_over_at AS at FROM receipt_link')).toEqual([{ at: null }])
  store.thaw()
  await opened(store.place(skip, '04'), token)
})

test('without a configured address, or without a store server, a receipt has no link', async ({ skip }) => {
  const [bare, alone] = [await lanes.open(skip, '05'), await openTerminalHarness(central, { receipt })]
  for (const lane of [bare, alone]) {
    const view = await viewOf(lane, (await buy(lane, [[APPLES, 1]])).id)
    expect(view.link ?? null).toBe(null)
    expect(view.document.blocks.some(({ kind }) => kind === 'qr')).toBe(false)
  }
})
