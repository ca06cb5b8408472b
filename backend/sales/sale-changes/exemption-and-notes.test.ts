import { describe, expect, test } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { saleActions, SAM } from '../../../packages/lab/testing/sale-actions.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { DETERGENT, quoteOf } from '../../../packages/lab/testing/return-steps.ts'

const central = useCentral()

describe('an exempt sale', () => {
  const exemption = { relief: 'provincial', reason: 'first-nations', certificate: 'FN-1234' }
  test('needs a supervisor, has no provincial tax, and prints the number of the certificate', async () => {
    const harness = await openTerminalHarness(central)
    const { send, trail } = saleActions(harness)
    await harness.ring(DETERGENT)
    expect(await send('PUT', '/exemption', { exemption })).toMatchObject({
      code: 'approval-required',
      details: [{ message: 'exemption' }],
    })
    const { sale } = await send('PUT', '/exemption', { exemption, approval: SAM })
    expect(sale).toMatchObject({
      exemption,
      totals: {
        taxes: [
          { code: 'HST', amountCents: 0 },
          { code: 'HST-FEDERAL', amountCents: 100 },
        ],
        totalCents: 2099,
      },
      undo: 'exemption',
    })
    expect(trail().at(-1)).toMatchObject({
      kind: 'tax-exemption',
      before: null,
      after: JSON.stringify(exemption),
      approvedBy: 'sam',
    })
    await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'card',
      version: sale.version,
      amountCents: 2099,
      reference: 'T1',
    })
    const { blocks } = (await harness.call('GET', `/api/sales/${sale.id}/receipt`)).body.document
    expect(blocks).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ text: 'Provincial tax exempt: First Nations' }),
        expect.objectContaining({ left: 'Certificate', right: 'FN-1234' }),
      ]),
    )
    const quote = await quoteOf(harness, sale, [{ number: 1, quantity: 1 }])
    expect(quote.totals.totalCents).toBe(2099)
  })
  test('refuses a card number as certificate number, and a missing certificate number', async () => {
    const harness = await openTerminalHarness(central, { staffId: 'sam' })
    const { send, now } = saleActions(harness)
    await harness.ring(DETERGENT)
    expect(
      await send('PUT', '/exemption', { exemption: { ...exemption, certificate: '4111 1111 1111 1111' } }),
    ).toMatchObject({ code: 'note-holds-number' })
    expect(await send('PUT', '/exemption', { exemption: { ...exemption, certificate: ' ' } })).toMatchObject({
      code: 'body-invalid',
    })
    expect((await now()).exemption).toBeNull()
  })
})

describe('a note', () => {
  test('is stored on its line or the sale, and prints as plain text', async () => {
    const harness = await openTerminalHarness(central)
    const { send } = saleActions(harness)
    await harness.ring(DETERGENT)
    await send('PUT', '/note', { line: 1, note: 'gift \u001bp0 wrap <b>' })
    const { sale } = await send('PUT', '/note', { line: null, note: 'Call before delivery' })
    expect(sale).toMatchObject({ note: 'Call before delivery', lines: [{ note: 'gift p0 wrap <b>' }] })
    for (const [note, problem] of [
      ['80000000011', 'note-holds-number'],
      ['card 4111-1111-1111-1111', 'note-holds-number'],
      ['x'.repeat(121), 'body-invalid'],
    ] as const)
      expect(await send('PUT', '/note', { line: null, note }), note).toMatchObject({ code: problem })
    await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'card',
      version: sale.version,
      amountCents: sale.totals.totalCents,
      reference: 'T1',
    })
    const { blocks } = (await harness.call('GET', `/api/sales/${sale.id}/receipt`)).body.document
    expect(blocks).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ text: 'Note: gift p0 wrap <b>' }),
        expect.objectContaining({ text: 'Note: Call before delivery' }),
      ]),
    )
  })
})
