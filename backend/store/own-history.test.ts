import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { backUp } from '../features/maintenance/backups.fixture.ts'
import { restoreDatabase } from '../restore.ts'
import { useCentral } from '../testing/central.ts'
import { useStore } from '../testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../testing/terminal-harness.ts'

const central = useCentral()
const store = useStore('01')
const LATER = { timeout: 15_000, interval: 50 }

const People = z.object({
  people: z.array(
    z.looseObject({ id: z.string(), name: z.string(), role: z.string(), locale: z.string(), active: z.boolean() }),
  ),
})
const alexAt = async (lane: TerminalHarness) =>
  People.parse((await lane.call('GET', '/api/people')).body).people.find(({ id }) => id === 'alex')
const connected = (lane: TerminalHarness) =>
  vi.waitFor(
    async () =>
      expect((await lane.call('GET', '/api/store')).body).toMatchObject({ kind: 'connected', untold: 0, aside: 0 }),
    LATER,
  )
const isDismissed = (lane: TerminalHarness) =>
  vi.waitFor(async () => expect(await alexAt(lane)).toMatchObject({ active: false }), LATER)

test('who was dismissed at a lane stays so there when it goes back to a backup, or begins anew', async ({ skip }) => {
  const options = { store: store.place(skip, '01'), laneId: '01', staffId: 'sam' } as const
  const lane = await openTerminalHarness(central, options)
  await connected(lane)
  const backup = await backUp(lane)
  const seen = await alexAt(lane)
  if (!seen) throw new Error('Alex works here')
  const { name, role, locale, active } = seen
  const change = { seen: { name, role, locale, active }, name, role, locale, active: false }
  expect((await lane.call('PUT', '/api/people/alex', change)).status).toBe(200)
  await connected(lane)
  await lane.close()

  restoreDatabase(lane.folder, join(lane.folder, 'backups', backup), null)
  const restored = await openTerminalHarness(central, { ...options, folder: lane.folder })
  await isDismissed(restored)
  await connected(restored)
  await restored.close()
  const replaced = await openTerminalHarness(central, options)
  await isDismissed(replaced)
  await connected(replaced)
})
