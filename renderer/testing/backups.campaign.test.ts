import { expect, test } from 'vitest'
import type { Locale } from '../../contracts/core/locales.ts'
import { useBuiltScreens } from './built-screens.ts'
import { BACKUPS, CLOSING } from '../operations/backups/backups.fixture.ts'
import { SAM } from './screen-fixture.ts'
import { ok } from './answers.ts'

const screens = useBuiltScreens(() => ({ signedIn: SAM }), { viewport: { width: 1024, height: 768 } }, { routes: true })

const NAMED: readonly (readonly [Locale, RegExp, Readonly<Record<string, RegExp>>])[] = [
  [
    'en-CA',
    /^Restore closing/,
    {
      Badges: /^Jo Lavallée-Fitzgerald · assigned$/,
      'Settings changed': /^Return without a permission, below · Nov 20, 2026/,
      'Planned prices': /^1021 · Nov 20, 2026.* · \$5\.49$/,
    },
  ],
  [
    'fr-CA',
    /^Restaurer closing/,
    {
      Badges: /^Jo Lavallée-Fitzgerald · attribution$/,
      'Réglages modifiés': /^Retour sans approbation, sous · 20 nov\. 2026/,
      'Prix à venir': /^1021 · 20 nov\. 2026.* · 5,49\s\$$/,
    },
  ],
]

test.each(NAMED)(
  'the restore preview in %s names badges, settings and planned prices that a restore loses',
  async (...given) => {
    const [locale, restore, named] = given
    const { terminal, page } = screens
    terminal.state.signedIn = { ...SAM, locale }
    await page.goto(`${terminal.url}/manager/backups`)
    await page.getByRole('button', { name: restore }).click()
    const dialog = page.getByRole('dialog')
    for (const [kind, thing] of Object.entries(named)) {
      const row = dialog.getByRole('row').filter({ hasText: kind })
      await row.getByText(kind).click()
      await expect.poll(() => row.getByRole('listitem').innerText()).toMatch(thing)
    }
  },
)

test('a restore dialog keeps waiting for its comparison when an older answer arrives later', async () => {
  const { terminal, page } = screens
  const working = {
    ...BACKUPS,
    work: { kind: 'preview', phase: 'comparing', name: CLOSING.name, share: null },
    preview: null,
  }
  const backUp = page.getByRole('button', { name: 'Back up now' })
  terminal.state.answers['POST /api/backups'] = ok({ ...BACKUPS, preview: null })
  terminal.state.answers['GET /api/backups'] = ok({ ...BACKUPS, preview: null })
  terminal.state.answers[`POST /api/backups/${CLOSING.name}/preview`] = ok(working)
  await page.goto(`${terminal.url}/manager/backups`)
  await backUp.click()
  await page.getByText('Backup complete.').waitFor()
  // When opened again, the page shows the old list while it loads the current one.
  await page.getByRole('link', { name: 'Connection' }).click()
  await backUp.waitFor({ state: 'detached' })
  const late = Promise.withResolvers<void>()
  let held = 0
  await page.route('**/api/backups', async (route) => {
    if (held++ > 0) return await route.continue()
    await late.promise
    await route.fulfill({ json: { ...BACKUPS, preview: null } })
  })
  await page.getByRole('link', { name: 'Backups' }).click()
  terminal.state.answers['GET /api/backups'] = ok(working)
  const compared = page.waitForResponse((response) => response.url().endsWith('/preview'))
  await page.getByRole('button', { name: /^Restore closing/ }).click()
  await compared
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('progressbar').waitFor()
  late.resolve()
  await expect.poll(() => held).toBeGreaterThan(1)
  terminal.state.answers['GET /api/backups'] = ok(BACKUPS)
  await dialog.getByText('N1010100000042K7QZ').waitFor({ state: 'attached' })
})

test('the restore dialog shows that the lane restarts, not the rejection that requires a sign-in', async () => {
  const { terminal, page } = screens
  await page.goto(`${terminal.url}/manager/backups`)
  await page.getByRole('button', { name: /^Restore closing/ }).click()
  const restarting = { ...BACKUPS, work: { kind: 'restore', phase: 'restarting', name: CLOSING.name, share: null } }
  terminal.state.answers['POST /api/backups/restore'] = { status: 202, body: restarting }
  const signInRequired = { code: 'sign-in-required', messages: { 'en-CA': 'Sign in first.', 'fr-CA': 'x' } }
  terminal.state.answers['GET /api/backups'] = { status: 401, body: { ...signInRequired, correlationId: 'c' } }
  const dialog = page.getByRole('dialog')
  const refused = page.waitForResponse((response) => response.status() === 401)
  await dialog.getByRole('group', { name: /^PIN of/ }).waitFor()
  await page.keyboard.type('9999')
  await page.keyboard.press('Enter')
  await refused
  await dialog.getByText('Restoring. Milepost restarts by itself.').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Restarting to restore…').waitFor()
  expect(await page.getByText('Sign in first.').count()).toBe(0)
})
