import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { HeldSales } from '../../../contracts/sales/held-sales.ts'
import { restoreDatabase } from '../../operations/restore/restore.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'
import { backUp } from '../../operations/backups/backups.fixture.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const store = useStore('01', '02', '03', '04', '05', '06', '07', '08', '09')
const APPLES = '1001'
const PATIENCE = { timeout: 30_000, interval: 100 }

type Skip = Parameters<typeof store.place>[0]
async function openLane(skip: Skip, laneId: string, folder?: string): Promise<TerminalHarness> {
  const options = { store: store.place(skip, laneId), laneId, staffId: 'sam' as const, ...(folder && { folder }) }
  const harness = await openTerminalHarness(central, options)
  await untilSynced(harness)
  return harness
}
const untilSynced = (harness: TerminalHarness) =>
  vi.waitFor(
    async () =>
      expect((await harness.call('GET', '/api/store')).body).toMatchObject({ kind: 'connected', untold: 0, aside: 0 }),
    PATIENCE,
  )
const list = async (harness: TerminalHarness) =>
  HeldSales.parse((await harness.call('GET', '/api/sales/held')).body).sales.map(({ name, where }) => ({ name, where }))
const lists = (harness: TerminalHarness, ...all: readonly object[]) =>
  vi.waitFor(async () => expect(await list(harness)).toEqual(all), PATIENCE)
async function hold(harness: TerminalHarness, name: string) {
  const sale = await harness.ring(APPLES)
  const held = await harness.call('POST', `/api/sales/${sale.id}/hold`, { version: sale.version, name })
  expect(held.status).toBe(200)
  return held.body.sale
}
const resume = (harness: TerminalHarness, id: string, version = 0) =>
  harness.call('POST', `/api/sales/${id}/resume`, { version })

test('after a restore of the store database, lanes send all held sales again, but none that was resumed', async ({
  skip,
}) => {
  const [one, other] = [await openLane(skip, '01'), await openLane(skip, '02')]
  const before = await hold(one, 'Before')
  await lists(other, { name: 'Before', where: 'store' })
  await store.backUp()
  await hold(one, 'Since')
  await lists(other, { name: 'Before', where: 'store' }, { name: 'Since', where: 'store' })
  expect((await resume(other, before.id)).status).toBe(200)
  await untilSynced(other)
  await lists(one, { name: 'Since', where: 'store' })

  await store.restoreBackup()
  await Promise.all([untilSynced(one), untilSynced(other)])
  for (const lane of [one, other]) await lists(lane, { name: 'Since', where: 'store' })
  expect(await one.refused('POST', `/api/sales/${before.id}/resume`, { version: 0 })).toBe('sale-not-held')
  expect(await store.query("SELECT name FROM held_sale WHERE state IN ('offered', 'waiting', 'claimed')")).toEqual([
    { name: 'Since' },
  ])
})

test('a lane restored from a backup drops held sales that other lanes resumed since the backup', async ({ skip }) => {
  const [one, other] = [await openLane(skip, '03'), await openLane(skip, '04')]
  const was = await hold(one, 'Blue coat')
  const backup = await backUp(one)
  await vi.waitFor(
    async () => expect(await list(other)).toContainEqual({ name: 'Blue coat', where: 'store' }),
    PATIENCE,
  )
  expect((await resume(other, was.id)).status).toBe(200)
  await untilSynced(other)
  await one.close()
  restoreDatabase(one.folder, join(one.folder, 'backups', backup), null)

  const again = await openLane(skip, '03', one.folder)
  await vi.waitFor(async () => expect((await list(again)).map(({ name }) => name)).not.toContain('Blue coat'), PATIENCE)
  expect(await again.refused('POST', `/api/sales/${was.id}/resume`, { version: was.version })).toBe('sale-not-held')
})

