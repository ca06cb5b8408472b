import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { MAX_HOLDS } from '../../../contracts/store/holds.ts'
import { endWaitForLane, noteVector } from '../lanes/awaited.ts'
import { createStreamProofs } from '../lanes/key-files.ts'
import { usePostgres } from '../testing/postgres.ts'
import { LIST } from './holds.sql.ts'
import { CONTENT, contend, of, openHolds, saleOf } from './holds.fixture.ts'
import { reserveHold, listHolds, offerHold } from './holds.sql.ts'

const postgres = usePostgres({ fsync: false })

test('one of thirty concurrent lanes resumes a held sale, and the others receive the number of that lane', async ({
  skip,
}) => {
  expect(await contend(await openHolds(await postgres.database(skip)), 15)).toBe(15)
})

test('a repeated request to reserve a held sale is idempotent, and a released reservation is never granted', async ({
  skip,
}) => {
  const { one, reserve, hold, decide, resumed } = await openHolds(await postgres.database(skip))
  const sale = saleOf(1)
  await hold(sale)
  const id = randomUUID()
  expect(await reserve('02', sale, id)).toMatchObject({ kind: 'yours', lane: '01', content: CONTENT })
  expect(await reserve('02', sale, id)).toMatchObject({ kind: 'yours' })
  expect((await listHolds(one, of('03'))).holds[0]).toMatchObject({ lane: '01', sale, claimedBy: '02' })
  await decide('03', { kind: 'back', claim: id })
  expect(await reserve('03', sale)).toEqual({ kind: 'taken', lane: '02' })
  await decide('02', { kind: 'back', claim: id })
  expect(await reserve('02', sale, id)).toEqual({ kind: 'gone' })
  const late = randomUUID()
  await decide('02', { kind: 'back', claim: late })
  expect(await reserve('02', sale, late)).toEqual({ kind: 'gone' })
  const mine = randomUUID()
  expect(await reserve('03', sale, mine)).toMatchObject({ kind: 'yours' })
  await resumed('03', mine, 'N1010300000001K7QZ', sale)
  await resumed('03', mine, 'N1010300000001K7QZ', sale)
  await decide('03', { kind: 'back', claim: mine })
  expect(await reserve('02', sale)).toEqual({ kind: 'taken', lane: '03' })
  expect((await listHolds(one, of('01'))).holds).toEqual([])
})

test('a held sale not yet given to the store, or resumed by its own lane, is not available to another lane', async ({
  skip,
}) => {
  const { one, offered, reserve, decide } = await openHolds(await postgres.database(skip))
  const body = offered(saleOf(1))
  await offerHold(one, of('01'), body)
  expect(await offerHold(one, of('01'), body)).toBe(true)
  expect(await reserve('02', body.sale)).toEqual({ kind: 'gone' })
  expect((await listHolds(one, of('02'))).holds).toEqual([])
  // Lane 01 holds the sale again before the store has received the end of the first hold.
  expect(await offerHold(one, of('01'), offered(body.sale))).toBe(false)
  await decide('01', { kind: 'kept', hold: body.hold, sale: body.sale })
  await decide('01', { kind: 'given', hold: body.hold })
  expect(await reserve('02', body.sale)).toEqual({ kind: 'gone' })
  const late = offered(body.sale)
  await decide('01', { kind: 'kept', hold: late.hold, sale: late.sale })
  await offerHold(one, of('01'), late)
  expect(await offerHold(one, of('01'), offered(body.sale))).toBe(true)
})

test('a lane cannot offer a held sale of another lane, and its attempt does not prevent that lane’s offer', async ({
  skip,
}) => {
  const { one, offered, hold } = await openHolds(await postgres.database(skip))
  const sale = saleOf(1)
  expect(await offerHold(one, of('02'), offered(sale))).toBe(false)
  await hold(sale)
  expect((await listHolds(one, of('03'))).holds).toMatchObject([{ lane: '01', sale }])
})

test('the list of held sales contains the newest ones in order, up to its limit', async ({ skip }) => {
  const { one, offered, decide } = await openHolds(await postgres.database(skip))
  for (let number = 0; number <= MAX_HOLDS; number += 1) {
    const body = offered(saleOf(number))
    await offerHold(one, of('01'), { ...body, heldAt: body.heldAt + number })
    await decide('01', { kind: 'given', hold: body.hold })
  }
  const expected = Array.from({ length: MAX_HOLDS }, (_, at) => saleOf(at + 1))
  expect((await listHolds(one, of('02'))).holds.map(({ sale }) => sale)).toEqual(expected)
})

