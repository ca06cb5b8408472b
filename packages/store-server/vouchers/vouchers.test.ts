import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { usePostgres } from '../testing/postgres.ts'
import { hashOf, startVoucherLanes, type VoucherLanes } from '../testing/voucher-lanes.ts'

const postgres = usePostgres({ fsync: false })
const CODE = 'CODE-ABCD'
let running: VoucherLanes | null = null
afterEach(async () => {
  await running?.close()
  running = null
})

async function start(skip: Parameters<typeof postgres.database>[0], servers = 1): Promise<VoucherLanes> {
  running = await startVoucherLanes(await postgres.database(skip), servers)
  return running
}
async function held(store: VoucherLanes, amountCents: number, code = CODE): Promise<void> {
  await store.lane('01').entry(code, 'issued', amountCents)
  await store.lane('01').transfer(code, 'handed-over', amountCents)
}

describe('a draw', () => {
  test('takes at most the store’s balance; the answer has that balance and the amounts at lanes', async ({ skip }) => {
    const store = await start(skip)
    expect(await store.lane('02').find(CODE)).toEqual({ kind: 'unknown' })
    await held(store, 1000)
    await store.lane('03').entry(CODE, 'issued', 250)
    expect(await store.lane('02').draw(CODE, 700)).toMatchObject({
      kind: 'granted',
      heldCents: 300,
      at: [{ lane: '03', cents: 250 }],
    })
    expect(await store.lane('02').draw(CODE, 301)).toMatchObject({ kind: 'refused', heldCents: 300, isDrawn: true })
    expect(await store.wrong()).toEqual([])
  })

  test('is granted once when repeated, also concurrently and at two servers', async ({ skip }) => {
    const store = await start(skip, 2)
    await held(store, 1000)
    const id = randomUUID()
    const asked = await Promise.all(Array.from({ length: 10 }, () => store.lane('02').draw(CODE, 400, id)))
    expect(asked.map(({ kind }) => kind)).toEqual(asked.map(() => 'granted'))
    expect(await store.lane('02').find(CODE)).toMatchObject({ heldCents: 600 })
    expect(await store.lane('03').draw(CODE, 400, id), 'an id is one lane’s').toMatchObject({ kind: 'refused' })
    expect(await store.lane('02').draw(CODE, 500, id), 'and one amount’s').toMatchObject({ kind: 'refused' })
    expect(await store.lane('02').find(CODE)).toMatchObject({ heldCents: 600 })
    expect(await store.wrong()).toEqual([])
  })

  test('stays refused when it is repeated after the balance has grown', async ({ skip }) => {
    const store = await start(skip)
    const id = randomUUID()
    await held(store, 100)
    expect(await store.lane('02').draw(CODE, 200, id)).toMatchObject({ kind: 'refused' })
    await store.lane('01').entry(CODE, 'issued', 100)
    await store.lane('01').transfer(CODE, 'handed-over', 100)
    expect(await store.lane('02').draw(CODE, 200, id)).toMatchObject({ kind: 'refused' })
    expect(await store.lane('02').cancel(CODE, 200, id)).toEqual({ kind: 'cancelled' })
    expect(await store.lane('02').find(CODE), 'nothing was taken, nothing comes back').toMatchObject({ heldCents: 200 })
    expect(await store.lane('02').draw(CODE, 200)).toMatchObject({ kind: 'granted' })
    expect(await store.wrong()).toEqual([])
  })

  test('returns its amount once when cancelled; a draw that is cancelled before it arrives is refused', async ({
    skip,
  }) => {
    const store = await start(skip)
    await held(store, 1000)
    const [granted, late] = [randomUUID(), randomUUID()]
    await store.lane('02').draw(CODE, 400, granted)
    for (const _ of [1, 2]) expect(await store.lane('02').cancel(CODE, 400, granted)).toEqual({ kind: 'cancelled' })
    expect(await store.lane('02').find(CODE)).toMatchObject({ heldCents: 1000 })
    expect(await store.lane('02').cancel(CODE, 300, late)).toEqual({ kind: 'cancelled' })
    expect(await store.lane('02').draw(CODE, 300, late)).toMatchObject({ kind: 'refused', heldCents: 1000 })
    expect(await store.lane('02').draw(CODE, 400, granted)).toMatchObject({ kind: 'refused', heldCents: 1000 })
    expect(await store.wrong()).toEqual([])
  })

  test('cannot be cancelled after the lane reported that it received the value', async ({ skip }) => {
    const store = await start(skip)
    await held(store, 1000)
    const id = randomUUID()
    await store.lane('02').draw(CODE, 400, id)
    await store.lane('02').transfer(CODE, 'drawn', 400, id)
    expect(await store.lane('02').cancel(CODE, 400, id)).toEqual({ kind: 'taken' })
    expect(await store.lane('01').find(CODE)).toMatchObject({ heldCents: 600, at: [{ lane: '02', cents: 400 }] })
    expect(await store.wrong()).toEqual([])
  })

  test('is either returned or never granted when it is cancelled concurrently', async ({ skip }) => {
    const store = await start(skip, 2)
    await held(store, 1000)
    for (let round = 0; round < 20; round += 1) {
      const id = randomUUID()
      await Promise.all([store.lane('02').draw(CODE, 900, id), store.lane('02').cancel(CODE, 900, id)])
      await store.lane('02').cancel(CODE, 900, id)
    }
    expect(await store.lane('02').find(CODE)).toMatchObject({ heldCents: 1000 })
    expect(await store.wrong()).toEqual([])
  })
})

