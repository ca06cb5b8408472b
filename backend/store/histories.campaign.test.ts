import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { backUp } from '../operations/backups/backups.fixture.ts'
import { temporaryFolder } from '../core/http/testing.ts'
import { restoreDatabase } from '../operations/restore/restore.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { useStore } from '../../packages/lab/testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const store = useStore('01', '02', '03')
const APPLES = '1001'
const LATER = { timeout: 60_000, interval: 20 }

const is = (lane: TerminalHarness, kind: string, untold: number) =>
  vi.waitFor(async () => expect((await lane.call('GET', '/api/store')).body).toMatchObject({ kind, untold }), LATER)
async function sell(lane: TerminalHarness): Promise<string> {
  const { id, version } = await lane.ring(APPLES)
  const paid = await lane.call('POST', `/api/sales/${id}/tenders`, { kind: 'cash', version, tenderedCents: 700 })
  expect(paid.status).toBe(200)
  return id
}
const kindsOf = (lane: TerminalHarness, from = 0) =>
  lane
    .events()
    .slice(from)
    .flatMap((event) => (event.type === 'store-changed' ? [event.store.kind] : []))
const Subjects = z.array(z.object({ subject: z.string() }))
const salesOf = async (lane: string): Promise<string[]> =>
  Subjects.parse(
    await store.query(
      `SELECT subject FROM fact JOIN stream ON name = stream WHERE kind = 'sale' AND lane = '${lane}'
        ORDER BY epoch, seq`,
    ),
  ).map(({ subject }) => subject)

test('of two lanes on copies of a data folder, the store server refuses the second and stores no fact of it', async ({
  skip,
}) => {
  const options = { store: store.place(skip, '01'), laneId: '01' }
  const before = await openTerminalHarness(central, options)
  const first = await sell(before)
  await is(before, 'connected', 0)
  await before.close()
  const copy = temporaryFolder()
  cpSync(before.folder, copy, { recursive: true })

  const lane = await openTerminalHarness(central, { ...options, folder: before.folder })
  const second = await sell(lane)
  await is(lane, 'connected', 0)
  // Before it connects, the lane on the copy sells as much as the original lane, so that both have the same numbers.
  const other = await openTerminalHarness(central, {
    ...options,
    store: { ...options.store, url: 'https://localhost:9' },
    folder: copy,
  })
  await sell(other)
  await other.close()
  const late = await openTerminalHarness(central, { ...options, folder: copy })
  await is(late, 'refused', 1)
  await sell(late)
  const from = late.events().length
  // Long enough for about ten tries to connect.
  await pause(2_000)
  expect(kindsOf(late, from).filter((kind) => kind !== 'refused')).toEqual([])
  await is(late, 'refused', 2)
  expect(await salesOf('01')).toEqual([first, second])
})

test('the store server refuses a lane on an older copy of its data folder before the lane sends facts', async ({
  skip,
}) => {
  const options = { store: store.place(skip, '02'), laneId: '02', staffId: 'sam' } as const
  const before = await openTerminalHarness(central, options)
  await sell(before)
  await is(before, 'connected', 0)
  await before.close()
  const image = temporaryFolder()
  cpSync(before.folder, image, { recursive: true })
  const lane = await openTerminalHarness(central, { ...options, folder: before.folder })
  await sell(lane)
  await is(lane, 'connected', 0)
  await lane.close()

  const back = await openTerminalHarness(central, { ...options, folder: image })
  await is(back, 'refused', 0)
  const late = [await sell(back), await sell(back)]
  await is(back, 'refused', 2)
  expect(await salesOf('02')).toHaveLength(2)
  // A restored backup starts a new stream, in which the refused facts are sent.
  const backup = await backUp(back)
  await back.close()
  restoreDatabase(image, join(image, 'backups', backup), null)
  const mended = await openTerminalHarness(central, { ...options, folder: image })
  await is(mended, 'connected', 0)
  expect(await salesOf('02')).toEqual(expect.arrayContaining(late))
  // Receipts that were sent in both streams count once.
  expect(await store.query("SELECT count(*)::int AS receipts FROM receipt WHERE lane = '02'")).toEqual([
    { receipts: 4 },
  ])
})

const People = z.object({
  people: z.array(
    z.looseObject({ id: z.string(), name: z.string(), role: z.string(), locale: z.string(), active: z.boolean() }),
  ),
})
const alexAt = async (lane: TerminalHarness) =>
  People.parse((await lane.call('GET', '/api/people')).body).people.find(({ id }) => id === 'alex')
const isDismissed = (lane: TerminalHarness) =>
  vi.waitFor(async () => expect(await alexAt(lane)).toMatchObject({ active: false }), LATER)

test('a person who was dismissed at a lane stays dismissed after a restore or a new installation of that lane', async ({
  skip,
}) => {
  const options = { store: store.place(skip, '03'), laneId: '03', staffId: 'sam' } as const
  const lane = await openTerminalHarness(central, options)
  await is(lane, 'connected', 0)
  const backup = await backUp(lane)
  const seen = await alexAt(lane)
  if (!seen) throw new Error('Alex works here')
  const { name, role, locale, active } = seen
  const change = { seen: { name, role, locale, active }, name, role, locale, active: false }
  expect((await lane.call('PUT', '/api/people/alex', change)).status).toBe(200)
  await is(lane, 'connected', 0)
  await lane.close()

  restoreDatabase(lane.folder, join(lane.folder, 'backups', backup), null)
  const restored = await openTerminalHarness(central, { ...options, folder: lane.folder })
  await isDismissed(restored)
  await is(restored, 'connected', 0)
  await restored.close()
  const replaced = await openTerminalHarness(central, options)
  await isDismissed(replaced)
  await is(replaced, 'connected', 0)
})
