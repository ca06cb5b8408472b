import { PERMITTED_ACTIONS, type PermittedAction } from './permissions.ts'

/**
 * Settings that a manager changes at the lane. Each has the path and schema of the store profile. This module contains
 * only data: the screens take the input form of each setting from here.
 */
export const SETTING_GROUPS = ['receipts', 'taxes', 'permissions', 'returns', 'limits', 'sounds'] as const
export type SettingGroup = (typeof SETTING_GROUPS)[number]

/** How the value of a setting is entered. `times`: how many of the profile's units make one of `unit`. */
export type SettingForm =
  | { readonly as: 'lines' }
  | { readonly as: 'lines-by-language' }
  | { readonly as: 'text' }
  | { readonly as: 'taxes' }
  | { readonly as: 'permission' }
  | { readonly as: 'ages' }
  | { readonly as: 'return-days' }
  | { readonly as: 'switch' }
  | {
      readonly as: 'number'
      readonly unit: 'percent' | 'dollars' | 'seconds' | 'minutes' | 'hours' | 'days' | 'digits' | 'returns'
      readonly times: number
      /** Lowest value, in `unit`. A lower value would leave too little time to change it back. */
      readonly least?: number
      /** Highest value, in `unit`. A timer longer than some weeks would fire at once. */
      readonly most?: number
    }

export interface SettingKind {
  readonly group: SettingGroup
  readonly form: SettingForm
  readonly optional?: true
}

const number = (
  unit: Extract<SettingForm, { as: 'number' }>['unit'],
  times = 1,
  bounds: { readonly least?: number; readonly most?: number } = {},
) => ({ as: 'number', unit, times, ...bounds }) as const
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY_SECONDS = 86_400

type ActionSetting = `approvals.actions.${PermittedAction}`
const ACTION_SETTINGS = Object.fromEntries(
  PERMITTED_ACTIONS.map((action) => [
    `approvals.actions.${action}`,
    { group: 'permissions', form: { as: 'permission' } } satisfies SettingKind,
  ]),
) as Readonly<Record<ActionSetting, SettingKind>>

const PLAIN_SETTINGS = {
  'receipt.header': { group: 'receipts', form: { as: 'lines' } },
  'receipt.footer': { group: 'receipts', form: { as: 'lines-by-language' } },
  'receipt.link': { group: 'receipts', form: { as: 'text' }, optional: true },
  taxes: { group: 'taxes', form: { as: 'taxes' }, optional: true },
  'approvals.discountAbovePercent': { group: 'permissions', form: number('percent') },
  'approvals.returnFromDollars': { group: 'permissions', form: number('dollars'), optional: true },
  'returns.days': { group: 'returns', form: number('days'), optional: true },
  'returns.departments': { group: 'returns', form: { as: 'return-days' } },
  'returns.lowestPriceDays': { group: 'returns', form: number('days') },
  'returns.cashierCount': { group: 'returns', form: number('returns'), optional: true },
  'returns.cashierDollars': { group: 'returns', form: number('dollars'), optional: true },
  'returns.laneCount': { group: 'returns', form: number('returns'), optional: true },
  'returns.laneDollars': { group: 'returns', form: number('dollars'), optional: true },
  'signIn.badges': { group: 'permissions', form: { as: 'switch' } },
  'limits.pinDigits': { group: 'limits', form: number('digits') },
  'limits.idleLockMs': { group: 'limits', form: number('minutes', MINUTE, { least: 1 }) },
  'limits.signedInMs': { group: 'limits', form: number('hours', HOUR, { least: 1 }) },
  'limits.echoIntervalMs': { group: 'limits', form: number('seconds', SECOND, { least: 5, most: DAY_SECONDS }) },
  'limits.backupKeepDays': { group: 'limits', form: number('days') },
  'connection.certificateWarnDays': { group: 'limits', form: number('days') },
  'shifts.floatDollars': { group: 'limits', form: number('dollars'), optional: true },
  'shifts.toleratedDollars': { group: 'limits', form: number('dollars'), optional: true },
  'ageChecks.clearlyOver': { group: 'limits', form: { as: 'switch' } },
  'ageChecks.departments': { group: 'limits', form: { as: 'ages' } },
  'connection.sound': { group: 'sounds', form: { as: 'switch' } },
  'connection.noticeAfterMs': { group: 'sounds', form: number('seconds', SECOND, { most: DAY_SECONDS }) },
} as const satisfies Record<string, SettingKind>

export type SettingName = keyof typeof PLAIN_SETTINGS | ActionSetting
export const SETTINGS: Readonly<Record<SettingName, SettingKind>> = { ...PLAIN_SETTINGS, ...ACTION_SETTINGS }
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]
export const PLAIN_SETTING_NAMES = Object.keys(PLAIN_SETTINGS) as readonly (keyof typeof PLAIN_SETTINGS)[]

export const isSettingOfRights = (name: string): boolean =>
  name.startsWith('approvals.') || SETTINGS_OF_SIGN_IN.includes(name)
const SETTINGS_OF_SIGN_IN: readonly string[] = [
  'signIn.badges',
  'limits.pinDigits',
  'limits.idleLockMs',
  'limits.signedInMs',
] satisfies SettingName[]

export const actionOfSetting = (name: SettingName): PermittedAction | null =>
  PERMITTED_ACTIONS.find((action) => name === `approvals.actions.${action}`) ?? null
