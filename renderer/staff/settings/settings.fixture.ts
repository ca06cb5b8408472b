import type { Setting, SettingList } from '../../../contracts/staff/settings.ts'
import { CASHIER_PERMITS, PERMITTED_ACTIONS } from '../../../contracts/staff/permissions.ts'
import { PLAIN_SETTING_NAMES } from '../../../contracts/staff/setting-names.ts'

type Plain = (typeof PLAIN_SETTING_NAMES)[number]

/** What the profile says where a manager has changed nothing. */
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
  asProfile: false,
  at: AT,
  by: 'Sam Okafor',
}

const plain = (name: Plain): Setting => ({
  name,
  profile: PROFILE[name],
  value: PROFILE[name],
  differs: false,
  change: null,
  planned: [],
  newest: 0,
})

const CHANGED: Partial<Record<Plain, Partial<Setting>>> = {
  'receipt.header': {
    value: ['Open until 10 pm', 'Ouvert jusqu’à 22 h'],
    differs: true,
    change: {
      id: 1,
      from: AT,
      value: ['Open until 10 pm', 'Ouvert jusqu’à 22 h'],
      asProfile: false,
      at: AT,
      by: 'Sam Okafor',
    },
    newest: 1,
  },
  taxes: { planned: [TAXES_FROM_NEW_YEAR], newest: 2 },
}

export const SETTINGS_AS_PROFILE: SettingList = {
  settings: [
    ...PLAIN_SETTING_NAMES.map(plain),
    ...PERMITTED_ACTIONS.map((action): Setting => {
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
        differs: false,
        change: null,
        planned: [],
        newest: 0,
      }
    }),
  ],
}

/** A lane whose receipts say more than the profile, and whose tax rises with the new year. */
export const SETTINGS_FACTS: SettingList = {
  settings: SETTINGS_AS_PROFILE.settings.map((setting) => {
    const name = PLAIN_SETTING_NAMES.find((one) => one === setting.name)
    return { ...setting, ...(name ? CHANGED[name] : {}) }
  }),
}
