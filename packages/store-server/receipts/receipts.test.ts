import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { STORE_PATHS, STORE_PROTOCOL, type Fact } from '../../../contracts/store/protocol.ts'
import { RECEIPT_PATHS, StoreReceipt, type ReserveReturn } from '../../../contracts/store/receipts.ts'
import { migrate } from '../db/migrate.ts'
import { openPostgres } from '../db/postgres.ts'
import { ENROLMENT_TABLES } from '../enrolment/enrolment.sql.ts'
import { laneRoutes, LANES_TABLES } from '../lanes/lanes.ts'
import { PRICE, returnBody, saleBody } from '../testing/fact-bodies.ts'
import { createLog } from '../log.ts'
import { contextOf, openRoutes } from '../testing/context.ts'
import { usePostgres } from '../testing/postgres.ts'
import { receiptRoutes, RECEIPTS_TABLES } from './receipts.ts'
import { RECEIPTS } from './projection.ts'

const postgres = usePostgres({ fsync: false })
const streamOf = (lane: string): string => lane.padStart(32, '0')

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function start(skip: Parameters<typeof postgres.database>[0]) {
  const log = createLog('silent')
  const database = openPostgres({ url: await postgres.database(skip), log })
  await migrate(database, [ENROLMENT_TABLES, LANES_TABLES, RECEIPTS_TABLES])
  const ctx = contextOf(database, { log, projections: [RECEIPTS] })
  const app = await openRoutes(ctx, [laneRoutes, receiptRoutes], ({ headers }) => {
    const lane = headers.authorization?.slice('Bearer '.length)
    return lane === undefined ? null : { store: 'STORE', lane }
  })
  closing.push(async () => {
    await app.close()
    await database.close()
  })
  const post = async (lane: string, url: string, body: object) => {
    const headers = { authorization: `Bearer ${lane}` }
    const answer = await app.inject({ method: 'POST', url, headers, payload: { protocol: STORE_PROTOCOL, ...body } })
    return { status: answer.statusCode, body: answer.json() }
  }
  const next = new Map<string, number>()
  const send = async (lane: string, kind: string, subject: string, body: Fact['body']) => {
    const seq = (next.get(lane) ?? 0) + 1
    if (seq === 1)
      await post(lane, STORE_PATHS.hello, { version: '1.0.0', streams: [{ epoch: 1, name: streamOf(lane) }] })
    next.set(lane, seq)
    const sentFacts = [{ seq, kind, subject, at: seq, body, sealed: null }]
    const answer = await post(lane, STORE_PATHS.facts, { stream: streamOf(lane), epoch: 1, facts: sentFacts })
    expect(answer.body).toEqual({ applied: seq, aside: [] })
  }
  const complete = (lane: string) =>
    post(lane, RECEIPT_PATHS.complete, { streams: { [streamOf(lane)]: next.get(lane) ?? 0 } })
  const one = async (lane: string, id: string): Promise<StoreReceipt> =>
    StoreReceipt.parse((await post(lane, RECEIPT_PATHS.one, { id })).body.receipt)
  const reserveAnswer = async (lane: string, asked: Partial<ReserveReturn> & { saleId: string }, pieces = 1) =>
    (
      await post(lane, RECEIPT_PATHS.reserve, {
        id: crypto.randomUUID(),
        at: 2,
        lines: [{ number: 1, quantity: pieces }],
        refunds: [{ kind: 'store-credit', paidBy: 'card', amountCents: pieces * PRICE, roundingCents: 0 }],
        totalCents: pieces * PRICE,
        seen: [],
        instead: [],
        ...asked,
      })
    ).body
  const reserve = async (...asked: Parameters<typeof reserveAnswer>) => (await reserveAnswer(...asked)).refused
  const release = async (lane: string, id: string, saleId: string) =>
    (await post(lane, RECEIPT_PATHS.release, { id, saleId })).body.released
  return { post, send, complete, one, reserveAnswer, reserve, release, database }
}

