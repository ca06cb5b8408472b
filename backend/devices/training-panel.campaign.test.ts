import { describe, expect, test } from 'vitest'
import { TrainingPanel } from '../../contracts/api/training.ts'
import type { TerminalEvent } from '../../contracts/events.ts'
import { useCentre } from '../testing/centre.ts'
import { openCounter, type Counter } from '../testing/counter.ts'

const centre = useCentre()

const panelOf = async (counter: Counter): Promise<TrainingPanel> =>
  TrainingPanel.parse((await counter.call('GET', '/api/training/panel')).body)
const play = async (counter: Counter, scenario: string): Promise<TrainingPanel> =>
  TrainingPanel.parse((await counter.call('POST', '/api/training/play', { scenario })).body)

/** The panel once it fits, asked for again whenever the terminal says that it is another. */
async function shows(counter: Counter, fits: (panel: TrainingPanel) => boolean): Promise<TrainingPanel> {
  for (;;) {
    const panel = await panelOf(counter)
    if (fits(panel)) return panel
    await counter.next()
  }
}

const scannerIs = (counter: Counter, state: string) =>
  counter.event(
    (event): event is Extract<TerminalEvent, { type: 'device-health' }> =>
      event.type === 'device-health' && event.device.role === 'scanner' && event.device.state === state,
  )

async function sellForCash(counter: Counter): Promise<string> {
  const sale = await counter.current()
  if (!sale) throw new Error('nothing is rung')
  await counter.call('POST', `/api/sales/${sale.id}/tenders`, {
    kind: 'cash',
    version: sale.version,
    tenderedCents: 10_000,
  })
  return sale.id
}

test('a trainee sees what the customer reads and the paper that came out, and no balance on either', async () => {
  const counter = await openCounter(centre)
  expect(await panelOf(counter)).toMatchObject({
    devices: ['card-reader', 'scanner', 'printer', 'line-display'].map((role) => ({ role, plugged: true })),
    printer: { paper: 'ok', cover: 'closed', drawer: 'closed', drawerHeld: false, answers: true },
    waiting: [],
    lastPaper: null,
  })
  await counter.ring('1010')
  await counter.swipe('fine')
  await shows(counter, (panel) => /^TOTAL +\$/.test(panel.display?.[1] ?? ''))
  const id = await sellForCash(counter)
  await counter.printed(id)
  const { lastPaper } = await shows(counter, (panel) => panel.lastPaper !== null)
  expect(lastPaper).toContain('TOTAL')
  expect(lastPaper).toContain(`[Code 128: ${id}]`)
  const { body: receipt } = await counter.call('GET', `/api/sales/${id}/receipt`)
  expect(receipt.hasPaperOnly).toBe(true)
  const document = counter.read<{ document: string }>('SELECT document FROM print_job')[0]?.document ?? '{}'
  const balances = (
    JSON.parse(document) as { blocks: { paperOnly?: boolean; text?: string; left?: string }[] }
  ).blocks.filter(({ paperOnly }) => paperOnly)
  expect(balances.length).toBeGreaterThan(0)
  const lines = balances
    .flatMap(({ text, left }) => (text ?? left ?? '').split('\n').map((line) => line.trim()))
    .filter((line) => line !== '')
  expect(lines.filter((line) => lastPaper?.includes(line))).toEqual([])
})

test('paper runs out in the middle of a receipt: the receipt is in doubt, the panel says how the printer stands, and everything can be put right', async () => {
  const counter = await openCounter(centre)
  await counter.ring('1010')
  expect((await play(counter, 'paper-out-during-job')).waiting).toEqual(['paper-out-during-job'])
  const id = await sellForCash(counter)
  await counter.printed(id, 'unknown')
  expect(await panelOf(counter)).toMatchObject({ waiting: [], printer: { paper: 'out' } })
  expect(await play(counter, 'all-well')).toMatchObject({ printer: { paper: 'ok' } })
})

