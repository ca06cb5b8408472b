import { couponKey } from '../../../contracts/catalog/manufacturer-coupons.ts'
import { readFileSync } from 'node:fs'
import { LineCounter, parseDocument } from 'yaml'
import type { Localized, Locale } from '../../../contracts/core/locales.ts'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import { Profile } from '../../../contracts/core/profile.ts'
import { isKnownZone } from '../zone.ts'
import { fileMessages } from '../i18n.ts'
import {
  filesOutside,
  sharedWires,
  taxesOutsideRegion,
  unboundedPatterns,
  unreachableCoupons,
  unknownNames,
  receiptsWithoutFrench,
  wrongTaxNumbers,
  zoneOutsideRegion,
  type CatalogNames,
  type Rule,
} from './profile-checks.ts'
import { explainIssues, explainValue, positionOf, type PathKey } from './profile-issues.ts'
import {
  dataOf,
  firstOf,
  mistakeAt,
  mistakeOf,
  MAX_REPORTED,
  parseSettings,
  pathText,
  readSettings,
  secretKeys,
  SECRET_MESSAGE,
  type ProfileError,
} from './profile-file.ts'

function* upTo<T>(found: Iterable<T>): Generator<T> {
  let left = MAX_REPORTED + 1
  for (const one of found) {
    yield one
    left -= 1
    if (left === 0) return
  }
}

/**
 * Reads and validates a store profile. Reports all errors up to a limit, in the order of the lines; never throws. Its
 * time is linear in the length of the file.
 */
export function loadProfile(path: string): { profile: Profile } | { errors: ProfileError[] } {
  const read = readSettings(path)
  return 'errors' in read ? read : loadProfileText(path, read.text)
}

export function loadProfileText(path: string, text: string): { profile: Profile } | { errors: ProfileError[] } {
  const settings = parseSettings(path, text)
  if ('errors' in settings) return settings
  const { document, lines } = settings
  if (document.contents === null)
    return { errors: [mistakeAt(path, { line: 1, column: 1 }, fileMessages('profile.empty'))] }
  const read = dataOf(document)
  if (read === null) return { errors: [mistakeOf(path, fileMessages('profile.aliases'))] }
  const { data: value } = read
  const errors: ProfileError[] = []
  const report = (at: readonly PathKey[], messages: Localized, what: 'key' | 'value' = 'value'): void => {
    errors.push({ file: path, ...positionOf(document, lines, at, what), path: pathText(at), at, what, messages })
  }

  const secrets = secretKeys(document)
  for (const at of secrets) report(at, SECRET_MESSAGE, 'key')
  const parsed = Profile.safeParse(value)
  if (parsed.success) {
    for (const rule of upTo(crossChecks(parsed.data))) report(rule.at, rule.messages)
  } else {
    const places = new Set(secrets.map(pathText))
    for (const issue of explainIssues(parsed.error.issues, document, value, MAX_REPORTED + 1))
      if (!places.has(pathText(issue.at))) report(issue.at, issue.messages, issue.what)
  }
  if (parsed.success && errors.length === 0) return { profile: parsed.data }
  errors.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  return firstOf(path, errors)
}

export function checkProfile(
  value: unknown,
):
  | { readonly profile: Profile }
  | { readonly issues: readonly { readonly at: readonly PathKey[]; readonly messages: Localized }[] } {
  const parsed = Profile.safeParse(value)
  if (!parsed.success) return { issues: parsed.error.issues.slice(0, MAX_REPORTED).map(explainValue) }
  const issues = [...upTo(crossChecks(parsed.data))]
  return issues.length > 0 ? { issues } : { profile: parsed.data }
}

export function checkCatalogNames(
  path: string,
  profile: Profile,
  catalog: CatalogNames,
  text = readFileSync(path, 'utf8'),
): ProfileError[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  return [...upTo(unknownNames(profile, catalog))].map(({ at, messages }) => ({
    file: path,
    ...positionOf(document, lines, at, 'value'),
    path: pathText(at),
    at,
    what: 'value',
    messages,
  }))
}

export function formatProfileErrors(errors: readonly ProfileError[], locale: Locale = FIRST_LOCALE): string {
  return errors
    .map((error) => {
      const place = error.line === null ? error.file : `${error.file}:${error.line}:${error.column}`
      return `${place}  ${error.path ? `${error.path}: ` : ''}${error.messages[locale]}`
    })
    .join('\n')
}

function* crossChecks(profile: Profile): Generator<Rule> {
  if (isKnownZone(profile.timeZone)) yield* zoneOutsideRegion(profile)
  else yield { at: ['timeZone'], messages: fileMessages('profile.unknownZone', { zone: profile.timeZone }) }
  for (const [index, lane] of profile.lanes.entries()) yield* sharedWires(lane, ['lanes', index])
  const unbounded = [...unboundedPatterns(profile)]
  yield* unbounded
  if (unbounded.length === 0) yield* unreachableCoupons(profile)
  yield* repeated(profile.lanes.map((lane, index) => [lane.id, ['lanes', index, 'id']]))
  yield* repeated(profile.lanes.map((lane, index) => [lane.deviceId, ['lanes', index, 'deviceId']]))
  yield* repeated(profile.staff.map((person, index) => [person.id, ['staff', index, 'id']]))
  if (!profile.staff.some(({ role }) => role === 'manager'))
    yield { at: ['staff'], messages: fileMessages('profile.noManager') }
  yield* taxesOutsideRegion(profile)
  yield* wrongTaxNumbers(profile)
  yield* receiptsWithoutFrench(profile)
  yield* filesOutside(profile)
  yield* repeated((profile.taxes ?? []).map(({ code }, index) => [code, ['taxes', index, 'code']]))
  yield* repeated(profile.ageChecks.departments.map(({ id }, index) => [id, ['ageChecks', 'departments', index, 'id']]))
  yield* repeated(profile.returns.departments.map(({ id }, index) => [id, ['returns', 'departments', index, 'id']]))
  yield* wrongCoupons(profile, 'coupons', (code) => code.toUpperCase())
  yield* wrongCoupons(profile, 'manufacturerCoupons', couponKey)
  yield* wrongIssuanceRules(profile)
  yield* secretsInAddresses(profile)
  if (profile.mode !== 'training') yield* notForProduction(profile)
}

