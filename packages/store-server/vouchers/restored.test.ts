import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { usePostgres } from '../testing/postgres.ts'
import { startVoucherLanes, type VoucherLanes } from '../testing/voucher-lanes.ts'

const postgres = usePostgres({ fsync: false })
const CODE = 'CODE-ABCD'
const running: VoucherLanes[] = []
afterEach(async () => {
  for (const store of running.splice(0)) await store.close()
})

async function start(skip: Parameters<typeof postgres.database>[0], servers = 1): Promise<VoucherLanes> {
  const store = await startVoucherLanes(await postgres.database(skip), servers)
  running.push(store)
  return store
}
const putBack = (store: VoucherLanes) => store.query("UPDATE database_identity SET identity = 'of the lost one'")

test('a draw granted by a lost database is counted, even if the transfer that covered it arrives later', async ({
  skip,
}) => {
  const store = await start(skip)
  const [one, two, three] = [store.lane('01'), store.lane('02'), store.lane('03')]
  await expect(two.transfer(CODE, 'drawn', 700)).rejects.toThrow('quarantined')
  await expect(two.entry(CODE, 'redeemed', 700)).rejects.toThrow('quarantined')
  expect(await three.find(CODE), 'it waits for the transfer').toEqual({ kind: 'unknown' })
  expect(await three.draw(CODE, 1)).toMatchObject({ kind: 'refused' })
  await one.entry(CODE, 'issued', 1000)
  await one.transfer(CODE, 'handed-over', 1000)
  expect(await three.draw(CODE, 301)).toMatchObject({ kind: 'refused', heldCents: 300 })
  expect(await three.draw(CODE, 300)).toMatchObject({ kind: 'granted', heldCents: 0 })
  expect(await store.wrong()).toEqual([])
  expect(await store.query('SELECT * FROM fact_aside')).toEqual([])
})

test('after a restore, no server grants a draw until each lane has sent everything', async ({ skip }) => {
  const store = await start(skip, 2)
  const [one, two, three] = [store.lane('01'), store.lane('02'), store.lane('03')]
  await one.entry(CODE, 'issued', 1000)
  await one.transfer(CODE, 'handed-over', 1000)
  await two.entry('CODE-OWN2', 'issued', 100)
  const before = randomUUID()
  expect(await two.draw(CODE, 100, before)).toMatchObject({ kind: 'granted', awaits: [] })
  await putBack(store)
  const late = randomUUID()
  const asked = await Promise.all([three.draw(CODE, 10, late), one.draw(CODE, 10), two.draw(CODE, 10)])
  expect(asked.map(({ kind, awaits }) => ({ kind, awaits }))).toEqual(
    asked.map(() => ({ kind: 'refused', awaits: ['01', '02'] })),
  )
  expect(await two.draw(CODE, 100, before), 'what was granted is').toMatchObject({ kind: 'granted' })
  await one.complete()
  expect(await three.find(CODE)).toMatchObject({ heldCents: 900, awaits: ['02'] })
  expect(await store.wrong()).toEqual([])
  await two.transfer(CODE, 'drawn', 700)
  await two.entry(CODE, 'redeemed', 700)
  await two.complete()
  expect(await three.draw(CODE, 201)).toMatchObject({ kind: 'refused', awaits: [] })
  expect(await three.draw(CODE, 200)).toMatchObject({ kind: 'granted' })
  expect(await three.draw(CODE, 10, late), 'what was refused stays refused').toMatchObject({ kind: 'refused' })
  expect(await store.wrong()).toEqual([])
})

test('the store still waits for a lane whose facts the database lost, because the lane will send them again', async ({
  skip,
}) => {
  const store = await start(skip)
  const lane = store.lane('01')
  await lane.entry(CODE, 'issued', 1000)
  await putBack(store)
  await lane.complete(4)
  expect(await lane.draw(CODE, 1)).toMatchObject({ awaits: ['01'] })
  await lane.entry(CODE, 'redeemed', 10)
  await lane.entry(CODE, 'redeemed', 20)
  await lane.complete(4)
  expect(await lane.draw(CODE, 1)).toMatchObject({ awaits: [] })
})

test('the store still waits for a lane with unread facts, which may use a draw that the database lost', async ({
  skip,
}) => {
  const store = await start(skip)
  const lane = store.lane('01')
  await lane.entry(CODE, 'issued', 1000)
  await putBack(store)
  await store.query('UPDATE stream SET unread_from = applied')
  await lane.complete()
  expect(await lane.draw(CODE, 1)).toMatchObject({ awaits: ['01'] })
  await store.query('UPDATE stream SET unread_from = NULL')
  await lane.complete()
  expect(await lane.draw(CODE, 1)).toMatchObject({ awaits: [] })
})

test("a draw beyond the store's balance is quarantined for the owner, and changes no balance", async ({ skip }) => {
  const store = await start(skip)
  await store.lane('01').entry(CODE, 'issued', 500)
  await store.lane('01').transfer(CODE, 'handed-over', 500)
  await putBack(store)
  await expect(store.lane('02').transfer(CODE, 'drawn', 700)).rejects.toThrow('quarantined')
  await store.lane('01').complete()
  expect(await store.lane('01').find(CODE)).toMatchObject({ heldCents: 500 })
  expect(await store.wrong()).toEqual([])
  expect(await store.query('SELECT reason FROM fact_aside')).toEqual([{ reason: 'more than the store holds' }])
})