describe('the centre', () => {
  const treat = async (counter: Counter, condition: string): Promise<TrainingPanel> =>
    TrainingPanel.parse((await counter.call('POST', '/api/training/centre', { condition })).body)
  const echo = async (counter: Counter): Promise<string> =>
    String((await counter.call('POST', '/api/diagnostics/echo')).body.outcome)
  const quick = { limits: { cashTimeoutMs: 300 }, staffId: 'sam' } as const

  test('is slow, silent, wrong and away, and the lane itself hears it, until everything is put right', async () => {
    const counter = await openCounter(centre, quick)
    expect((await panelOf(counter)).centre).toBe('well')
    for (const [condition, outcome] of [
      ['slow', 'timeout'],
      ['silent', 'timeout'],
      ['wrong', 'malformed'],
      ['away', 'outage'],
    ] as const) {
      expect((await treat(counter, condition)).centre).toBe(condition)
      expect(await echo(counter), condition).toBe(outcome)
      expect((await panelOf(counter)).centre).toBe(condition)
      expect((await play(counter, 'all-well')).centre).toBe('well')
      expect(await echo(counter), `after ${condition}`).toBe('approved')
    }
  })
  test('one condition takes the place of another, and well ends it; every window is told', async () => {
    const counter = await openCounter(centre, quick)
    await treat(counter, 'away')
    await counter.event(
      (event): event is Extract<TerminalEvent, { type: 'training-changed' }> => event.type === 'training-changed',
    )
    await treat(counter, 'wrong')
    expect(await echo(counter)).toBe('malformed')
    expect((await treat(counter, 'well')).centre).toBe('well')
    expect(await echo(counter)).toBe('approved')
    expect((await counter.call('POST', '/api/training/centre', { condition: 'moody' })).status).toBe(400)
  })
  test('the answer of the next redemption is lost: it is applied once by its retry, and the centre is well again', async () => {
    const counter = await openCounter(centre, { limits: { cashTimeoutMs: 2_000 } })
    const before = await centre.balances('80000000011')
    await counter.ring('1010')
    const sale = await counter.swipe('fine')
    expect((await treat(counter, 'answer-lost')).centre).toBe('answer-lost')
    await counter.call('POST', `/api/sales/${sale.id}/redemption`, { version: sale.version, units: 1 })
    expect(await counter.untilOperation('redeem', 'approved')).toMatchObject({ state: 'approved' })
    expect((await panelOf(counter)).centre).toBe('well')
    expect((await centre.balances('80000000011')).cash).toBe(before.cash - 95)
  })
  test('that cannot be played with has no place on the panel, and one that is gone says so', async () => {
    const none = await openCounter(centre, { controlUrl: null })
    expect((await panelOf(none)).centre).toBeNull()
    expect(await none.refused('POST', '/api/training/centre', { condition: 'slow' })).toBe('training-only')
    const gone = await openCounter(centre, { controlUrl: 'http://127.0.0.1:9' })
    expect((await panelOf(gone)).centre).toBeNull()
    expect(await gone.refused('POST', '/api/training/centre', { condition: 'slow' })).toBe('training-centre-away')
  })
})

test('cables are pulled and put back by name; the lane hears of it from its own drivers', async () => {
  const counter = await openCounter(centre)
  expect((await play(counter, 'scanner-unplugged')).devices).toContainEqual({ role: 'scanner', plugged: false })
  await scannerIs(counter, 'unavailable')
  expect((await play(counter, 'scanner-plugged')).devices).toContainEqual({ role: 'scanner', plugged: true })
  await scannerIs(counter, 'ready')
  expect((await counter.call('POST', '/api/training/play', { scenario: 'no-such-thing' })).status).toBe(400)
})

test('the line display follows the language of whoever serves in the middle of a sale', async () => {
  const counter = await openCounter(centre)
  const reads = async (item: string): Promise<string | undefined> =>
    (await shows(counter, ({ display }) => display?.[0]?.startsWith(item) ?? false)).display?.[1]
  await counter.ring('1001')
  expect(await reads('Apples')).toContain('$6.99')
  await counter.call('POST', '/api/sign-in', { staffId: 'marie', pin: '1234' })
  expect(await reads('Pommes')).toContain('6,99 $')
  await counter.call('PUT', '/api/staff/me/locale', { locale: 'en-CA' })
  expect(await reads('Apples')).toContain('$6.99')
})