describe('voucher facts of a lane', () => {
  test('are counted once when repeated; the fact of a refused draw is quarantined', async ({ skip }) => {
    const store = await start(skip)
    await held(store, 1000)
    await store.lane('01').sendAgain()
    await store.lane('01').sendInNewStream()
    expect(await store.lane('02').find(CODE)).toMatchObject({ heldCents: 1000, at: [] })
    const refused = randomUUID()
    await store.lane('02').draw(CODE, 1001, refused)
    await expect(store.lane('02').transfer(CODE, 'drawn', 1001, refused)).rejects.toThrow('quarantined')
    expect(await store.lane('02').find(CODE)).toMatchObject({ heldCents: 1000, at: [] })
    expect(await store.wrong()).toEqual([])
  })

  test('do not deadlock when vouchers are pushed in a different order', async ({ skip }) => {
    const store = await start(skip, 2)
    const codes = ['A-AAAA', 'B-BBBB', 'C-CCCC']
    const sendIn = async (lane: string, order: readonly string[]) => {
      for (let round = 0; round < 15; round += 1) await store.lane(lane).issued(order, 100)
    }
    await Promise.all([sendIn('01', codes), sendIn('02', codes.toReversed()), sendIn('03', codes)])
    expect(await store.wrong()).toEqual([])
    expect(await store.query('SELECT sum(issued_cents) AS sum FROM voucher_account')).toEqual([{ sum: 13500 }])
  })

  test('are returned to their lane on request, as values with the sealed voucher code, and to no other lane', async ({
    skip,
  }) => {
    const store = await start(skip)
    await held(store, 1000)
    await store.lane('02').entry(CODE, 'issued', 250)
    expect(await store.lane('01').vouchersAtLane()).toMatchObject({ vouchers: [] })
    const { vouchers } = await store.lane('02').vouchersAtLane()
    expect(vouchers).toMatchObject([{ hash: hashOf(CODE), cents: 250, sealed: 'c2VhbGVk', about: 'voucher-entry 1' }])
  })
})