describe('returns with a receipt of another lane', () => {
  test('find the receipt by the end of its number, but not for the lane that printed the receipt', async ({ skip }) => {
    const { send, post } = await start(skip)
    await send('01', 'sale', 'N101AAAA0001K7Q2', saleBody('N101AAAA0001K7Q2', 2, 0))
    const find = async (lane: string, q: string) =>
      (await post(lane, RECEIPT_PATHS.find, { q, limit: 8 })).body.receipts.map(({ id }: { id: string }) => id)
    expect(await find('02', 'K7Q2')).toEqual(['N101AAAA0001K7Q2'])
    expect(await find('02', '0001K7Q2')).toEqual(['N101AAAA0001K7Q2'])
    expect(await find('02', '9999K7Q2')).toEqual([])
    expect(await find('01', 'K7Q2')).toEqual([])
  })

  test("can be reserved only after the receipt's own lane has reported that it sent all its facts", async ({
    skip,
  }) => {
    const { send, complete, reserve } = await start(skip)
    await send('01', 'sale', 'S1', saleBody('S1', 1, PRICE))
    expect(await reserve('02', { saleId: 'S1' })).toBe('not-settled')
    await complete('02')
    expect(await reserve('02', { saleId: 'S1' })).toBe('not-settled')
    await complete('01')
    expect(await reserve('02', { saleId: 'S1' })).toBeNull()
    expect(await reserve('02', { saleId: 'S2' })).toBe('unknown')
  })

  test('cannot be reserved while a restored database waits for lanes, which the refusal lists', async ({ skip }) => {
    const { post, send, complete, reserveAnswer, database } = await start(skip)
    await send('01', 'sale', 'S1', saleBody('S1', 1, PRICE))
    await complete('01')
    await database.query("UPDATE database_identity SET identity = 'of the lost one'")
    expect(await reserveAnswer('02', { saleId: 'S1' })).toEqual({ refused: 'not-settled', awaitedLanes: ['01'] })
    expect((await post('02', RECEIPT_PATHS.one, { id: 'S1' })).body).toMatchObject({ awaitedLanes: ['01'] })
    await complete('01')
    expect(await reserveAnswer('02', { saleId: 'S1' })).toEqual({ refused: null })
  })

  test('are granted only once when two lanes reserve concurrently, in two hundred rounds', async ({ skip }) => {
    const { send, complete, reserve } = await start(skip)
    const ids = Array.from({ length: 200 }, (_, index) => `S${index}`)
    for (const id of ids) await send('01', 'sale', id, saleBody(id, 1, PRICE))
    await complete('01')
    for (const saleId of ids) {
      const answers = await Promise.all([reserve('01', { saleId }), reserve('02', { saleId })])
      expect(answers.filter((refused) => refused === null)).toHaveLength(1)
      expect(answers.find((refused) => refused !== null)).toMatch(/^(changed|exceeds)$/)
    }
  })

  test('have a reservation that is idempotent by id, stays released once released, and ends with the return', async ({
    skip,
  }) => {
    const { send, complete, reserve, release, one } = await start(skip)
    await send('01', 'sale', 'S1', saleBody('S1', 2, 2 * PRICE))
    await complete('01')
    const [first, second, late] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    expect([
      await reserve('02', { saleId: 'S1', id: first }),
      await reserve('02', { saleId: 'S1', id: first }),
    ]).toEqual([null, null])
    expect((await one('01', 'S1')).returns).toHaveLength(1)
    expect(await release('01', first, 'S1'), 'another lane gives nothing back').toBe(false)
    expect(await release('02', first, 'S1')).toBe(true)
    expect(await reserve('02', { saleId: 'S1', id: first })).toBe('released')
    expect(await release('02', late, 'S1'), 'before it ever came').toBe(true)
    expect(await reserve('02', { saleId: 'S1', id: late })).toBe('released')
    expect(await reserve('02', { saleId: 'S1', id: second })).toBeNull()
    await send('02', 'return', 'R1', returnBody('R1', 'S1', second, 1))
    expect(await release('02', second, 'S1'), 'what came back stays').toBe(false)
    expect((await one('01', 'S1')).returns).toMatchObject([{ id: second, returnId: 'R1', lane: '02' }])
  })

  test('cannot be reserved with an outdated copy of the receipt', async ({ skip }) => {
    const { send, complete, reserve, one } = await start(skip)
    await send('01', 'sale', 'S1', saleBody('S1', 3, 2 * PRICE))
    await complete('01')
    const mine = crypto.randomUUID()
    expect(await reserve('02', { saleId: 'S1', id: mine })).toBeNull()
    expect(await reserve('03', { saleId: 'S1' })).toBe('changed')
    expect(await reserve('03', { saleId: 'S1', seen: [mine] }, 3)).toBe('exceeds')
    expect(await reserve('03', { saleId: 'S1', seen: [mine] }, 2), 'the card paid for two').toBe('exceeds')
    expect(await reserve('03', { saleId: 'S1', seen: [mine] })).toBeNull()
    expect((await one('01', 'S1')).returns).toHaveLength(2)
  })
})

