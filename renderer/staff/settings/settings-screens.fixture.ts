import { SAM } from '../../testing/fixture-facts.ts'
import { SETTINGS_AS_PROFILE } from './settings.fixture.ts'
import { saleOf, line } from '../../testing/sales.ts'
import { A_PERSON_MS, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'
import english from '../../../contracts/i18n/en-CA/errors.ts'
import french from '../../../contracts/i18n/fr-CA/errors.ts'
import { ok } from '../../testing/answers.ts'

const PAGE = { path: '/manager/settings', person: SAM } as const

const view =
  (name: RegExp): NonNullable<ScreenFixture['act']> =>
  async (page) => {
    await page.getByRole('radio', { name }).click()
  }
/** A view of the settings, and the dialog of one of them. */
const dialogOf =
  (group: RegExp, setting: RegExp): NonNullable<ScreenFixture['act']> =>
  async (page) => {
    await page.getByRole('radio', { name: group }).click()
    await page.getByRole('button', { name: setting }).click()
    await page.getByRole('dialog').waitFor()
  }

const aged = saleOf([line(1), line(5)], {
  ageCheck: {
    minimumAge: 19,
    bornBy: '2007-11-21',
    clearlyOver: true,
    items: [{ 'en-CA': 'Sparkling water, 12', 'fr-CA': 'Eau pétillante, 12' }],
  },
})

/** What a manager sets at the lane, and the check of an age. */
export const SETTINGS: ScreenFixtures = {
  settings: PAGE,
  'settings-taxes': { ...PAGE, act: view(/^Taxes$/) },
  'settings-permissions': { ...PAGE, act: view(/^Permissions$/) },
  'settings-limits': { ...PAGE, act: view(/^(Limits|Limites)$/) },
  'settings-sounds': { ...PAGE, act: view(/^(Sounds|Sons)$/) },
  'settings-differences': { ...PAGE, act: view(/^(Differences|Écarts)$/) },
  'settings-no-difference': {
    ...PAGE,
    set: ({ state }) => {
      state.answers['GET /api/settings'] = ok(SETTINGS_AS_PROFILE)
    },
    act: view(/^(Differences|Écarts)$/),
  },
  'settings-failed': {
    ...PAGE,
    refused: true,
    set: ({ state }) => {
      state.answers['GET /api/settings'] = {
        status: 403,
        body: {
          code: 'manager-required',
          messages: { 'en-CA': english['manager-required'], 'fr-CA': french['manager-required'] },
        },
      }
    },
  },
  'settings-footer': {
    ...PAGE,
    act: dialogOf(/^(Receipts|Reçus)$/, /^(Change: Receipt footer|Modifier : Pied du reçu)$/),
  },
  'settings-tax': {
    ...PAGE,
    act: async (page, terminal, say) => {
      await dialogOf(/^Taxes$/, /^(Change: Tax rates|Modifier : Taux de taxe)$/)(page, terminal, say)
      await page.getByRole('button', { name: /^(Add tax|Ajouter une taxe)$/ }).click()
      await page.getByText(/^(At a time|À un moment précis)$/).click()
    },
  },
  'settings-permission': {
    ...PAGE,
    act: dialogOf(/^Permissions$/, /^(Change: Larger discount|Modifier : Rabais plus élevé)$/),
  },
  'staff-badge': {
    path: '/manager/staff',
    person: SAM,
    act: async (page) => {
      await page.getByRole('button', { name: /^(Edit|Modifier) Marie/ }).click()
      await page.getByRole('button', { name: /^(Assign badge|Attribuer un badge)$/ }).click()
      await page.getByText(/^(Swipe or scan|Passez ou lisez)/).waitFor()
    },
  },
  'age-check': {
    sale: aged,
    act: async (page) => {
      await page.getByRole('dialog').waitFor()
      await page.keyboard.type('1990', { delay: A_PERSON_MS })
      await page.keyboard.press('Enter')
    },
  },
}
