import { describe, expect, test } from 'vitest'
import { UnprintedDocuments } from '../../../contracts/day/search.ts'
import { ClosingPaper } from '../../../contracts/day/day-end.ts'
import { CurrentShift } from '../../../contracts/day/shifts.ts'
import { testClock } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarnessOptions } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const CATALOG = `sku,barcode,name_en,name_fr,price,tax_category,department,category
A,,Apple,Pomme,5.00,zero-rated,fruit,
`
const sum = (cents: number) => ({ by: 'sum' as const, cents })
const Z1 = 'Z00000001'

async function open(options: Partial<TerminalHarnessOptions> = {}) {
  const clock = testClock('2026-11-29T10:00:00-05:00')
  const here = await openTerminalHarness(central, { catalog: CATALOG, staffId: 'sam', clock, ...options })
  const unprinted = async () => UnprintedDocuments.parse((await here.call('GET', '/api/receipts/owed')).body).documents
  return {
    here,
    clock,
    unprinted,
    named: async () => (await unprinted()).map(({ paper, name, receipt }) => `${paper} ${name} ${receipt}`).toSorted(),
    count: async () => (await here.call('GET', '/api/receipts')).body['notOnPaper'],
    play: (scenario: string) => here.call('POST', '/api/training/play', { scenario }),
    async closeDrawer(): Promise<void> {
      const id = CurrentShift.parse((await here.call('GET', '/api/shifts/current')).body).shift?.id ?? 0
      const count = { cash: sum(10_000), cardSlipsCents: null, chequesCents: null }
      await here.call('POST', `/api/shifts/${id}/counts`, { count })
      await here.call('POST', `/api/shifts/${id}/close`, { reason: 'as counted', leftCents: 0 })
    },
    async closeDay(): Promise<void> {
      expect((await here.call('POST', '/api/z-reports')).status).toBe(200)
    },
    openDrawer: () => here.call('POST', '/api/shifts', { float: sum(10_000) }),
    marks: (subject: string) =>
      here
        .read<{ document: string }>(
          `SELECT document FROM print_job WHERE subject = '${subject}' ORDER BY created_at, rowid`,
        )
        .map(({ document }) => /"COPY \d"/.exec(document)?.[0] ?? null),
  }
}