test('each cent of a voucher is in exactly one place after any steps of lanes in any order', async ({ skip }) => {
  const store = await start(skip)
  const LANES = ['01', '02', '03']
  const lane = fc.constantFrom(...LANES)
  const cents = fc.integer({ min: 1, max: 400 })
  const step = fc.oneof(
    fc.record({ what: fc.constant('issue' as const), lane, cents }),
    fc.record({ what: fc.constant('hand-over' as const), lane, cents }),
    fc.record({ what: fc.constantFrom('pay' as const, 'lost-answer' as const), lane, cents }),
    fc.record({ what: fc.constantFrom('cancel' as const, 'give-back' as const), lane, cents }),
  )
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const code = `CODE-${String((run += 1)).padStart(4, '0')}`
      const model = { held: 0, at: new Map(LANES.map((id) => [id, 0])), paid: new Map(LANES.map((id) => [id, 0])) }
      const isIssued = steps.some(({ what }) => what === 'issue')
      const decided: { kind: string; fits: boolean }[] = []
      const open: { lane: string; id: string; cents: number }[] = []
      const at = (id: string, by = 0): number => {
        model.at.set(id, (model.at.get(id) ?? 0) + by)
        return model.at.get(id) ?? 0
      }
      for (const { what, lane: id, cents: amount } of steps) {
        const one = store.lane(id)
        if (what === 'issue') {
          await one.entry(code, 'issued', amount)
          at(id, amount)
        } else if (what === 'hand-over' && at(id) >= amount) {
          await one.transfer(code, 'handed-over', amount)
          at(id, -amount)
          model.held += amount
        } else if (what === 'pay' || what === 'lost-answer') {
          const draw = randomUUID()
          const { kind } = await one.draw(code, amount, draw)
          decided.push({ kind, fits: model.held >= amount })
          if (kind === 'refused') continue
          model.held -= amount
          if (what === 'lost-answer') {
            open.push({ lane: id, id: draw, cents: amount })
            continue
          }
          await one.transfer(code, 'drawn', amount, draw)
          await one.entry(code, 'redeemed', amount)
          model.paid.set(id, (model.paid.get(id) ?? 0) + amount)
        } else if (what === 'cancel') {
          const left = open.pop()
          if (!left) continue
          await store.lane(left.lane).cancel(code, left.cents, left.id)
          model.held += left.cents
        } else if (what === 'give-back' && (model.paid.get(id) ?? 0) >= amount) {
          await one.entry(code, 'given-back', amount)
          model.paid.set(id, (model.paid.get(id) ?? 0) - amount)
          at(id, amount)
        }
      }
      expect(decided.filter(({ kind, fits }) => fits !== (kind === 'granted'))).toEqual([])
      const lanes = [...model.at].flatMap(([id, amount]) => (amount > 0 ? [{ lane: id, cents: amount }] : []))
      const known = { kind: 'known', heldCents: model.held, at: lanes }
      expect(await store.lane('09').find(code)).toMatchObject(isIssued ? known : { kind: 'unknown' })
      expect(await store.wrong()).toEqual([])
    }),
    { numRuns: 40 },
  )
})

test('draws by thirty lanes on one gift card at the same moment never exceed the card’s value', async ({ skip }) => {
  const store = await start(skip, 2)
  await held(store, 1000)
  const lanes = Array.from({ length: 30 }, (_, index) => store.lane(String(index + 1).padStart(2, '0')))
  const answers = await Promise.all(lanes.flatMap((one) => [one.draw(CODE, 70), one.draw(CODE, 45)]))
  const granted = answers.filter(({ kind }) => kind === 'granted').length
  expect(granted).toBeGreaterThanOrEqual(14)
  const [{ held_cents: left } = {}] = await store.query('SELECT held_cents FROM voucher_account')
  const [{ sum } = {}] = await store.query("SELECT sum(amount_cents) FROM voucher_ledger WHERE state = 'granted'")
  expect(Number(sum) + Number(left)).toBe(1000)
  expect(Number(left), 'as much as there was for').toBeLessThan(45)
  expect(await store.wrong()).toEqual([])
})
