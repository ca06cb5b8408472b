import { cpSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { CardFault } from '../../../contracts/operations/training.ts'
import {
  openSimulatedCardTerminal,
  type SimulatedCardTerminal,
} from '../../operations/devices/simulated-card-terminal.fixture.ts'
import { temporaryFolder, testClock } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { saleActions } from '../../../packages/lab/testing/sale-actions.ts'
import { DETERGENT, formsOf, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const PAYMENTS = ['cash', 'card', 'card-terminal'] as const
const DUE = 2259

let far: SimulatedCardTerminal['far']
let device: SimulatedCardTerminal['device']
beforeEach(async () => {
  ;({ far, device } = await openSimulatedCardTerminal())
})
afterEach(() => far.close())

const open = (folder?: string): Promise<TerminalHarness> =>
  openTerminalHarness(central, {
    payments: [...PAYMENTS],
    cardTerminal: device,
    staffId: 'sam',
    ...(folder === undefined ? {} : { folder }),
  })
const ask = async (harness: TerminalHarness, amountCents = DUE): Promise<Sale> =>
  (await saleActions(harness).send('POST', '/card-payment', { amountCents })).sale
const viewed = async (harness: TerminalHarness, { id }: Pick<Sale, 'id'>): Promise<Sale> =>
  (await harness.call('GET', `/api/sales/${id}`)).body.sale as Sale
async function charge(harness: TerminalHarness, amountCents = DUE): Promise<Sale> {
  const sale = await ask(harness, amountCents)
  await expect.poll(async () => (await viewed(harness, sale)).cardPayment?.state).not.toBe('asked')
  return viewed(harness, sale)
}
const paymentsAsked = (): string[] => far.received.filter((message) => message.startsWith('Payment '))

async function untilFinal(harness: TerminalHarness, sale: Pick<Sale, 'id'>): Promise<void> {
  await expect
    .poll(async () => (await viewed(harness, sale)).cardPayment?.state, { timeout: 60_000 })
    .not.toMatch(/asked|unknown/)
}

test('a card payment completes the sale, and its receipt has the amount and the authorization', async () => {
  const harness = await open()
  await harness.ring(DETERGENT)
  const sale = await charge(harness)
  expect(sale).toMatchObject({
    state: 'completed',
    cardPayment: { state: 'approved', amountCents: DUE, approvedCents: DUE },
    tenders: [{ kind: 'card-terminal', amountCents: DUE, card: { lastFour: expect.stringMatching(/^\d{4}$/) } }],
  })
  expect(far.ledger).toEqual([expect.objectContaining({ kind: 'payment', amountCents: DUE })])
  await harness.printed(sale.id)
  const { document } = (await harness.call('GET', `/api/sales/${sale.id}/receipt`)).body
  expect(document.blocks).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ left: 'Card', right: '$22.59' }),
      expect.objectContaining({ left: '  Authorization' }),
    ]),
  )
})

test('a card payment pays a portion and cash the rest; a card payment above the amount due is refused', async () => {
  const harness = await open()
  await harness.ring(DETERGENT)
  const { sale } = (await harness.call('GET', '/api/sales/current')).body
  const refused = (amountCents: number): Promise<string> =>
    harness.refused('POST', `/api/sales/${sale.id}/card-payment`, { version: sale.version, amountCents })
  expect(await refused(DUE + 1)).toBe('tender-exceeds-due')
  expect(await refused(0)).toBe('body-invalid')
  expect(paymentsAsked()).toEqual([])
  expect(await charge(harness, 1000)).toMatchObject({ state: 'open', totals: { dueCents: DUE - 1000 } })
  expect((await saleActions(harness).send('POST', '/tenders', { kind: 'cash', tenderedCents: 1260 })).sale.state).toBe(
    'completed',
  )
})

test('a partial approval of a card payment leaves the rest due', async () => {
  far.plan('partial')
  const harness = await open()
  await harness.ring(DETERGENT)
  expect(await charge(harness)).toMatchObject({
    state: 'open',
    cardPayment: { state: 'approved', amountCents: DUE, approvedCents: 1130 },
    totals: { dueCents: DUE - 1130 },
  })
  const { sale } = (await saleActions(harness).send('POST', '/tenders', { kind: 'cash', tenderedCents: 20_00 })) as {
    sale: { id: string }
  }
  const { document } = (await harness.call('GET', `/api/sales/${sale.id}/receipt`)).body
  const text = JSON.stringify(document.blocks)
  expect(text, 'only the charge').toContain('{"kind":"row","left":"Card","right":"$11.30"}')
  expect(text, 'not the total of the terminal').not.toContain('CAD ')
  expect(text.match(/0119/g), 'the card once').toHaveLength(1)
  expect(text.match(/012345/g), 'the authorization once').toHaveLength(1)
})