const LANES = ['01', '02', '03']
const STEP = fc.record({
  what: fc.constantFrom('issue' as const, 'hand-over' as const, 'pay' as const, 'give-back' as const),
  lane: fc.constantFrom(...LANES),
  cents: fc.integer({ min: 1, max: 400 }),
})
type Step = typeof STEP extends fc.Arbitrary<infer One> ? One : never

async function work(store: VoucherLanes, code: string, steps: readonly Step[]): Promise<void> {
  const [here, paid] = [new Map<string, number>(), new Map<string, number>()]
  const add = (to: Map<string, number>, id: string, cents: number) => to.set(id, (to.get(id) ?? 0) + cents)
  for (const { what, lane: id, cents } of steps) {
    const lane = store.lane(id)
    if (what === 'issue') {
      await lane.entry(code, 'issued', cents)
      add(here, id, cents)
    } else if (what === 'hand-over' && (here.get(id) ?? 0) >= cents) {
      await lane.transfer(code, 'handed-over', cents)
      add(here, id, -cents)
    } else if (what === 'pay') {
      const draw = randomUUID()
      if ((await lane.draw(code, cents, draw)).kind === 'refused') continue
      await lane.transfer(code, 'drawn', cents, draw)
      await lane.entry(code, 'redeemed', cents)
      add(paid, id, cents)
    } else if (what === 'give-back' && (paid.get(id) ?? 0) >= cents) {
      await lane.entry(code, 'given-back', cents)
      add(paid, id, -cents)
      add(here, id, cents)
    }
  }
}

test("replaying a store's facts into an empty store gives the same result in any order", async ({ skip }) => {
  const [store, empty] = [await start(skip), await start(skip)]
  const sold: Step[] = [
    { what: 'issue', lane: '01', cents: 900 },
    { what: 'hand-over', lane: '01', cents: 800 },
  ]
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(STEP, { minLength: 5, maxLength: 25 }),
      fc.array(fc.record({ lane: fc.constantFrom(...LANES), facts: fc.integer({ min: 1, max: 5 }) })),
      async (steps, order) => {
        const code = `CODE-${String((run += 1)).padStart(4, '0')}`
        await work(store, code, [...sold, ...steps])
        for (const { lane, facts } of [...order, ...LANES.map((id) => ({ lane: id, facts: 1_000 }))]) {
          const sentBefore = empty.lane(lane).sent().length
          const next = store
            .lane(lane)
            .sent()
            .slice(sentBefore, sentBefore + facts)
          if (next.length > 0) await empty.lane(lane).send(next, 'some may wait')
        }
        for (const sql of BOOKS) expect(await empty.query(sql)).toEqual(await store.query(sql))
        expect(await empty.wrong()).toEqual([])
        expect(await empty.query('SELECT * FROM fact_aside')).toEqual([])
      },
    ),
    { numRuns: 12, examples: [[OUT_OF_ORDER.steps, OUT_OF_ORDER.order]] },
  )
})
const OUT_OF_ORDER: { readonly steps: Step[]; readonly order: { lane: string; facts: number }[] } = {
  steps: [
    { what: 'give-back', lane: '03', cents: 212 },
    { what: 'pay', lane: '02', cents: 11 },
    { what: 'pay', lane: '03', cents: 323 },
    { what: 'issue', lane: '01', cents: 277 },
    { what: 'issue', lane: '03', cents: 150 },
    { what: 'pay', lane: '03', cents: 283 },
    { what: 'pay', lane: '03', cents: 244 },
    { what: 'issue', lane: '02', cents: 265 },
    { what: 'hand-over', lane: '01', cents: 246 },
    { what: 'pay', lane: '02', cents: 365 },
    { what: 'give-back', lane: '02', cents: 279 },
    { what: 'give-back', lane: '03', cents: 60 },
    { what: 'give-back', lane: '03', cents: 123 },
    { what: 'hand-over', lane: '02', cents: 336 },
    { what: 'issue', lane: '03', cents: 197 },
    { what: 'pay', lane: '01', cents: 384 },
  ],
  order: [
    { lane: '03', facts: 5 },
    { lane: '01', facts: 3 },
    { lane: '02', facts: 1 },
    { lane: '01', facts: 5 },
    { lane: '03', facts: 2 },
    { lane: '01', facts: 5 },
    { lane: '01', facts: 1 },
  ],
}
const BOOKS = [
  'SELECT hash, held_cents, issued_cents, redeemed_cents, given_back_cents FROM voucher_account ORDER BY hash',
  'SELECT hash, lane, cents FROM voucher_at_lane ORDER BY hash, lane',
  "SELECT id, hash, lane, amount_cents, state FROM voucher_ledger WHERE state IN ('handed-over', 'taken') ORDER BY id",
]
