import { existsSync, readFileSync } from 'node:fs'
import { parseService } from '../../../../contracts/operations/enrolment-code.ts'
import { fingerprintOf, ownCertificate, pinOf, vouchesForItself } from '../../../store-server/certificate/files.ts'
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
  list                    which codes there are, and what became of them
  reissue STORE[/LANE]    a new code in the place of the one before
  revoke STORE[/LANE]     codes that wait are good for nothing any more

  --database URL          the PostgreSQL of the store server: the codes are there (npm run milepost -- store --help)
  --data FOLDER           the data folder of the store server, for its certificate
  --stores FOLDER         the stores' profiles
  --service ADDRESS       the store server, as lanes reach it: https://store.example:8443
  --out FOLDER            where the sheets go; readable by their owner only
  --secrets CSV           client secrets: columns store,lane,secret; without a lane for the whole store
  --pins                  makes a one-time PIN for everybody, on a sheet of its own for the manager
  --hours N               how long the codes of this batch are good (default 72, at most 2160: 90 days)
  --certificate FILE      the certificate by which the sheets tell the server, where no authority vouches for it
                          (default: server.crt in the data folder, where npm run milepost -- store certificate made one)
  --store-server ADDRESS  told to the lanes as their store's own server; --ca FILE: the authority of its certificate
  --language CODE         en-CA or fr-CA
  --tokens                revoke: also what enrolled lanes show themselves by
  --running               reissue: also for a lane that the store server has just heard of
`

export const readEnrolArgs = (args: readonly string[]) =>
  readArgs(args, {
    texts: 'data database stores service out secrets hours certificate store-server ca language',
    flags: 'pins tokens running',
    words: true,
  })
export type Values = ReturnType<typeof readEnrolArgs>['values']

export interface Which {
  readonly store: string
  readonly lane: string | null
}

export const isOf = ({ store, lane }: { readonly store: string; readonly lane: string }, which: Which): boolean =>
  store === which.store && (which.lane === null || which.lane === lane)

export function whichOf(text: string | undefined): Which {
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

/** Hundreds of stores are enrolled over weeks. */
const MOST_HOURS = 90 * 24

export function hoursOf(text = '72'): number {
  const hours = Number(text)
  if (!/^\d{1,4}$/.test(text) || hours < 1 || hours > MOST_HOURS)
    throw refused('hours', { given: text, most: String(MOST_HOURS) })
  return hours
}

export function storeServerOf({ 'store-server': address, ca }: Values) {
  if (address === undefined) {
    if (ca !== undefined) throw refused('caAlone')
    return null
  }
  return { url: addressOf('store-server', address), ca: ca === undefined ? null : pinOf(readFileSync(ca, 'utf8')) }
}

/** Null where nobody has to be told: an authority vouches for the server. */
export function fingerprintFor(values: Values): string | null {
  if (values.certificate !== undefined) return fingerprintOfFile(values.certificate)
  const file = ownCertificate(needed(values, 'data')).certificate
  const own = existsSync(file) ? readFileSync(file, 'utf8') : null
  const pin = own === null ? null : pinOf(own)
  return pin !== null && vouchesForItself(pin) ? fingerprintOf(pin) : null
}

function fingerprintOfFile(file: string): string {
  try {
    return fingerprintOf(pinOf(readFileSync(file, 'utf8')))
  } catch (error) {
    throw refused('certificate', { file }, { cause: error })
  }
}

interface Lane {
  readonly store: string
  readonly lane: string
}

/** As many as somebody reads. */
const MOST_NAMED = 20

/** Lanes by their names, each once. */
export function lanesOf(lanes: readonly Lane[], say: Say): string {
  const names = [...new Set(lanes.map(({ store, lane }) => `${store}/${lane}`))]
  const more = names.length - MOST_NAMED
  const some = names.slice(0, MOST_NAMED).join(', ')
  return more > 0 ? say('more', { lanes: some, count: String(more) }) : some
}

/** What the tool for codes says, in one language. */
export const translatorOf = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'enrolling' })
export type Say = ReturnType<typeof translatorOf>

/** What cannot be done, in words for whoever runs the command. */
export class EnrolError extends LocalizedError {
  override name = 'EnrolError'
}

type Key = keyof Messages['enrolling']['refused']
const TRANSLATORS = perLocale(translatorOf)

/** A refusal in every language; `help` follows it, where what was typed cannot be understood. */
export function refused(
  key: Key,
  values: Readonly<Record<string, string>> = {},
  { help = '', cause }: { readonly help?: string; readonly cause?: unknown } = {},
): EnrolError {
  const words = perLocale((locale) => {
    const say: (key: `refused.${Key}`, values: Readonly<Record<string, string>>) => string = TRANSLATORS[locale]
    return [say(`refused.${key}`, values), ...(help === '' ? [] : [help])].join('\n')
  })
  return new EnrolError(words, { cause })
}

/** Texts one below the other, in every language. */
export const joined = (texts: readonly Localized[]): Localized =>
  perLocale((locale) => texts.map((text) => text[locale]).join('\n'))

/** A mistake in a file with its place, in every language. */
export const wordsOfMistake = (mistake: ProfileMistake): Localized =>
  perLocale((locale) => mistakeLine(mistake, locale))