test('a receipt in French has the details of a card payment in French', async () => {
  const harness = await open()
  await harness.call('PUT', '/api/staff/me/locale', { locale: 'fr-CA' })
  await harness.ring(DETERGENT)
  const sale = await charge(harness)
  const { document } = (await harness.call('GET', `/api/sales/${sale.id}/receipt`)).body
  const text = JSON.stringify(document.blocks)
  for (const words of ['Lecture', 'Sans contact', 'Autorisation', 'APPROUVÉ']) expect(text).toContain(words)
  for (const words of ['CARDHOLDER', 'Entry mode', 'Auth. code', 'TOTAL CAD', '"  APPROVED"'])
    expect(text).not.toContain(words)
})

test.each([
  ['declined', { state: 'declined', reason: 'refused' }],
  ['customer-cancels', { state: 'cancelled', reason: 'by-customer' }],
  ['busy', { state: 'declined', reason: 'terminal-busy' }],
] as const)(
  'a card payment with the outcome “%s” charges nothing, and the sale can be paid again',
  async (fault, expected) => {
    far.plan(fault)
    const harness = await open()
    await harness.ring(DETERGENT)
    expect(await charge(harness)).toMatchObject({ state: 'open', cardPayment: expected, tenders: [] })
    expect(far.ledger).toEqual([])
    expect((await charge(harness)).state).toBe('completed')
    expect(far.ledger).toHaveLength(1)
  },
)

test('changes of the sale are refused while the customer is at the card terminal', async () => {
  far.plan('waits')
  const harness = await open()
  await harness.ring(DETERGENT)
  const sale = await ask(harness)
  await far.waiting
  expect(sale.cardPayment?.state).toBe('asked')
  const refused = (path: string, body: object): Promise<string> =>
    harness.refused('POST', `/api/sales/${sale.id}${path}`, { version: sale.version, ...body })
  expect(await refused('/tenders', { kind: 'cash', tenderedCents: 3000 })).toBe('sale-held-by-card')
  expect(await refused('/card-payment', { amountCents: DUE })).toBe('sale-held-by-card')
  expect(await refused('/cancel', {})).toBe('sale-held-by-card')
  expect(await refused('/lines/1/void', {})).toBe('sale-held-by-card')
  expect(await harness.refused('POST', '/api/sales/current/lines', { sku: DETERGENT, quantity: 1 })).toBe(
    'sale-held-by-card',
  )
  expect(await harness.refused('POST', '/api/sales/current/gift-cards', { amountCents: 2500 })).toBe(
    'sale-held-by-card',
  )
  await harness.call('POST', `/api/sales/${sale.id}/card-payment/cancel`, {})
  await untilFinal(harness, sale)
  expect(await viewed(harness, sale)).toMatchObject({ cardPayment: { state: 'cancelled', reason: 'by-lane' } })
  expect(await harness.refused('POST', `/api/sales/${sale.id}/card-payment/cancel`, {})).toBe('card-not-asked')
  expect(far.ledger).toEqual([])
})

test('no miles can be redeemed while a card is being charged', async () => {
  far.plan('waits')
  const harness = await open()
  await harness.ring(DETERGENT)
  await harness.swipe('fine')
  expect((await harness.until((candidate) => candidate.redemptionChoice !== null)).redemptionChoice).not.toBeNull()
  const sale = await ask(harness)
  await far.waiting
  expect(sale.redemptionChoice).toBeNull()
  const redeem = { version: sale.version, units: 1 }
  expect(await harness.refused('POST', `/api/sales/${sale.id}/redemption`, redeem)).toBe('sale-held-by-card')
  far.present()
  await untilFinal(harness, sale)
  expect(await viewed(harness, sale)).toMatchObject({ state: 'completed', tenders: [{ amountCents: DUE }] })
})