test('returns at random lanes with lost answers never exceed the pieces sold or the money paid', async ({ skip }) => {
  const server = await start(skip)
  const LANES = ['01', '02', '03'] as const
  const step = fc.record({
    lane: fc.constantFrom(...LANES),
    pieces: fc.integer({ min: 1, max: 3 }),
    paidBy: fc.constantFrom('card', 'cash'),
    fate: fc.constantFrom('lost-released', 'asked-again', 'sent', 'unsent', 'released-late'),
    looksFirst: fc.boolean(),
  })
  let count = 0
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 5 }),
      fc.array(step, { minLength: 1, maxLength: 8 }),
      async (pieces, byCard, steps) => {
        const saleId = `P${(count += 1)}`
        const cardCents = Math.min(byCard, pieces) * PRICE
        await server.send('01', 'sale', saleId, saleBody(saleId, pieces, cardCents))
        await server.complete('01')
        const committed: { pieces: number; paidBy: string }[] = []
        let seen = new Map<string, string>()
        for (const { lane, pieces: taken, paidBy, fate, looksFirst } of steps) {
          if (looksFirst) seen = new Map((await server.one(lane, saleId)).returns.map((back) => [back.id, back.lane]))
          const id = crypto.randomUUID()
          const asked = {
            saleId,
            id,
            refunds: [{ kind: 'store-credit', paidBy, amountCents: taken * PRICE, roundingCents: 0 }],
            seen: [...seen].flatMap(([one, of]) => (of === lane ? [] : [one])),
          }
          if (fate === 'released-late') await server.release(lane, id, saleId)
          let refused = await server.reserve(lane, asked, taken)
          if (fate === 'asked-again') refused = await server.reserve(lane, asked, taken)
          if (fate === 'lost-released') await server.release(lane, id, saleId)
          else if (refused === null) {
            committed.push({ pieces: taken, paidBy })
            if (fate === 'sent') await server.send(lane, 'return', `R${id}`, returnBody(`R${id}`, saleId, id, taken))
          }
        }
        const sum = (of: (one: (typeof committed)[number]) => boolean): number =>
          committed.filter(of).reduce((all, one) => all + one.pieces, 0)
        expect(sum(() => true)).toBeLessThanOrEqual(pieces)
        expect(sum(({ paidBy }) => paidBy === 'card') * PRICE).toBeLessThanOrEqual(cardCents)
        expect(sum(({ paidBy }) => paidBy === 'cash') * PRICE).toBeLessThanOrEqual(pieces * PRICE - cardCents)
        expect((await server.one('02', saleId)).returns).toHaveLength(committed.length)
      },
    ),
    { numRuns: 50 },
  )
})
