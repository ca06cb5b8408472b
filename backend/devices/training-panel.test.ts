import { expect, test } from 'vitest'
import { TrainingPanel } from '../../contracts/api/training.ts'
import type { TerminalEvent } from '../../contracts/events.ts'
import { useCentre } from '../testing/centre.ts'
import { openCounter, type Counter } from '../testing/counter.ts'

const centre = useCentre()

const panelOf = async (counter: Counter): Promise<TrainingPanel> => TrainingPanel.parse((await counter.call('GET', '/api/training/panel')).body)
const play = async (counter: Counter, scenario: string): Promise<TrainingPanel> => TrainingPanel.parse((await counter.call('POST', '/api/training/play', { scenario })).body)

/** The panel once it fits, asked for again whenever the terminal says that it is another. */
async function shows(counter: Counter, fits: (panel: TrainingPanel) => boolean): Promise<TrainingPanel> {
  for (;;) {
    const panel = await panelOf(counter)
    if (fits(panel)) return panel
    await counter.next()
  }
}

const scannerIs = (counter: Counter, state: string) => counter.event((event): event is Extract<TerminalEvent, { type: 'device-health' }> => event.type === 'device-health' && event.device.role === 'scanner' && event.device.state === state)

async function sellForCash(counter: Counter): Promise<string> {
  const sale = await counter.current()
  if (!sale) throw new Error('nothing is rung')
  await counter.call('POST', `/api/sales/${sale.id}/tenders`, { kind: 'cash', version: sale.version, tenderedCents: 10_000 })
  return sale.id
}

test('a trainee sees what the customer reads and the paper that came out, and no balance on either', async () => {
  const counter = await openCounter(centre)
  expect(await panelOf(counter)).toMatchObject({
    devices: ['card-reader', 'scanner', 'printer', 'line-display'].map((role) => ({ role, plugged: true })),
    printer: { paper: 'ok', cover: 'closed', drawer: 'closed', drawerHeld: false, answers: true },
    waiting: [], lastPaper: null,
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
  const balances = (JSON.parse(document) as { blocks: { paperOnly?: boolean; text?: string; left?: string }[] }).blocks.filter(({ paperOnly }) => paperOnly)
  expect(balances.length).toBeGreaterThan(0)
  const lines = balances.flatMap(({ text, left }) => (text ?? left ?? '').split('\n').map((line) => line.trim())).filter((line) => line !== '')
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
  const reads = async (item: string): Promise<string | undefined> => (await shows(counter, ({ display }) => display?.[0]?.startsWith(item) ?? false)).display?.[1]
  await counter.ring('1001')
  expect(await reads('Apples')).toContain('$6.99')
  await counter.call('POST', '/api/sign-in', { staffId: 'marie', pin: '1234' })
  expect(await reads('Pommes')).toContain('6,99 $')
  await counter.call('PUT', '/api/staff/me/locale', { locale: 'en-CA' })
  expect(await reads('Apples')).toContain('$6.99')
})
