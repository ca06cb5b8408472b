import type { Setting } from '../../../contracts/staff/settings.ts'
import { CASHIER_PERMITS, PERMITTED_ACTIONS } from '../../../contracts/staff/permissions.ts'
import { PLAIN_SETTING_NAMES } from '../../../contracts/staff/setting-names.ts'
import { line, saleOf } from '../../testing/sales.ts'
import { PERSON_KEY_GAP_MS, managed, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'

type Plain = (typeof PLAIN_SETTING_NAMES)[number]

const PROFILE: Readonly<Record<Plain, Setting['value']>> = {
  'receipt.header': [],
  'receipt.footer': {
    'en-CA': ['Thank you. Come back soon!', 'Returns within 30 days with this receipt.'],
    'fr-CA': ['Merci. À bientôt!', 'Retours dans les 30 jours avec ce reçu.'],
  },
  'receipt.link': null,
  taxes: null,
  'approvals.discountAbovePercent': 10,
  'approvals.returnFromDollars': null,
  'returns.days': 30,
  'returns.departments': [{ id: 'produce', days: 3 }],
  'returns.lowestPriceDays': 30,
  'returns.cashierCount': 20,
  'returns.cashierDollars': 300,
  'returns.laneCount': null,
  'returns.laneDollars': null,
  'signIn.badges': false,
  'limits.pinDigits': 4,
  'limits.idleLockMs': 900_000,
  'limits.signedInMs': 43_200_000,
  'limits.echoIntervalMs': 60_000,
  'limits.backupKeepDays': 14,
  'connection.certificateWarnDays': 30,
  'shifts.floatDollars': 200,
  'shifts.toleratedDollars': null,
  'ageChecks.clearlyOver': false,
  'ageChecks.departments': [],
  'connection.sound': true,
  'connection.noticeAfterMs': 60_000,
}

const AT = '2026-11-18T15:20:00.000Z'
const TAXES_FROM_NEW_YEAR = {
  id: 2,
  from: '2027-01-01T05:00:00.000Z',
  value: [{ code: 'HST', percent: 15 }],
  at: AT,
  by: 'Sam Okafor',
}

const plain = (name: Plain) => ({
  name,
  profile: PROFILE[name],
  value: PROFILE[name],
})

const CHANGED: Partial<Record<Plain, object>> = {
  'receipt.header': {
    value: ['Open until 10 pm', 'Ouvert jusqu’à 22 h'],
    differs: true,
    change: {
      id: 1,
      from: AT,
      value: ['Open until 10 pm', 'Ouvert jusqu’à 22 h'],
      at: AT,
      by: 'Sam Okafor',
    },
    newest: 1,
  },
  taxes: { planned: [TAXES_FROM_NEW_YEAR], newest: 2 },
}

const SETTINGS_AS_PROFILE = {
  settings: [
    ...PLAIN_SETTING_NAMES.map(plain),
    ...PERMITTED_ACTIONS.map((action) => {
      const value = {
        cashier: CASHIER_PERMITS[action],
        supervisor: 'alone',
        manager: 'alone',
        approvers: ['supervisor', 'manager'],
      }
      return {
        name: `approvals.actions.${action}`,
        profile: value,
        value,
      }
    }),
  ],
}

export const SETTINGS_FACTS = {
  settings: SETTINGS_AS_PROFILE.settings.map((setting) => {
    const name = PLAIN_SETTING_NAMES.find((one) => one === setting.name)
    return { ...setting, ...(name ? CHANGED[name] : {}) }
  }),
}

const PAGE = managed('settings')

const view =
  (name: RegExp): NonNullable<ScreenFixture['act']> =>
  (page) =>
    page.getByRole('radio', { name }).click()
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

export const SETTINGS: ScreenFixtures = {
  settings: PAGE,
  'settings-taxes': { ...PAGE, act: view(/^Taxes$/) },
  'settings-permissions': { ...PAGE, act: view(/^Permissions$/) },
  'settings-limits': { ...PAGE, act: view(/^(Limits|Limites)$/) },
  'settings-sounds': { ...PAGE, act: view(/^(Sounds|Sons)$/) },
  'settings-differences': { ...PAGE, act: view(/^(Differences|Écarts)$/) },
  'settings-no-difference': {
    ...PAGE,
    answers: { 'GET /api/settings': SETTINGS_AS_PROFILE },
    act: view(/^(Differences|Écarts)$/),
  },
  'settings-failed': {
    ...PAGE,
    refusals: { 'GET /api/settings': 'manager-required' },
  },
  'settings-footer': {
    ...PAGE,
    act: dialogOf(/^(Receipts|Reçus)$/, /^(Change: Receipt footer|Modifier : Pied du reçu)$/),
  },
  'settings-tax': {
    ...PAGE,
    act: async (page, terminal, localize) => {
      await dialogOf(/^Taxes$/, /^(Change: Tax rates|Modifier : Taux de taxe)$/)(page, terminal, localize)
      await page.getByRole('button', { name: /^(Add tax|Ajouter une taxe)$/ }).click()
      await page.getByText(/^(At a time|À un moment précis)$/).click()
    },
  },
  'settings-permission': {
    ...PAGE,
    act: dialogOf(/^Permissions$/, /^(Change: Larger discount|Modifier : Rabais plus élevé)$/),
  },
  'staff-badge': managed('staff', {
    act: async (page) => {
      await page.getByRole('button', { name: /^(Edit|Modifier) Marie/ }).click()
      await page.getByRole('button', { name: /^(Assign badge|Attribuer un badge)$/ }).click()
      await page.getByText(/^(Swipe or scan|Passez ou lisez)/).waitFor()
    },
  }),
  'age-check': {
    sale: aged,
    act: async (page) => {
      await page.getByRole('dialog').waitFor()
      await page.keyboard.type('1990', { delay: PERSON_KEY_GAP_MS })
      await page.keyboard.press('Enter')
    },
  },
}
