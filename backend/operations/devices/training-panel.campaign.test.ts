import { describe, expect, test } from 'vitest'
import { TrainingPanel } from '../../../contracts/operations/training.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

const panelOf = async (harness: TerminalHarness): Promise<TrainingPanel> =>
  TrainingPanel.parse((await harness.call('GET', '/api/training/panel')).body)
const play = async (harness: TerminalHarness, scenario: string): Promise<TrainingPanel> =>
  TrainingPanel.parse((await harness.call('POST', '/api/training/play', { scenario })).body)

async function shows(harness: TerminalHarness, fits: (panel: TrainingPanel) => boolean): Promise<TrainingPanel> {
  for (;;) {
    const panel = await panelOf(harness)
    if (fits(panel)) return panel
    await harness.next()
  }
}

const scannerIs = (harness: TerminalHarness, state: string) =>
  harness.event(
    (event): event is Extract<TerminalEvent, { type: 'device-health' }> =>
      event.type === 'device-health' && event.device.role === 'scanner' && event.device.state === state,
  )

async function sellForCash(harness: TerminalHarness): Promise<string> {
  const sale = await harness.current()
  if (!sale) throw new Error('nothing is rung')
  await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
    kind: 'cash',
    version: sale.version,
    tenderedCents: 10_000,
  })
  return sale.id
}

test('the training panel shows the customer’s display and the printed paper, without balances', async () => {
  const harness = await openTerminalHarness(central)
  expect(await panelOf(harness)).toMatchObject({
    devices: ['card-reader', 'scanner', 'printer', 'line-display'].map((role) => ({ role, plugged: true })),
    printer: { paper: 'ok', cover: 'closed', drawer: 'closed', drawerHeld: false, answers: true },
    waiting: [],
    lastPaper: null,
  })
  await harness.ring('1010')
  await harness.swipe('fine')
  await shows(harness, (panel) => /^TOTAL +\$/.test(panel.display?.[1] ?? ''))
  const id = await sellForCash(harness)
  await harness.printed(id)
  const { lastPaper } = await shows(harness, (panel) => panel.lastPaper !== null)
  expect(lastPaper).toContain('TOTAL')
  expect(lastPaper).toContain(`[Code 128: ${id}]`)
  const { body: receipt } = await harness.call('GET', `/api/sales/${id}/receipt`)
  expect(receipt.hasPaperOnly).toBe(true)
  const document = harness.read<{ document: string }>('SELECT document FROM print_job')[0]?.document ?? '{}'
  const balances = (
    JSON.parse(document) as { blocks: { paperOnly?: boolean; text?: string; left?: string }[] }
  ).blocks.filter(({ paperOnly }) => paperOnly)
  expect(balances.length).toBeGreaterThan(0)
  const lines = balances
    .flatMap(({ text, left }) => (text ?? left ?? '').split('\n').map((line) => line.trim()))
    .filter((line) => line !== '')
  expect(lines.filter((line) => lastPaper?.includes(line))).toEqual([])
})

test('on the training panel, paper that runs out during a receipt leaves the print outcome unknown', async () => {
  const harness = await openTerminalHarness(central)
  await harness.ring('1010')
  expect((await play(harness, 'paper-out-during-job')).waiting).toEqual(['paper-out-during-job'])
  const id = await sellForCash(harness)
  await harness.printed(id, 'unknown')
  expect(await panelOf(harness)).toMatchObject({ waiting: [], printer: { paper: 'out' } })
  expect(await play(harness, 'all-well')).toMatchObject({ printer: { paper: 'ok' } })
})