describe('documents of drawers and days that were not printed', () => {
  test('are counted and listed by name; their first successful print is an original, the next one a copy', async () => {
    const lane = await open()
    await lane.openDrawer()
    await lane.play('paper-out')
    const move = { kind: 'paid-out', amountCents: 1_200, reason: 'postage' }
    await lane.here.call('POST', '/api/shifts/current/movements', move)
    await lane.here.call('POST', '/api/shifts/current/movements', { kind: 'no-sale', amountCents: 0, reason: 'change' })
    await lane.closeDrawer()
    await lane.closeDay()
    await lane.here.printed(Z1, 'failed')
    await lane.here.call('POST', '/api/closings/2026-11-29/print')
    await lane.here.printed('CLOSING20261129Z1X', 'failed')
    expect(await lane.count()).toBe(5)
    expect(await lane.named()).toEqual([
      'cash-movement no-sale not-printed',
      'cash-movement paid-out not-printed',
      'closing 2026-11-29 not-printed',
      'shift 1 not-printed',
      'z-report 1 not-printed',
    ])
    expect((await lane.unprinted()).find(({ name }) => name === 'paid-out')).toMatchObject({ totalCents: 1_200 })
    expect((await lane.here.call('GET', '/api/z-reports/1/receipt')).body).toMatchObject({ print: 'failed' })

    await lane.play('paper-ok')
    const prints: readonly (readonly [string, string])[] = [
      [Z1, '/api/z-reports/1/reprint'],
      ['SHIFT00000001', '/api/shifts/1/reprint'],
      ['CASH00000001', '/api/cash-movements/1/reprint'],
      ['CASH00000002', '/api/cash-movements/2/reprint'],
      ['CLOSING20261129Z1X', '/api/closings/2026-11-29/print'],
    ]
    for (const [index, [id, path]] of prints.entries()) {
      await lane.here.call('POST', path)
      await lane.here.printed(id, 'confirmed', 0)
      expect(await lane.count()).toBe(prints.length - index - 1)
    }
    expect(await lane.unprinted()).toEqual([])
    for (const [id, path] of prints) {
      await lane.here.call('POST', path)
      await lane.here.printed(id, 'confirmed', 1)
      expect(lane.marks(id), id).toEqual([null, null, '"COPY 1"'])
    }
    expect(await lane.count()).toBe(0)
    expect(await lane.here.refused('POST', '/api/cash-movements/9/reprint')).toBe('not-found')
  })

  test('include a Z whose print has an unknown outcome, and its next print is a copy', async () => {
    const lane = await open()
    await lane.openDrawer()
    await lane.closeDrawer()
    await lane.here.printed('SHIFT00000001')
    await lane.play('printer-unplugged-during-job')
    await lane.closeDay()
    await lane.here.printed(Z1, 'unknown')
    expect(await lane.named()).toEqual(['z-report 1 unknown'])
    expect(await lane.count()).toBe(1)
    await lane.play('all-well')
    await lane.here.call('POST', '/api/z-reports/1/reprint')
    await lane.here.printed(Z1, 'confirmed', 1)
    expect(lane.marks(Z1)).toEqual([null, '"COPY 1"'])
    expect(await lane.unprinted()).toEqual([])
  })

  test('include a closing whose print failed before a Z was added; it is printed again without that Z', async () => {
    const lane = await open()
    await lane.openDrawer()
    await lane.closeDrawer()
    await lane.closeDay()
    await lane.here.printed(Z1)
    await lane.play('paper-out')
    await lane.here.call('POST', '/api/closings/2026-11-29/print')
    await lane.here.printed('CLOSING20261129Z1X', 'failed')
    await lane.play('paper-ok')
    await lane.openDrawer()
    await lane.closeDrawer()
    await lane.closeDay()
    await lane.here.call('POST', '/api/closings/CLOSING20261129Z1X/print')
    await lane.here.printed('CLOSING20261129Z1X', 'confirmed', 0)
    expect(await lane.unprinted()).toEqual([])
    const [first, second] = lane.here.read<{ document: string }>(
      `SELECT document FROM print_job WHERE subject = 'CLOSING20261129Z1X' ORDER BY created_at, rowid`,
    )
    expect(second).toEqual(first)
    // No paper of these Zs was printed, so the closing of the day is printed as it is now.
    await lane.here.call('POST', '/api/closings/CLOSING20261129Z2X/print')
    await lane.here.printed('CLOSING20261129Z2X', 'confirmed', 0)
    const { body } = await lane.here.call('GET', '/api/closings/2026-11-29/paper')
    expect(ClosingPaper.parse(body)).toMatchObject({ id: 'CLOSING20261129Z2X', print: 'confirmed' })
  })

  test('are listed for a cashier too, who may print only the slips of cash movements', async () => {
    const lane = await open()
    await lane.openDrawer()
    await lane.play('paper-out')
    await lane.here.call('POST', '/api/shifts/current/movements', { kind: 'no-sale', amountCents: 0, reason: 'change' })
    await lane.closeDrawer()
    await lane.closeDay()
    await lane.here.printed(Z1, 'failed')
    await lane.play('paper-ok')
    await lane.here.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
    expect(await lane.named()).toHaveLength(3)
    expect(await lane.here.refused('POST', '/api/z-reports/1/reprint')).toBe('manager-required')
    expect(await lane.here.refused('POST', '/api/shifts/1/reprint')).toBe('manager-required')
    expect((await lane.here.call('POST', '/api/cash-movements/1/reprint')).status).toBe(200)
    await lane.here.printed('CASH00000001')
    expect(await lane.count()).toBe(2)
  })
})