function* wrongCoupons(
  profile: Profile,
  list: 'coupons' | 'manufacturerCoupons',
  keyOf: (code: string) => string,
): Generator<Rule> {
  yield* repeated(profile[list].map(({ code }, index) => [keyOf(code), [list, index, 'code']]))
  for (const [index, coupon] of profile[list].entries()) {
    if ('percent' in coupon && coupon.percent !== undefined && coupon.dollars !== undefined)
      yield couponBoth([list, index], 'percent', 'dollars')
    if (coupon.sku !== undefined && coupon.department !== undefined)
      yield couponBoth([list, index], 'sku', 'department')
    yield* endsBefore(coupon, [list, index, 'until'])
  }
}

const couponBoth = (at: readonly PathKey[], one: string, other: string): Rule => ({
  at: [...at, other],
  messages: fileMessages('profile.couponBoth', { one, other }),
})

function* wrongIssuanceRules({ issuance: { mode, rules } }: Profile): Generator<Rule> {
  const at = ['issuance', 'rules']
  if (mode === 'partner' && rules.length === 0) yield { at, messages: fileMessages('profile.rulesMissing') }
  if (mode === 'service' && rules.length > 0) yield { at, messages: fileMessages('profile.rulesUnused') }
  for (const [index, rule] of rules.entries()) yield* endsBefore(rule, [...at, index, 'until'])
}

interface Address {
  readonly at: readonly PathKey[]
  readonly url: string
}

const addressAt = (at: readonly PathKey[], url: string | undefined): Address[] =>
  url === undefined ? [] : [{ at, url }]

function serviceAddresses({ endpoints }: Profile): Address[] {
  if (endpoints === undefined) return []
  const { memberSignIn } = endpoints
  return [
    ...(['offers', 'issuance', 'cash'] as const).flatMap((name) => addressAt(['endpoints', name], endpoints[name])),
    ...addressAt(['endpoints', 'token', 'url'], endpoints.token.url),
    ...(['offerState', 'history'] as const).flatMap((name) => addressAt(['endpoints', name], endpoints[name])),
    ...(['url', 'revocationUrl'] as const).flatMap((name) =>
      addressAt(['endpoints', 'memberSignIn', name], memberSignIn?.[name]),
    ),
  ]
}

function* secretsInAddresses(profile: Profile): Generator<Rule> {
  const proxy = addressAt(['endpoints', 'proxy'], profile.endpoints?.proxy)
  for (const { at, url } of [...serviceAddresses(profile), ...proxy]) {
    const { username, password } = new URL(url)
    if (username || password) yield { at, messages: SECRET_MESSAGE }
  }
}

/** Reports settings that production requires and that are missing, and settings for training only. */
function* notForProduction(profile: Profile): Generator<Rule> {
  const { endpoints, updates, lanes, staff, training } = profile
  if (endpoints === undefined) yield { at: ['endpoints'], messages: fileMessages('profile.endpointsMissing') }
  // Service addresses need HTTPS (specification 3 §1), even on the lane itself.
  for (const { at, url } of [...serviceAddresses(profile), ...addressAt(['updates', 'url'], updates.url)])
    if (new URL(url).protocol !== 'https:') yield { at, messages: fileMessages('profile.httpsWanted') }
  for (const [index, { devices }] of lanes.entries())
    for (const role of ['cardReader', 'scanner', 'printer', 'lineDisplay', 'scale', 'cardTerminal'] as const)
      if (devices[role]?.connection.kind === 'virtual')
        yield {
          at: ['lanes', index, 'devices', role, 'connection', 'kind'],
          messages: fileMessages('profile.virtualDevice'),
        }
  for (const [index, { trainingPin }] of staff.entries())
    if (trainingPin !== undefined)
      yield { at: ['staff', index, 'trainingPin'], messages: fileMessages('profile.trainingPin') }
  if (training !== undefined) yield { at: ['training'], messages: fileMessages('profile.trainingCards') }
}

function* endsBefore(
  { from, until }: { readonly from?: string | undefined; readonly until?: string | undefined },
  at: readonly PathKey[],
): Generator<Rule> {
  if (from !== undefined && until !== undefined && until < from)
    yield {
      at,
      messages: fileMessages('profile.endsBefore', { until, from }),
    }
}

function* repeated(entries: readonly (readonly [string, readonly PathKey[]])[]): Generator<Rule> {
  const seen = new Set<string>()
  for (const [id, at] of entries) {
    if (seen.has(id))
      yield {
        at,
        messages: fileMessages('profile.repeated', { id }),
      }
    seen.add(id)
  }
}