describe('a card payment whose answer is lost', () => {
  test.each(['answer-lost', 'restart-after', 'wrong-amount'] as const)(
    'pays once after a status request if the card was charged (fault %s)',
    async (fault) => {
      far.plan(fault)
      const harness = await open()
      await harness.ring(DETERGENT)
      const sale = await charge(harness)
      expect(sale.cardPayment?.state).toBe('unknown')
      await untilFinal(harness, sale)
      expect(await viewed(harness, sale)).toMatchObject({
        state: 'completed',
        tenders: [{ kind: 'card-terminal', amountCents: DUE }],
      })
      expect(paymentsAsked()).toHaveLength(1)
      expect(far.ledger).toHaveLength(1)
    },
  )

  test.each(['cut-before', 'restart-before'] as const)(
    'does not count if the payment never began, and the sale stays open (fault %s)',
    async (fault) => {
      far.plan(fault)
      const harness = await open()
      await harness.ring(DETERGENT)
      const sale = await charge(harness)
      expect(sale.cardPayment?.state).toBe('unknown')
      await untilFinal(harness, sale)
      expect(await viewed(harness, sale)).toMatchObject({
        state: 'open',
        tenders: [],
        cardPayment: { state: 'declined', reason: 'not-begun' },
      })
      expect(far.ledger).toEqual([])
    },
  )

  test('pays once although the program restarts, because the request was committed first', async () => {
    far.plan('waits')
    const folder = temporaryFolder()
    const first = await open(folder)
    await first.ring(DETERGENT)
    await ask(first)
    await far.waiting
    const [row] = first.read<{ state: string }>('SELECT state FROM card_transaction')
    expect(row).toEqual({ state: 'asked' })
    const closing = first.close()
    far.present()
    await closing
    const second = await open(folder)
    const { id } = second.read<Pick<Sale, 'id'>>('SELECT id FROM sale')[0] as Pick<Sale, 'id'>
    await untilFinal(second, { id })
    expect(await viewed(second, { id })).toMatchObject({
      state: 'completed',
      tenders: [{ kind: 'card-terminal', amountCents: DUE }],
    })
    expect(paymentsAsked()).toHaveLength(1)
    expect(far.ledger).toHaveLength(1)
  })

  test('leads to a status request at the next start after a power failure during the payment', async () => {
    far.plan('waits')
    const folder = temporaryFolder()
    const first = await open(folder)
    await first.ring(DETERGENT)
    const sale = await ask(first)
    await far.waiting
    const found = temporaryFolder()
    cpSync(folder, found, { recursive: true, filter: (file) => !file.endsWith('.lock') })
    await first.close()
    far.present()
    const second = await open(found)
    await untilFinal(second, sale)
    expect(await viewed(second, sale)).toMatchObject({ state: 'completed', tenders: [{ amountCents: DUE }] })
    expect(paymentsAsked()).toHaveLength(1)
    expect(far.ledger).toHaveLength(1)
  })

  test('causes status requests at growing intervals after a restart, while no manager can resolve it', async () => {
    far.plan('waits')
    const before = await open()
    await before.ring(DETERGENT)
    const sale = await ask(before)
    await far.waiting
    await before.close()
    const harness = await open(before.folder)
    const questions = (): number => far.received.filter((message) => message.startsWith('TransactionStatus')).length
    await expect.poll(questions).toBeGreaterThan(0)
    const asked = questions()
    const { entries } = (await harness.call('GET', '/api/card-transactions')).body
    const [{ reference }] = entries as [{ reference: string }]
    const resolve = `/api/card-transactions/${reference}/resolve`
    expect(await harness.refused('POST', resolve, { moved: false, note: 'nothing in the report' })).toBe(
      'card-in-progress',
    )
    far.present()
    await untilFinal(harness, sale)
    expect((await viewed(harness, sale)).state).toBe('completed')
    expect(far.ledger).toHaveLength(1)
    // The intervals double from half a second; without that, there would be hundreds of requests.
    expect(questions() - asked).toBeLessThan(10)
  })

  test('can be cancelled after a restart while the customer is at the card terminal', async () => {
    far.plan('waits')
    const before = await open()
    await before.ring(DETERGENT)
    const sale = await ask(before)
    await far.waiting
    await before.close()
    const harness = await open(before.folder)
    await harness.call('POST', `/api/sales/${sale.id}/card-payment/cancel`, {})
    await untilFinal(harness, sale)
    expect(await viewed(harness, sale)).toMatchObject({
      state: 'open',
      tenders: [],
      cardPayment: { state: 'cancelled', reason: 'by-lane' },
    })
    expect(far.ledger).toEqual([])
  })

  test('is listed if the card terminal has no status, and pays when a manager records it as charged', async () => {
    far.plan('answer-lost')
    far.planStatus(...Array.from({ length: 50 }, () => 'answer-lost' as const))
    const harness = await open()
    await harness.ring(DETERGENT)
    const sale = await charge(harness)
    const { entries } = (await harness.call('GET', '/api/card-transactions')).body
    expect(entries).toMatchObject([{ saleId: sale.id, kind: 'payment', state: 'unknown', amountCents: DUE }])
    expect((await harness.call('GET', '/api/queue/summary')).body.attention).toBe(1)
    const [entry] = entries as [{ reference: string }]
    await harness.call('POST', `/api/card-transactions/${entry.reference}/resolve`, { moved: true, note: 'slip 12' })
    expect((await harness.call('GET', `/api/sales/${sale.id}`)).body.sale.state).toBe('completed')
    expect((await harness.call('GET', '/api/card-transactions')).body.entries).toEqual([])
    expect(
      await harness.refused('POST', `/api/card-transactions/${entry.reference}/resolve`, { moved: false, note: 'x' }),
    ).toBe('card-not-asked')
  })
})