describe('the loyalty service on the training panel', () => {
  const treat = async (harness: TerminalHarness, condition: string): Promise<TrainingPanel> =>
    TrainingPanel.parse((await harness.call('POST', '/api/training/central', { condition })).body)
  const echo = async (harness: TerminalHarness): Promise<string> =>
    String((await harness.call('POST', '/api/diagnostics/echo')).body.outcome)
  const quick = { limits: { cashTimeoutMs: 300 }, staffId: 'sam' } as const

  test('is slow, silent, wrong or unavailable for the lane until the trainee restores it', async () => {
    const harness = await openTerminalHarness(central, quick)
    expect((await panelOf(harness)).central).toBe('well')
    for (const [condition, outcome] of [
      ['slow', 'timeout'],
      ['silent', 'timeout'],
      ['wrong', 'malformed'],
      ['away', 'outage'],
    ] as const) {
      expect((await treat(harness, condition)).central).toBe(condition)
      expect(await echo(harness), condition).toBe(outcome)
      expect((await panelOf(harness)).central).toBe(condition)
      expect((await play(harness, 'all-well')).central).toBe('well')
      expect(await echo(harness), `after ${condition}`).toBe('approved')
    }
  })
  test('replaces its fault by the next one, can be restored, and notifies the windows of a change', async () => {
    const harness = await openTerminalHarness(central, quick)
    await treat(harness, 'away')
    await harness.event(
      (event): event is Extract<TerminalEvent, { type: 'training-changed' }> => event.type === 'training-changed',
    )
    await treat(harness, 'wrong')
    expect(await echo(harness)).toBe('malformed')
    expect((await treat(harness, 'well')).central).toBe('well')
    expect(await echo(harness)).toBe('approved')
    expect((await harness.call('POST', '/api/training/central', { condition: 'moody' })).status).toBe(400)
  })
  test('redeems the miles once when its answer is lost, because it recognises the retry', async () => {
    const harness = await openTerminalHarness(central, { limits: { cashTimeoutMs: 2_000 } })
    const before = await central.balances('80000000011')
    await harness.ring('1010')
    const sale = await harness.swipe('fine')
    expect((await treat(harness, 'answer-lost')).central).toBe('answer-lost')
    await harness.call('POST', `/api/sales/${sale.id}/redemption`, { version: sale.version, units: 1 })
    expect(await harness.untilOperation('redeem', 'approved')).toMatchObject({ state: 'approved' })
    expect((await panelOf(harness)).central).toBe('well')
    expect((await central.balances('80000000011')).cash).toBe(before.cash - 95)
  })
  test('is absent from the panel without a reachable control port; its actions are refused with a cause', async () => {
    const none = await openTerminalHarness(central, { controlUrl: null })
    expect((await panelOf(none)).central).toBeNull()
    expect(await none.refused('POST', '/api/training/central', { condition: 'slow' })).toBe('training-only')
    const gone = await openTerminalHarness(central, { controlUrl: 'http://127.0.0.1:9' })
    expect((await panelOf(gone)).central).toBeNull()
    expect(await gone.refused('POST', '/api/training/central', { condition: 'slow' })).toBe('training-central-away')
  })
})

test('a trainee unplugs the scanner’s cable and plugs it in again; the lane’s driver detects both', async () => {
  const harness = await openTerminalHarness(central)
  expect((await play(harness, 'scanner-unplugged')).devices).toContainEqual({ role: 'scanner', plugged: false })
  await scannerIs(harness, 'unavailable')
  expect((await play(harness, 'scanner-plugged')).devices).toContainEqual({ role: 'scanner', plugged: true })
  await scannerIs(harness, 'ready')
  expect((await harness.call('POST', '/api/training/play', { scenario: 'no-such-thing' })).status).toBe(400)
})

test('during a sale, the line display changes to the language of the cashier who signs in', async () => {
  const harness = await openTerminalHarness(central)
  const reads = async (item: string): Promise<string | undefined> =>
    (await shows(harness, ({ display }) => display?.[0]?.startsWith(item) ?? false)).display?.[1]
  await harness.ring('1001')
  expect(await reads('Apples')).toContain('$6.99')
  await harness.call('POST', '/api/sign-in', { staffId: 'marie', pin: '1234' })
  expect(await reads('Pommes')).toContain('6,99 $')
  await harness.call('PUT', '/api/staff/me/locale', { locale: 'en-CA' })
  expect(await reads('Apples')).toContain('$6.99')
})
