import { expect, test } from 'vitest'
import type { ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { ONLINE_PATHS } from '../../../contracts/store/online-receipts.ts'
import { newOnlineToken, onlineIdOf, openOnlineReceipt, sealOnlineReceipt } from '../../delivery/online-receipt.ts'
import { contextOf, openRoutes } from '../testing/context.ts'
import { usePostgres } from '../testing/postgres.ts'
import { onlineReceiptRoutes } from './online.ts'

const cluster = usePostgres()
const DAY = 24 * 3_600_000
const HOSTILE: ReceiptDocument = {
  locale: 'fr-CA',
  title: '</title><script>alert(1)</script>',
  blocks: [
    { kind: 'text', text: '<img src=x onerror=alert(1)>', align: 'center', bold: true },
    { kind: 'row', left: 'Lait & crème', right: '"5,49"' },
    { kind: 'row', left: 'Milles', right: '12 840', paperOnly: true },
    { kind: 'barcode', symbology: 'code128', data: 'N1010100000042K7QZ' },
    { kind: 'qr', data: 'javascript:alert(1)' },
  ],
}

type Skip = Parameters<typeof cluster.open>[0]

async function openServer(skip: Skip, now = { ms: Date.now() }) {
  const db = await cluster.open(skip)
  const ctx = contextOf(db, { now: () => now.ms })
  const app = await openRoutes(ctx, [onlineReceiptRoutes], () => ({ store: '1001', lane: '01' }))
  const put = (token: string, expiresAt: number, document = HOSTILE) =>
    app.inject({
      method: 'POST',
      url: ONLINE_PATHS.put,
      payload: {
        protocol: 1,
        id: onlineIdOf(token),
        expiresAt,
        sealed: sealOnlineReceipt(token, document).toString('base64'),
      },
    })
  return { app, db, ctx, now, put, get: (token: string) => app.inject(`/receipt/${token}`) }
}

test('an online receipt opens only with its own token, and a token has 160 random bits', () => {
  const [one, other] = [newOnlineToken(), newOnlineToken()]
  expect(Buffer.from(one, 'base64url')).toHaveLength(20)
  expect(one).not.toBe(other)
  const sealed = sealOnlineReceipt(one, HOSTILE)
  expect(openOnlineReceipt(one, sealed)).toEqual(HOSTILE)
  expect(openOnlineReceipt(other, sealed)).toBe(null)
  expect(openOnlineReceipt(one, sealed.subarray(1))).toBe(null)
})

test('the page of an online receipt shows names as text, never as markup, and no miles balance', async ({ skip }) => {
  const { put, get, now } = await openServer(skip)
  const token = newOnlineToken()
  expect((await put(token, now.ms + DAY)).statusCode).toBe(200)
  const { body, headers } = await get(token)
  expect(body).toContain('&lt;img src=x onerror=alert(1)&gt;')
  expect(body).toContain('<span>Lait &amp; crème</span><span>&quot;5,49&quot;</span>')
  expect(body).not.toMatch(/<script|<img|javascript:|12 840/)
  expect(headers['x-robots-tag']).toBe('noindex, nofollow')
})

test('an expired online receipt is not served, and is deleted', async ({ skip }) => {
  const { put, get, now, db, ctx } = await openServer(skip)
  const token = newOnlineToken()
  await put(token, now.ms + DAY)
  now.ms += DAY
  expect((await get(token)).statusCode).toBe(404)
  await openRoutes(ctx, [onlineReceiptRoutes], () => null)
  expect((await db.query('SELECT 1 FROM online_receipt')).rows).toEqual([])
})

test('an online receipt sent again with other content stays as it was; an expiry too far ahead is refused', async ({
  skip,
}) => {
  const { put, get, now } = await openServer(skip)
  const token = newOnlineToken()
  await put(token, now.ms + DAY)
  expect((await put(token, now.ms + DAY, { ...HOSTILE, title: 'another' })).statusCode).toBe(200)
  expect((await get(token)).body).not.toContain('another')
  expect((await put(newOnlineToken(), now.ms + 400 * DAY)).statusCode).toBe(400)
})

test('an IP address that opens hundreds of receipt pages in a minute is refused', async ({ skip }) => {
  const { get } = await openServer(skip)
  const statuses = new Set<number>()
  for (let at = 0; at < 301; at += 1) statuses.add((await get('A'.repeat(27))).statusCode)
  expect([...statuses]).toEqual([404, 429])
})
