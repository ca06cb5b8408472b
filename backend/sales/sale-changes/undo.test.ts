import { describe, expect, test } from 'vitest'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { saleActions, percent } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { COFFEE, DETERGENT } from '../../../packages/lab/testing/return-steps.ts'

const central = useCentral()

describe('undo', () => {
  test('reverts each kind of change, newest first, until the sale is empty', async () => {
    const harness = await openTerminalHarness(central, {
      approvals: { discountAbovePercent: 100, actions: { price: { cashier: 'alone' } } },
    })
    const { send, discount, price, undo, now } = saleActions(harness)
    await harness.ring(COFFEE)
    await harness.ring(COFFEE)
    expect((await now()).undo).toBe('ring')
    expect((await undo()).sale.lines.map(({ quantity }) => quantity)).toEqual([1])
    expect((await now()).undo, 'the first one was rung too').toBe('ring')
    await harness.ring(DETERGENT)
    expect((await undo()).sale.lines.map(({ voided }) => voided)).toEqual([false, true])
    const was = { lines: (await now()).lines, totals: (await now()).totals, discounts: [] }
    const scenarios: [string, () => Promise<unknown>][] = [
      ['quantity', () => send('PUT', '/lines/1', { quantity: 5 })],
      ['void', () => send('POST', '/lines/1/void', {})],
      ['price', () => price(1, 100)],
      ['discount', () => discount(percent(50))],
      ['note', () => send('PUT', '/note', { line: 1, note: 'x' })],
      ['note', () => send('PUT', '/note', { line: null, note: 'x' })],
    ]
    const what = ({ lines, totals, discounts, note, undo: next }: Sale) => ({
      lines,
      totals,
      discounts,
      note,
      undo: next,
    })
    for (const [kind, change] of scenarios) {
      await change()
      expect((await now()).undo).toBe(kind)
      expect(what((await undo()).sale), kind).toEqual({ ...was, note: null, undo: 'ring' })
    }
    const before: ReturnType<typeof what>[] = []
    for (const [, change] of scenarios.filter(([kind]) => kind !== 'void')) {
      before.push(what(await now()))
      await change()
    }
    for (const expected of before.toReversed()) expect(what((await undo()).sale)).toEqual(expected)
    expect((await undo()).sale.lines.map(({ voided }) => voided)).toEqual([true, true])
    expect(await undo()).toMatchObject({ code: 'nothing-to-undo' })
  })

  test('restores a removed collector and sends INQUIRE again, and removes an added collector', async () => {
    const harness = await openTerminalHarness(central)
    const { send, undo } = saleActions(harness)
    await harness.ring(DETERGENT)
    const on = await harness.swipe('fine')
    expect((await send('POST', '/member/remove', {})).sale.member).toBeNull()
    await undo()
    const back = await harness.until((sale) => sale.member?.state === 'known')
    expect(back.member).toEqual(on.member)
    await harness.ring(DETERGENT)
    await harness.swipe('special')
    await undo()
    expect(
      (await harness.until((sale) => sale.member?.state === 'known' && sale.member.last4 === on.member?.last4)).undo,
    ).toBe('ring')
    await undo()
    await undo()
    expect((await undo()).sale.member, 'nobody was on the sale at first').toBeNull()
  })

  const CLOSED = {
    completed: async (harness: TerminalHarness) => {
      await saleActions(harness).send('POST', '/tenders', { kind: 'card', amountCents: 2259, reference: 'T1' })
    },
    cancelled: async (harness: TerminalHarness) => {
      await saleActions(harness).send('POST', '/cancel', {})
    },
    held: async (harness: TerminalHarness) => {
      await saleActions(harness).send('POST', '/hold', {})
    },
    'paid in part': async (harness: TerminalHarness) => {
      await saleActions(harness).send('POST', '/tenders', { kind: 'card', amountCents: 1000, reference: 'T1' })
    },
  } as const
  test.each(Object.entries(CLOSED))('erases a removed collector when the sale is %s', async (_how, close) => {
    const harness = await openTerminalHarness(central)
    await harness.ring(DETERGENT)
    await harness.swipe('fine')
    expect((await saleActions(harness).send('POST', '/member/remove', {})).sale.member).toBeNull()
    const storedChanges = (): { change: string }[] => harness.read<{ change: string }>('SELECT change FROM sale_undo')
    expect(storedChanges().at(-1), 'sealed, while it can be taken back').toMatchObject({
      change: expect.stringContaining('"sealed"') as string,
    })
    await close(harness)
    expect(storedChanges()).toEqual([])
  })

  test('never reverts a tender, or changes before a tender', async () => {
    const harness = await openTerminalHarness(central)
    const { undo, now } = saleActions(harness)
    const sale = await harness.ring(DETERGENT, 2)
    await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'card',
      version: sale.version,
      amountCents: 1000,
      reference: 'T1',
    })
    expect((await now()).undo).toBeNull()
    expect(await undo()).toMatchObject({ code: 'nothing-to-undo' })
    expect((await now()).tenders).toHaveLength(1)
  })

  test('reverts changes before a payment only after that payment was given back', async () => {
    const harness = await openTerminalHarness(central)
    const { send, undo, now } = saleActions(harness)
    await harness.ring(DETERGENT)
    await send('POST', '/tenders', { kind: 'card', amountCents: 1000, reference: 'T1' })
    await harness.ring(COFFEE)
    expect((await undo()).sale.lines.map(({ voided }) => voided)).toEqual([false, true])
    expect((await now()).undo, 'what was rung before the payment').toBeNull()
    await send('POST', `/tenders/${(await now()).tenders[0]?.number ?? 0}/take-back`, {})
    expect((await undo()).sale.lines.map(({ voided }) => voided)).toEqual([true, true])
  })

  test('removes the collector and the items after all payments and redemptions were given back', async () => {
    const harness = await openTerminalHarness(central)
    const { send, undo, now } = saleActions(harness)
    await harness.ring(DETERGENT)
    await harness.swipe('fine')
    await send('POST', '/tenders', { kind: 'card', amountCents: 500, reference: 'T1' })
    await send('POST', '/redemption', { units: 1 })
    for (const kind of ['miles', 'card']) {
      const paid = (await now()).tenders.find((tender) => tender.kind === kind)
      await send('POST', `/tenders/${paid?.number ?? 0}/take-back`, {})
      if (kind === 'miles') await harness.until((sale) => sale.redemption?.state === 'reversed')
    }
    expect((await now()).undo).toBe('member')
    expect((await undo()).sale.member).toBeNull()
    expect((await undo()).sale.lines.map(({ voided }) => voided)).toEqual([true])
  })

  test('never removes a collector with a redemption of unknown outcome, and reverts no change before it', async () => {
    const harness = await openTerminalHarness(central, { limits: { cashTimeoutMs: 500 } })
    const { send, undo, now } = saleActions(harness)
    await harness.ring(DETERGENT)
    await harness.swipe('fine')
    await central.faults({ path: CASH_PATHS.redeem, action: { kind: 'drop-after' } })
    expect((await send('POST', '/redemption', { units: 1 })).sale.redemption?.state).toBe('escalated')
    expect((await now()).undo).toBeNull()
    expect(await undo()).toMatchObject({ code: 'nothing-to-undo' })
    expect((await now()).member?.last4).toBe('0011')
  })

  test('reverts an item rung after a payment, and the sale stays open with the rest due', async () => {
    const harness = await openTerminalHarness(central)
    const { undo, now } = saleActions(harness)
    const sale = await harness.ring(COFFEE)
    await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'card',
      version: sale.version,
      amountCents: 1000,
      reference: 'T1',
    })
    await harness.ring(DETERGENT)
    expect((await undo()).sale.totals).toMatchObject({ totalCents: 1499, dueCents: 499 })
    expect((await now()).state).toBe('open')
  })

  test('is available after a restart of the terminal', async () => {
    const first = await openTerminalHarness(central)
    await first.ring(DETERGENT)
    await first.close()
    const harness = await openTerminalHarness(central, { folder: first.folder })
    expect((await harness.current())?.undo).toBe('ring')
    expect((await saleActions(harness).undo()).sale.lines.map(({ voided }) => voided)).toEqual([true])
  })
})