async function goBack(skip: Skip, laneId: string, since: (lane: TerminalHarness) => Promise<void>) {
  const lane = await openLane(skip, laneId)
  const was = await hold(lane, 'Red scarf')
  await vi.waitFor(async () => expect(await list(lane)).toContainEqual({ name: 'Red scarf', where: 'store' }), PATIENCE)
  const backup = await backUp(lane)
  expect((await resume(lane, was.id, was.version)).status).toBe(200)
  await since(lane)
  await untilSynced(lane)
  await lane.close()
  restoreDatabase(lane.folder, join(lane.folder, 'backups', backup), null)
  const again = await openLane(skip, laneId, lane.folder)
  await vi.waitFor(() => {
    expect(again.read('SELECT state, to_lane FROM store_hold')).toEqual([{ state: 'ended', to_lane: laneId }])
  }, PATIENCE)
  return { again, id: was.id }
}

test('a lane restored from a backup drops held sales that it resumed and sold itself since the backup', async ({
  skip,
}) => {
  const { again, id } = await goBack(skip, '05', async (lane) => {
    const sale = await lane.current()
    const tender = { kind: 'cash', version: sale?.version, tenderedCents: 10_000 }
    const { body } = await lane.call('POST', `/api/sales/${sale?.id}/tenders`, tender)
    expect(body.sale).toMatchObject({ state: 'completed' })
  })
  expect((await list(again)).map(({ name }) => name)).not.toContain('Red scarf')
  expect(await again.refused('POST', `/api/sales/${id}/resume`, { version: 0 })).toBe('held-sale-taken')
  expect(await again.current()).toBeNull()
  expect(await store.query("SELECT state FROM held_sale WHERE lane = '05'")).toEqual([{ state: 'resumed' }])
})

test('a restored lane resumes a held sale in its newest state, even one that it had resumed before', async ({
  skip,
}) => {
  const { again, id } = await goBack(skip, '06', async (lane) => {
    await hold(lane, 'Two scarves')
    await vi.waitFor(
      async () => expect(await list(lane)).toContainEqual({ name: 'Two scarves', where: 'store' }),
      PATIENCE,
    )
  })
  expect(await list(again)).toContainEqual({ name: 'Two scarves', where: 'store' })
  const { body } = await resume(again, id)
  expect(body.sale).toMatchObject({ state: 'open', lines: [{ quantity: 2 }] })
  await vi.waitFor(
    async () => expect((await list(again)).map(({ name }) => name)).not.toContain('Two scarves'),
    PATIENCE,
  )
})

test('a sale that an offline lane may have sold cannot be resumed before that lane has reported', async ({ skip }) => {
  const [one, other] = [await openLane(skip, '07'), await openLane(skip, '08')]
  const was = await hold(one, 'Green hat')
  const hat = async (harness: TerminalHarness) => (await list(harness)).filter(({ name }) => name === 'Green hat')
  const hats = (harness: TerminalHarness, ...all: readonly object[]) =>
    vi.waitFor(async () => expect(await hat(harness)).toEqual(all), PATIENCE)
  await hats(other, { name: 'Green hat', where: 'store' })
  await untilSynced(one)
  await store.backUp()
  expect((await resume(other, was.id)).status).toBe(200)
  await untilSynced(other)
  await hats(one)
  await other.close()
  await store.restoreBackup()
  const third = await openTerminalHarness(central, { store: store.place(skip, '09'), laneId: '09', staffId: 'sam' })
  await hats(third, { name: 'Green hat', where: 'awaited' })
  const refused = await third.call('POST', `/api/sales/${was.id}/resume`, { version: 0 })
  // The awaited lanes include offline lanes of other tests.
  expect(refused.body).toMatchObject({
    code: 'held-sale-lanes-awaited',
    details: expect.arrayContaining([{ path: 'awaited', message: '08' }]),
  })
  const again = await openLane(skip, '08', other.folder)
  await hats(third)
  expect(await again.current()).not.toBeNull()
})