test('the training panel selects the next outcome of the simulated card terminal', async () => {
  const harness = await openTerminalHarness(central, {
    payments: [...PAYMENTS],
    cardTerminal: { terminalId: 'SIMULATED-1', connection: { kind: 'virtual' } },
  })
  const play = async (does: string) => (await harness.call('POST', '/api/training/card-terminal', { does })).body
  const panel = async () => (await harness.call('GET', '/api/training/panel')).body.cardTerminal
  expect(await panel()).toMatchObject({ next: null, customerWaits: false })
  expect(await panel()).toMatchObject({ faults: CardFault.options })
  await harness.ring(DETERGENT)
  await play('busy')
  expect((await play('waits')).cardTerminal, 'one at a time').toMatchObject({ next: 'waits', customerWaits: false })
  const sale = await ask(harness)
  await expect.poll(panel).toMatchObject({ next: null, customerWaits: true })
  await play('present')
  await untilFinal(harness, sale)
  expect((await viewed(harness, sale)).state).toBe('completed')
  await play('declined')
  await harness.call('POST', '/api/training/play', { scenario: 'all-well' })
  expect(await panel()).toMatchObject({ next: null, customerWaits: false })
})

describe('a refund to the card that paid', () => {
  const refunds = (): number[] =>
    far.ledger.filter(({ kind }) => kind === 'refund').map(({ amountCents }) => amountCents)

  test('is made when its sale is cancelled, or when the card payment alone is given back', async () => {
    const harness = await open()
    await harness.ring(DETERGENT)
    await charge(harness, 1000)
    expect((await saleActions(harness).send('POST', '/tenders/1/take-back', {})).sale).toMatchObject({ tenders: [] })
    await expect.poll(refunds).toEqual([1000])
    await charge(harness, 500)
    await saleActions(harness).send('POST', '/cancel', {})
    await expect.poll(refunds).toEqual([1000, 500])
    await expect
      .poll(() => harness.read("SELECT state FROM card_transaction WHERE kind = 'refund'"))
      .toEqual([{ state: 'approved' }, { state: 'approved' }])
  })

  test('is made for the price of returned goods', async () => {
    const harness = await open()
    await harness.ring(DETERGENT)
    const sale = await charge(harness)
    expect(formsOf(await returnPieces(harness, sale, [1, 1]))).toEqual([['card-terminal', DUE, 0]])
    await expect.poll(refunds).toEqual([DUE])
  })

  test('is listed for a manager, who pays it back in another form, if the card terminal refuses it', async () => {
    const harness = await open()
    await harness.ring(DETERGENT)
    const sale = await charge(harness, 1000)
    far.plan('declined')
    await saleActions(harness).send('POST', '/cancel', {})
    const list = async (): Promise<{ reference: string }[]> =>
      (await harness.call('GET', '/api/card-transactions')).body.entries as { reference: string }[]
    await expect.poll(list).toMatchObject([{ saleId: sale.id, kind: 'refund', state: 'declined', amountCents: 1000 }])
    const [entry] = await list()
    await harness.call('POST', `/api/card-transactions/${entry?.reference}/resolve`, { moved: false, note: 'in cash' })
    expect(await list()).toEqual([])
    expect(refunds()).toEqual([])
  })

  test('remains listed after a manager finds it was not made, until it is paid back in another form', async () => {
    const harness = await open()
    await harness.ring(DETERGENT)
    await charge(harness, 1000)
    far.plan('answer-lost')
    far.planStatus(...Array.from({ length: 50 }, () => 'answer-lost' as const))
    await saleActions(harness).send('POST', '/cancel', {})
    const list = async (): Promise<{ reference: string }[]> =>
      (await harness.call('GET', '/api/card-transactions')).body.entries as { reference: string }[]
    await expect.poll(list).toMatchObject([{ kind: 'refund', state: 'unknown' }])
    const [entry] = await list()
    const resolveWith = (note: string) =>
      harness.call('POST', `/api/card-transactions/${entry?.reference}/resolve`, { moved: false, note })
    await resolveWith('not in the report')
    expect(await list()).toMatchObject([{ kind: 'refund', state: 'declined', reason: 'by-hand', amountCents: 1000 }])
    await resolveWith('in cash')
    expect(await list()).toEqual([])
    expect(
      saleActions(harness)
        .trail()
        .filter(({ kind }) => kind === 'card-transaction-resolved'),
    ).toHaveLength(2)
  })

  test('is listed for a manager if the card terminal approves only a portion of it', async () => {
    const harness = await open()
    await harness.ring(DETERGENT)
    await charge(harness, 1000)
    far.plan('partial')
    await saleActions(harness).send('POST', '/cancel', {})
    const list = async (): Promise<{ reference: string }[]> =>
      (await harness.call('GET', '/api/card-transactions')).body.entries as { reference: string }[]
    await expect.poll(list).toMatchObject([{ kind: 'refund', state: 'approved', amountCents: 500 }])
    expect((await harness.call('GET', '/api/queue/summary')).body.attention).toBe(1)
    const [entry] = await list()
    await harness.call('POST', `/api/card-transactions/${entry?.reference}/resolve`, { moved: false, note: 'in cash' })
    expect(await list()).toEqual([])
  })

  test('is made for two cards of a sale, one after the other', async () => {
    const harness = await open()
    await harness.ring(DETERGENT)
    await charge(harness, 1000)
    await charge(harness, 500)
    far.plan('waits')
    await saleActions(harness).send('POST', '/cancel', {})
    await far.waiting
    far.present()
    await expect.poll(refunds).toEqual([1000, 500])
  })

  test('is requested once if its answer is lost, and is found by a status request', async () => {
    const harness = await open()
    await harness.ring(DETERGENT)
    await charge(harness, 1000)
    far.plan('answer-lost')
    await saleActions(harness).send('POST', '/cancel', {})
    await expect
      .poll(() => harness.read("SELECT state FROM card_transaction WHERE kind = 'refund'"), { timeout: 60_000 })
      .toEqual([{ state: 'approved' }])
    expect(refunds()).toEqual([1000])
  })
})

