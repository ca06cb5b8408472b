import { expect, test } from 'vitest'
import { ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, buy, DETERGENT, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

const languages = (harness: TerminalHarness): string[] =>
  harness
    .read<{ locale: string }>("SELECT document ->> 'locale' AS locale FROM print_job ORDER BY copy, kind")
    .map(({ locale }) => locale)

test('a store in Québec prints French while the cashier works in English, also on copies', async () => {
  const harness = await openTerminalHarness(central, { region: 'QC' })
  const sale = await buy(harness, [[APPLES, 1]])
  await harness.printed(sale.id)
  expect((await harness.call('POST', `/api/sales/${sale.id}/reprint`, {})).status).toBe(200)
  await returnPieces(harness, sale, [1, 1])
  expect(languages(harness)).toEqual(['fr-CA', 'fr-CA', 'fr-CA'])
})

test('a copy of a receipt is printed in the requested language', async () => {
  const harness = await openTerminalHarness(central, { region: 'QC' })
  const sale = await buy(harness, [[APPLES, 1]])
  await harness.printed(sale.id)
  await harness.call('POST', `/api/sales/${sale.id}/reprint`, { locale: 'en-CA' })
  expect(languages(harness)).toEqual(['fr-CA', 'en-CA'])
})

test('a store outside Québec prints in the cashier’s language', async () => {
  const harness = await openTerminalHarness(central)
  await buy(harness, [[APPLES, 1]])
  expect(languages(harness)).toEqual(['en-CA'])
})

test('a bilingual receipt has each text in both languages, French first in Québec, and equal texts once', async () => {
  const harness = await openTerminalHarness(central, { region: 'QC', secondLanguage: 'en-CA' })
  const sale = await buy(harness, [
    [APPLES, 2],
    [DETERGENT, 1],
  ])
  await harness.printed(sale.id)
  const [job] = harness.read<{ document: string }>("SELECT document FROM print_job WHERE kind = 'sale'")
  const document = ReceiptDocument.parse(JSON.parse(job?.document ?? ''))
  expect(document).toMatchObject({ locale: 'fr-CA', title: `Reçu ${sale.id}` })
  const lines = document.blocks.flatMap((block) =>
    block.kind === 'row' ? [`${block.left} ${block.right}`] : block.kind === 'text' ? [block.text] : [],
  )
  const text = lines.join('\n')
  expect(text).toContain('Pommes')
  expect(text).toContain('Apples')
  expect(text).toMatch(/TPS 5 % \(F\) \/ GST 5% \(F\)/)
  expect(text).toMatch(/Sous-total/)
  expect(text).toMatch(/Subtotal/)
  expect(text, 'no separator reaches the printer').not.toMatch(/\p{Cc}(?<!\n)/u)
  expect(lines.every((line) => line.length <= 43)).toBe(true)
  await harness.call('POST', `/api/sales/${sale.id}/reprint`, { locale: 'en-CA' })
  const [, copy] = harness.read<{ document: string }>(
    "SELECT document FROM print_job WHERE kind = 'sale' ORDER BY copy",
  )
  expect(copy?.document, 'a copy in the second language is in that language alone').not.toContain('Sous-total')
})
