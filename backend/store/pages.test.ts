import { expect, test, vi, type TestContext } from 'vitest'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { useStore } from '../../packages/lab/testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const store = useStore('01', '02')

const open = (skip: TestContext['skip'], laneId: string, token?: string) =>
  openTerminalHarness(central, {
    store: { ...store.place(skip, laneId), ...(token === undefined ? {} : { token }) },
    laneId,
    staffId: 'sam',
  })
const state = async (here: TerminalHarness) => (await here.call('GET', '/api/store')).body
const becomes = (here: TerminalHarness, kind: string) =>
  vi.waitFor(async () => expect(await state(here)).toMatchObject({ kind }), { timeout: 60_000 })
const hold = (table: string, seconds: number): Promise<unknown> =>
  store.query(`DO $$ BEGIN LOCK TABLE ${table}; PERFORM pg_sleep(${seconds}); END $$`)

test('the store server stays connected for the checkout while a manager page times out', async ({ skip }) => {
  const here = await open(skip, '01')
  await becomes(here, 'connected')
  const before = here.events().length
  const held = hold('overview_original', 4)
  // The page may be answered before the database lock is held, so request the page until it is refused.
  await vi.waitFor(
    async () => expect(await here.refused('GET', '/api/store/reconciliation')).toBe('store-pages-away'),
    {
      timeout: 60_000,
      interval: 5,
    },
  )
  expect(await state(here)).toMatchObject({ kind: 'connected' })
  const changes = here.events().slice(before)
  expect(changes.filter(({ type }) => type === 'store-changed')).toEqual([])
  await held
  expect((await here.call('GET', '/api/store/reconciliation')).status).toBe(200)
})

test('store pages are returned while the checkout does not use a slow store server', async ({ skip }) => {
  const here = await open(skip, '02')
  await becomes(here, 'connected')
  const held = hold('receipt', 2)
  await vi.waitFor(
    async () => {
      await here.call('GET', '/api/sales/earlier?q=K7Q2')
      expect(await state(here)).toMatchObject({ kind: 'slow' })
    },
    { timeout: 5_000, interval: 20 },
  )
  expect((await here.call('GET', '/api/store/lanes')).status).toBe(200)
  await held
})

test('store pages are refused at a lane that the store server does not know', async ({ skip }) => {
  const here = await open(skip, '02', 'x'.repeat(43))
  await becomes(here, 'refused')
  expect(await here.refused('GET', '/api/store/lanes')).toBe('store-pages-refused')
})
