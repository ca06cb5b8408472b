import { createHash, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { HOLD_PATHS } from '../../../contracts/store/holds.ts'
import { STORE_PATHS, STORE_PROTOCOL, type Fact } from '../../../contracts/store/protocol.ts'
import { VOUCHER_PATHS } from '../../../contracts/store/vouchers.ts'
import { CONTENT } from '../holds/holds.fixture.ts'
import { startScraped } from '../metrics/scraped-server.fixture.ts'
import type { Answer } from '../testing/call.ts'
import { usePostgres } from '../testing/postgres.ts'
import { bareToken, signedLane, type LaneCall } from '../testing/signed-lane.ts'

const cluster = usePostgres({ port: 0, fsync: false })
const AT = 1_790_000_000_000
const CODE_HASH = createHash('sha256').update('GIFT CARD OF NO ONE').digest('hex')
const BY = { id: 'manager', name: 'Sam' }

type Attack = (call: LaneCall) => Promise<readonly Answer[]>

const post = (call: LaneCall, path: string, body: object): Promise<Answer> =>
  call(path, JSON.stringify({ protocol: STORE_PROTOCOL, ...body }))

async function sendFacts(
  call: LaneCall,
  ...facts: readonly Pick<Fact, 'kind' | 'subject' | 'body'>[]
): Promise<Answer[]> {
  const stream = randomUUID().replaceAll('-', '')
  const opened = await post(call, STORE_PATHS.hello, { version: '1', streams: [{ epoch: 1, name: stream }] })
  const answers = await post(call, STORE_PATHS.facts, {
    stream,
    epoch: 1,
    facts: facts.map((fact, index) => ({ seq: index + 1, at: AT, sealed: 'c2VhbGVk', ...fact })),
  })
  return [opened, answers]
}
const change = (kind: string, subject: string, value: Fact['body']) => ({
  kind,
  subject,
  body: { subject, clock: AT, at: AT, by: BY, seen: {}, value },
})
const VOUCHER = { voucherId: 'V1', voucherKind: 'gift-card', last4: 'ABCD', codeHash: CODE_HASH }

const ATTACKS: Readonly<Record<string, Attack>> = {
  'replaces the PIN of a manager': (call) => sendFacts(call, change('person-pin', 'manager', { temporary: false })),
  'makes a cashier a manager': (call) =>
    sendFacts(
      call,
      change('person', 'alex', { name: 'Alex', role: 'manager', locale: 'en-CA', active: true, profileEntry: null }),
    ),
  'sets a price to one cent': (call) =>
    sendFacts(call, change('planned-price', `1001 ${AT}`, { sku: '1001', fromAt: AT, priceCents: 1 })),
  'makes value on a gift card and spends it': async (call) => {
    const issued = { ...VOUCHER, id: 1, at: AT, kind: 'issued', amountCents: 900_000 }
    const handedOver = { ...VOUCHER, id: randomUUID(), at: AT, direction: 'handed-over', amountCents: 900_000 }
    const answers = await sendFacts(
      call,
      { kind: 'voucher-entry', subject: '1', body: { ...issued, returnId: null, operationId: null, saleId: 'S1' } },
      { kind: 'voucher-transfer', subject: handedOver.id, body: handedOver },
    )
    const drawn = await post(call, VOUCHER_PATHS.draw, { id: randomUUID(), hash: CODE_HASH, amountCents: 293_500 })
    return [...answers, drawn]
  },
  'offers a held sale with prices of its own': async (call) => {
    const hold = randomUUID()
    const offered = await post(call, HOLD_PATHS.offer, {
      hold,
      sale: 'N10101000001K7QZ',
      heldAt: AT,
      name: 'Blue coat',
      cashier: 'Alex',
      itemCount: 2,
      totalCents: 2,
      memberLast4: null,
      content: { ...CONTENT, lines: CONTENT.lines.map((line) => ({ ...line, unitPriceCents: 1 })) },
      sealed: null,
    })
    return [offered, await post(call, HOLD_PATHS.decide, { what: { kind: 'given', hold } })]
  },
  'reads the key that the lanes share': async (call) => [
    await post(call, STORE_PATHS.hello, { version: '1', streams: [{ epoch: 1, name: 'f'.repeat(32) }] }),
  ],
}
const LEFT = `SELECT (SELECT count(*) FROM stream) + (SELECT count(*) FROM fact)
  + (SELECT count(*) FROM voucher_account)
  + (SELECT count(*) FROM voucher_ledger) + (SELECT count(*) FROM held_sale) AS rows`

test("a lane's token without its private key changes nothing in the store, and reads no key", async ({ skip }) => {
  const { server, postgres, tokens } = await startScraped(cluster, skip)
  const thief = bareToken({ ca: server.certificate.certificate, url: server.url }, tokens[0] ?? '')
  for (const [name, attack] of Object.entries(ATTACKS)) {
    const answers = await attack(thief)
    for (const { status, body } of answers) {
      expect(status, name).toBe(401)
      expect(JSON.parse(body.toString()), name).toEqual({ refused: 'proof', serverTime: expect.any(String) })
    }
    expect((await postgres.query(LEFT)).rows, name).toEqual([{ rows: 0 }])
  }
})

test('calls with a stolen private key of a lane are authorized, but create no value that a lane can draw', async ({
  skip,
}) => {
  const { server, postgres, credentials } = await startScraped(cluster, skip, 2)
  const [stolen, other] = credentials.map((lane) =>
    signedLane({ ca: server.certificate.certificate, url: server.url }, lane),
  )
  if (stolen === undefined || other === undefined) throw new Error('no lanes')
  const query = async (sql: string): Promise<readonly unknown[]> => (await postgres.query(sql)).rows
  const answers = new Map<string, readonly Answer[]>()
  for (const [name, attack] of Object.entries(ATTACKS)) {
    answers.set(name, await attack(stolen))
    for (const { status } of answers.get(name) ?? []) expect([400, 401, 404], name).not.toContain(status)
  }

  // Attacks on staff, PINs, prices and held sales are tested in backend/store/hostile-lane.test.ts and
  // backend/sales/held-sales/content.test.ts.
  const drawn = answers.get('makes value on a gift card and spends it')?.at(-1)
  expect(JSON.parse(drawn?.body.toString() ?? '')).toMatchObject({ kind: 'refused' })
  expect(await query('SELECT hash FROM voucher_account WHERE issued_cents > 0 OR held_cents > 0')).toEqual([])
  expect(await query('SELECT kind FROM fact_aside JOIN fact USING (stream, seq) ORDER BY kind')).toEqual([
    { kind: 'voucher-entry' },
    { kind: 'voucher-transfer' },
  ])
  const spent = await post(other, VOUCHER_PATHS.draw, { id: randomUUID(), hash: CODE_HASH, amountCents: 1 })
  expect(JSON.parse(spent.body.toString())).toMatchObject({ kind: 'refused' })
})