test('a lane that has the current list of held sales receives no content until the list changes', async ({ skip }) => {
  const { one, other, reserve, hold, decide, resumed } = await openHolds(await postgres.database(skip))
  let known = (await listHolds(one, of('02'))).version
  const isAvailable = async (): Promise<boolean> => {
    const { unchanged, version, holds } = await listHolds(other, of('02'), known)
    expect(holds.length === 0 || !unchanged).toBe(true)
    known = version
    return unchanged
  }
  expect(await isAvailable()).toBe(true)
  await hold(saleOf(1))
  await hold(saleOf(2))
  expect([await isAvailable(), await isAvailable()]).toEqual([false, true])
  const id = randomUUID()
  await reserve('03', saleOf(1), id)
  expect([await isAvailable(), await isAvailable()]).toEqual([false, true])
  await decide('03', { kind: 'back', claim: id })
  expect([await isAvailable(), await isAvailable()]).toEqual([false, true])
  await decide('03', { kind: 'copied', sale: saleOf(1) })
  expect([await isAvailable(), await isAvailable()]).toEqual([false, true])
  await reserve('03', saleOf(2), randomUUID())
  await isAvailable()
  const again = randomUUID()
  await reserve('04', saleOf(1), again)
  await isAvailable()
  await resumed('04', again, 'N1010400000001K7QZ', saleOf(1))
  expect([await isAvailable(), await isAvailable()]).toEqual([false, true])
  expect((await listHolds(one, of('02'))).holds, 'a lane without a version gets the list').toHaveLength(1)
  expect((await listHolds(one, { store: 'OTHER', lane: '02' }, known)).unchanged, 'of its own store').toBe(false)
})

test('the list of held sales uses its index, however many earlier holds exist', async ({ skip }) => {
  const { database, one, hold } = await openHolds(await postgres.database(skip))
  await hold(saleOf(1))
  await database.query(`INSERT INTO held_sale (id, store, lane, sale, state, held_at, claim, claimed_by, resumed_as)
    SELECT gen_random_uuid(), 'STORE', '01', 'S' || at, 'resumed', at, gen_random_uuid(), '02', 'R' || at
    FROM generate_series(1, 5000) AS at`)
  await database.query('ANALYZE held_sale')
  const { version } = await listHolds(one, of('02'))
  const { rows } = await database.query(`EXPLAIN (COSTS OFF) ${LIST}`, ['STORE', MAX_HOLDS, [], version])
  const plan = JSON.stringify(rows)
  expect(plan).toContain('held_sale_of_store')
  expect(plan).not.toContain('Seq Scan')
})

test('the list shows which lane rang a copy of a held sale, and other stores see no held sale', async ({ skip }) => {
  const { one, reserve, hold, decide } = await openHolds(await postgres.database(skip))
  await hold(saleOf(1))
  await decide('02', { kind: 'copied', sale: saleOf(1) })
  expect((await listHolds(one, of('03'))).holds).toMatchObject([
    { copiedAt: '02', goods: [{ sku: '1001', quantity: 2 }] },
  ])
  expect((await listHolds(one, { store: 'OTHER', lane: '01' })).holds).toEqual([])
  expect(
    await reserveHold(one, { store: 'OTHER', lane: '01' }, { protocol: 1, claim: randomUUID(), sale: saleOf(1) }),
  ).toEqual({ kind: 'gone' })
  expect(await reserve('03', saleOf(1))).toMatchObject({ kind: 'yours' })
})

test('a restored database offers no held sale that another lane had resumed', async ({ skip }) => {
  const { one, offered, reserve, hold, resumed } = await openHolds(await postgres.database(skip))
  await hold(saleOf(1))
  await resumed('02', randomUUID(), 'N1010200000001K7QZ', saleOf(1))
  expect(await reserve('03', saleOf(1))).toEqual({ kind: 'taken', lane: '02' })
  expect((await listHolds(one, of('03'))).holds).toEqual([])
  await resumed('02', randomUUID(), 'N1010200000002K7QZ', saleOf(2))
  expect(await offerHold(one, of('01'), offered(saleOf(2)))).toBe(false)
  expect(await reserve('03', saleOf(2))).toEqual({ kind: 'gone' })
  // A sale resumed at its own lane keeps its id, and the lane may hold it again before it reports the resumption.
  await hold(saleOf(3))
  const { heldAt } = offered(saleOf(3))
  await resumed('01', randomUUID(), saleOf(3), saleOf(3), heldAt - 1)
  expect(await reserve('03', saleOf(3))).toMatchObject({ kind: 'yours' })
  await hold(saleOf(4))
  await resumed('01', randomUUID(), saleOf(4), saleOf(4), heldAt + 1)
  expect(await reserve('03', saleOf(4))).toEqual({ kind: 'taken', lane: '01' })
  expect(await offerHold(one, of('01'), offered(saleOf(4)))).toBe(true)
})

const proofs = createStreamProofs(Buffer.alloc(32, 8))

test('while a restored database waits for lanes, no lane resumes a sale that a missing lane may have resumed', async ({
  skip,
}) => {
  const { database, one, reserve, hold } = await openHolds(await postgres.database(skip))
  await hold(saleOf(1))
  expect(await listHolds(one, of('03'))).toMatchObject({ awaits: false, awaitedLanes: [] })
  const stream = 'b'.repeat(32)
  const reported = { [stream]: { seq: 1, proof: proofs.of('STORE', stream, 1) } }
  await noteVector(database, of('03'), { vector: {}, reported, proofs })
  expect(await listHolds(one, of('03'))).toMatchObject({ awaits: true, awaitedLanes: [''] })
  expect(await reserve('03', saleOf(1))).toEqual({ kind: 'awaiting', lanes: [''] })
  expect((await listHolds(one, of('03'))).holds, 'and its goods can be rung as a copy').toMatchObject([
    { claimedBy: null },
  ])
  await endWaitForLane(database, { store: 'STORE', lane: '' }, 'Sam', 'lane 02 was stolen')
  expect(await reserve('03', saleOf(1))).toMatchObject({ kind: 'yours' })
})
