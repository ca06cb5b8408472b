import { expect, test } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, buy, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
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

test('a customer gets a copy in the requested language', async () => {
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
