import { expect, test } from 'vitest'
import type { Locale } from '../../contracts/locales.ts'
import { useBuiltScreens } from './built-screens.ts'
import { SAM } from './fixture-facts.ts'

/** The page of the backups, with a stand-in for the backend. */
const screens = useBuiltScreens(() => ({ signedIn: SAM }), { viewport: { width: 1024, height: 768 } })

/** What is named of a kind, in the words of each language. */
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
      'Réglages modifiés': /^Retour sans permission, sous · 20 nov\. 2026/,
      'Prix à venir': /^1021 · 20 nov\. 2026.* · 5,49\s\$$/,
    },
  ],
]

test.each(NAMED)('a restore names badges, settings and planned prices before it loses them: %s', async (...given) => {
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
})
