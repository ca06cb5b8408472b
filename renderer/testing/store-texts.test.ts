import { expect, test } from 'vitest'
import { ok } from './answers.ts'
import { useBuiltScreens } from './built-screens.ts'
import { SAM, setUp } from './screen-fixture.ts'
import { SCREEN_FIXTURES } from './screen-fixtures.ts'

const screens = useBuiltScreens(() => ({ signedIn: SAM }))

test('the list of promotions shows the minimum amount and units of a promotion', async () => {
  const { terminal, page } = screens
  setUp(SCREEN_FIXTURES['catalog-promotions'] ?? {}, terminal, (english) => english)
  const promotion = {
    id: 'five-off',
    names: { 'en-CA': 'Five off', 'fr-CA': 'Cinq de rabais' },
    items: { kind: 'all' },
    reward: { kind: 'basket-amount', cents: 5_00 },
    times: {},
    conditions: { minimumCents: 40_00, minimumUnits: 3 },
    buyers: 'everyone',
    stackable: false,
    priority: 100,
  }
  terminal.state.answers['GET /api/catalog/promotions'] = ok({
    promotions: [{ promotion, from: 'lane', state: 'now' }],
  })
  await page.goto(`${terminal.url}/manager/catalog`)
  await page.getByRole('tab', { name: 'Promotions' }).click()
  const row = page.getByRole('row', { name: /Five off/ })
  await row.getByText('From $40.00').waitFor()
  expect(await row.textContent()).toContain('From 3 units')
})

test('the settings page shows “No limit” for a rule of returns that is not set', async () => {
  const { terminal, page } = screens
  await page.goto(`${terminal.url}/manager/settings`)
  await page.getByRole('radio', { name: 'Returns', exact: true }).click()
  const row = page.getByRole('row', { name: /Returns a day at a lane/ })
  await row.waitFor()
  expect(await row.textContent()).toContain('No limit')
})