test('a card payment cancelled while a refund is in progress is never sent to the card terminal', async () => {
  const harness = await open()
  await harness.ring(DETERGENT)
  await charge(harness, 1000)
  far.plan('waits')
  await saleActions(harness).send('POST', '/cancel', {})
  await far.waiting
  await harness.ring(DETERGENT)
  const sale = await ask(harness)
  await harness.call('POST', `/api/sales/${sale.id}/card-payment/cancel`, {})
  far.present()
  await untilFinal(harness, sale)
  expect(await viewed(harness, sale)).toMatchObject({
    state: 'open',
    tenders: [],
    cardPayment: { state: 'cancelled', reason: 'by-lane' },
  })
  expect(paymentsAsked()).toHaveLength(1)
})

test('a sale shows its newest card payment even if the clock was set back after the previous payment', async () => {
  const clock = testClock()
  const harness = await openTerminalHarness(central, { payments: [...PAYMENTS], cardTerminal: device, clock })
  await harness.ring(DETERGENT)
  far.plan('declined', 'waits')
  await charge(harness)
  clock.set(-60_000)
  const sale = await ask(harness)
  expect(sale.cardPayment).toMatchObject({ state: 'asked' })
  await far.waiting
  far.present()
  await expect.poll(async () => (await viewed(harness, sale)).state).toBe('completed')
  expect((await viewed(harness, sale)).cardPayment?.state).toBe('approved')
})

test('a refund of a card payment that a manager resolved is declined with the reason “not-refundable”', async () => {
  far.plan('answer-lost')
  far.planStatus(...Array.from({ length: 50 }, () => 'answer-lost' as const))
  const harness = await open()
  await harness.ring(DETERGENT)
  await charge(harness, 1000)
  const list = async (): Promise<{ reference: string }[]> =>
    (await harness.call('GET', '/api/card-transactions')).body.entries as { reference: string }[]
  const [entry] = await list()
  await harness.call('POST', `/api/card-transactions/${entry?.reference}/resolve`, { moved: true, note: 'slip 12' })
  await saleActions(harness).send('POST', '/cancel', {})
  await expect.poll(list).toMatchObject([{ kind: 'refund', state: 'declined', reason: 'not-refundable' }])
})
