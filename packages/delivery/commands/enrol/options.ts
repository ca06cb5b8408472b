import { existsSync, readFileSync } from 'node:fs'
import { parseService } from '../../../../contracts/operations/enrolment-code.ts'
import { fingerprintOf, ownCertificate, pinOf, isSelfSigned } from '../../../store-server/certificate/files.ts'
import { createTranslator } from 'use-intl/core'
import { CATALOGS, type Messages } from '../../../../contracts/i18n/catalogs.ts'
import { perLocale } from '../../../../contracts/i18n/languages.ts'
import type { Locale, Localized } from '../../../../contracts/core/locales.ts'
import { LocalizedError } from '../../../../contracts/core/refusal.ts'
import type { ProfileMistake } from '../../../../contracts/core/profile-check.ts'
import { mistakeLine } from '../check-profile.ts'
import { readArgs } from '../../../../scripts/command-line.ts'

export const HELP = `npm run milepost -- enrol COMMAND --database URL [options]

  new                     a code for every lane of the stores, and sheets to print
  list                    all codes with their state
  reissue STORE[/LANE]    a new code that replaces the previous one
  revoke STORE[/LANE]     make unused codes invalid

  --database URL          the PostgreSQL of the store server, which stores the codes (npm run milepost -- store --help)
  --data FOLDER           the data folder of the store server, for its certificate
  --stores FOLDER         the stores' profiles
  --service ADDRESS       the store server's address for lanes: https://store.example:8443
  --out FOLDER            the folder of the sheets, readable only by their owner
  --secrets CSV           client secrets: columns store,lane,secret; no lane means the whole store
  --pins                  a one-time PIN for every person, on a separate sheet for the manager
  --hours N               how long the codes are valid (default 72, at most 2160: 90 days)
  --certificate FILE      the server's certificate, unless a public authority signed it
                          (default: server.crt in the data folder, from npm run milepost -- store certificate)
  --store-server ADDRESS  the store server that the lanes will use; --ca FILE: the authority of its certificate
  --language CODE         en-CA or fr-CA
  --tokens                revoke: also end the tokens of enrolled lanes
  --running               reissue: also for a lane that was connected a moment ago
`

export const readEnrolArgs = (args: readonly string[]) =>
  readArgs(args, {
    texts: 'data database stores service out secrets hours certificate store-server ca language',
    flags: 'pins tokens running',
    words: true,
  })
export type Values = ReturnType<typeof readEnrolArgs>['values']

export interface Target {
  readonly store: string
  readonly lane: string | null
}

export const isOf = ({ store, lane }: { readonly store: string; readonly lane: string }, which: Target): boolean =>
  store === which.store && (which.lane === null || which.lane === lane)

export function parseTarget(text: string | undefined): Target {
  const [store, lane, ...more] = text?.split('/') ?? []
  if (!store || lane === '' || more.length > 0) throw refused('which', {}, { help: HELP })
  return { store, lane: lane ?? null }
}

export function needed(values: Values, name: 'data' | 'database' | 'stores' | 'service' | 'out'): string {
  const value = values[name]?.trim()
  if (!value) throw refused('optionMissing', { option: `--${name}` }, { help: HELP })
  return value
}

export function addressOf(name: string, text: string): string {
  const address = parseService(text)
  if (address === null) throw refused('address', { option: `--${name}`, given: text })
  return address
}

/** Maximum validity of codes, because enrolling hundreds of stores takes weeks. */
const MAX_HOURS = 90 * 24

export function hoursOf(text = '72'): number {
  const hours = Number(text)
  if (!/^\d{1,4}$/.test(text) || hours < 1 || hours > MAX_HOURS)
    throw refused('hours', { given: text, most: String(MAX_HOURS) })
  return hours
}

export function storeServerOf({ 'store-server': address, ca }: Values) {
  if (address === undefined) {
    if (ca !== undefined) throw refused('caAlone')
    return null
  }
  return { url: addressOf('store-server', address), ca: ca === undefined ? null : pinOf(readFileSync(ca, 'utf8')) }
}

/**
 * Returns the fingerprint of the certificate that lanes pin; null if the server has no certificate of its own, or a
 * public authority signed it.
 */
export function fingerprintFor(values: Values): string | null {
  if (values.certificate !== undefined) return fingerprintOfFile(values.certificate)
  const file = ownCertificate(needed(values, 'data')).certificate
  const own = existsSync(file) ? readFileSync(file, 'utf8') : null
  const pin = own === null ? null : pinOf(own)
  return pin !== null && isSelfSigned(pin) ? fingerprintOf(pin) : null
}

function fingerprintOfFile(file: string): string {
  try {
    return fingerprintOf(pinOf(readFileSync(file, 'utf8')))
  } catch (error) {
    throw refused('certificate', { file }, { cause: error })
  }
}

interface ListedLane {
  readonly store: string
  readonly lane: string
}

const MAX_NAMED = 20

export function lanesOf(lanes: readonly ListedLane[], translate: Translate): string {
  const names = [...new Set(lanes.map(({ store, lane }) => `${store}/${lane}`))]
  const more = names.length - MAX_NAMED
  const some = names.slice(0, MAX_NAMED).join(', ')
  return more > 0 ? translate('more', { lanes: some, count: String(more) }) : some
}

export const translatorOf = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'enrolling' })
export type Translate = ReturnType<typeof translatorOf>

export class EnrolError extends LocalizedError {
  override name = 'EnrolError'
}

type Key = keyof Messages['enrolling']['refused']
const TRANSLATORS = perLocale(translatorOf)

export function refused(
  key: Key,
  values: Readonly<Record<string, string>> = {},
  { help = '', cause }: { readonly help?: string; readonly cause?: unknown } = {},
): EnrolError {
  const messages = perLocale((locale) => {
    const translate: (key: `refused.${Key}`, values: Readonly<Record<string, string>>) => string = TRANSLATORS[locale]
    return [translate(`refused.${key}`, values), ...(help === '' ? [] : [help])].join('\n')
  })
  return new EnrolError(messages, { cause })
}

export const joined = (texts: readonly Localized[]): Localized =>
  perLocale((locale) => texts.map((text) => text[locale]).join('\n'))

export const localizedMistake = (mistake: ProfileMistake): Localized =>
  perLocale((locale) => mistakeLine(mistake, locale))
