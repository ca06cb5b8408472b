import type { Localized } from '../../../contracts/core/locales.ts'
import type { LaneSettings, Profile } from '../../../contracts/core/profile.ts'
import type { TaxCode } from '../../../contracts/core/regions.ts'
import { scanCodesOf, scanReach } from '../scan-codes.ts'
import { fileMessages } from '../i18n.ts'
import { isBoundedPattern } from './pattern-paths.ts'
import type { PathKey } from './profile-issues.ts'
import { REGION_TAXES, REGION_ZONES } from '../../../contracts/core/region-taxes.ts'

export interface Rule {
  readonly at: readonly PathKey[]
  readonly messages: Localized
}

/**
 * Reports a time zone outside the region, which would shift 03:00 at the store, the end of the reversal window, by an
 * hour.
 */
export function* zoneOutsideRegion({ region, timeZone }: Profile): Generator<Rule> {
  const zones: readonly string[] = REGION_ZONES[region]
  if (zones.length === 0 || zones.includes(timeZone)) return
  const list = zones.join(', ')
  yield {
    at: ['timeZone'],
    messages: fileMessages('profile.zoneOutsideRegion', { region, list, timeZone }),
  }
}

/**
 * Reports taxes of another region (such as HST in Québec), and missing taxes of the region (such as QST in Québec with
 * GST alone). Region ZZ accepts any taxes.
 */
export function* taxesOutsideRegion({ region, taxes = [] }: Profile): Generator<Rule> {
  if (taxes.length === 0 || region === 'ZZ') return
  const own: readonly TaxCode[] = REGION_TAXES[region].map(({ code }) => code)
  const list = own.join(', ')
  for (const [index, { code }] of taxes.entries())
    if (!own.includes(code))
      yield { at: ['taxes', index, 'code'], messages: fileMessages('profile.taxOutsideRegion', { code, region, list }) }
  for (const code of own)
    if (!taxes.some((tax) => tax.code === code))
      yield { at: ['taxes'], messages: fileMessages('profile.taxMissing', { code, region, list }) }
}

/** Forms of registration numbers on receipts: CRA's business number with RT, Revenu Québec's with TQ. */
const FEDERAL_NUMBER = /(?<!\d)(?:\d[ -]?){8}\d[ -]*RT[ -]*\d{4}(?!\d)/i
const QUEBEC_NUMBER = /(?<!\d)(?:\d[ -]?){9}\d[ -]*TQ[ -]*\d{4}(?!\d)/i

export function* wrongTaxNumbers({ mode, region, taxes, store }: Profile): Generator<Rule> {
  const { taxNumbers } = store
  for (const [index, text] of taxNumbers.entries()) {
    const isWrong =
      (/\b(GST|HST|TPS|TVH)\b/i.test(text) && !FEDERAL_NUMBER.test(text)) ||
      (/\b(QST|TVQ)\b/i.test(text) && !QUEBEC_NUMBER.test(text))
    if (isWrong) yield { at: ['store', 'taxNumbers', index], messages: fileMessages('profile.taxNumber', { text }) }
  }
  if (mode === 'training') return
  const charged: readonly TaxCode[] = (taxes ?? REGION_TAXES[region]).map(({ code }) => code)
  const lacks = (pattern: RegExp): boolean => !taxNumbers.some((text) => pattern.test(text))
  const missing = (example: string): Rule => ({
    at: ['store', 'taxNumbers'],
    messages: fileMessages('profile.taxNumberMissing', { example }),
  })
  if ((charged.includes('GST') || charged.includes('HST')) && lacks(FEDERAL_NUMBER))
    yield missing('GST/HST 123456789 RT0001')
  if (charged.includes('QST') && lacks(QUEBEC_NUMBER)) yield missing('QST 1234567890 TQ0001')
}

/**
 * Reports receipts without French in Québec: they must be in French, alone or with another language (Charter of the
 * French Language, chapter C-11, s. 57 and 89).
 */
export function* receiptsWithoutFrench({ mode, region, locales, receipt }: Profile): Generator<Rule> {
  if (mode === 'training' || region !== 'QC' || locales.receipt !== 'en-CA' || receipt.secondLanguage === 'fr-CA')
    return
  yield { at: ['locales', 'receipt'], messages: fileMessages('profile.receiptWithoutFrench') }
}

/**
 * Reports files outside the profile's folder: a package would not contain them, and they may belong to another user.
 */
export function* filesOutside({ catalog, receipt }: Profile): Generator<Rule> {
  for (const { at, file } of [
    { at: ['catalog', 'file'], file: catalog.file },
    ...(receipt.logo === undefined ? [] : [{ at: ['receipt', 'logo', 'file'], file: receipt.logo.file }]),
  ])
    if (leavesFolder(file)) yield { at, messages: fileMessages('profile.fileOutside', { file }) }
}

function leavesFolder(file: string): boolean {
  if (/^([/\\]|[A-Za-z]:)/.test(file)) return true
  let depth = 0
  for (const group of file.split(/[/\\]/)) {
    if (group !== '' && group !== '.') depth += group === '..' ? -1 : 1
    if (depth < 0) return true
  }
  return false
}

/** Reports two devices of one lane on one connection: the second cannot open it, or each reads half of the data. */
export function* sharedWires(lane: LaneSettings, at: readonly PathKey[]): Generator<Rule> {
  const first = new Map<string, string>()
  for (const role of ['cardReader', 'scanner', 'printer', 'lineDisplay', 'scale', 'cardTerminal'] as const) {
    const connection = lane.devices[role]?.connection
    if (connection === undefined || connection.kind === 'virtual') continue
    const [wire, key] =
      connection.kind === 'tcp'
        ? [`${connection.host.toLowerCase()}:${connection.port}`, 'host']
        : [connection.path, 'path']
    const same = sameOnWindows(wire)
    const other = first.get(same)
    if (other !== undefined) {
      yield {
        at: [...at, 'devices', role, 'connection', key],
        messages: fileMessages('profile.sharedWire', { wire, other }),
      }
    }
    first.set(same, other ?? role)
  }
}

const sameOnWindows = (wire: string): string => /^(?:\\\\\.\\)?com(\d+)$/i.exec(wire)?.[1] ?? wire

export function* unboundedPatterns({ program, signIn }: Profile): Generator<Rule> {
  for (const [name, pattern] of Object.entries(program.cards)) {
    if (!isBoundedPattern(pattern)) yield { at: ['program', 'cards', name], messages: TOO_MANY_WAYS }
  }
  for (const [name, pattern] of Object.entries(signIn.badgePatterns)) {
    if (!isBoundedPattern(pattern)) yield { at: ['signIn', 'badgePatterns', name], messages: TOO_MANY_WAYS }
  }
}
/**
 * Reports coupons with a code that a scan takes for something else, such as a member card. Runs the profile's patterns,
 * which must be bounded.
 */
export function* unreachableCoupons(profile: Profile): Generator<Rule> {
  const isReachable = scanReach(scanCodesOf(profile))
  for (const list of ['coupons', 'manufacturerCoupons'] as const)
    for (const [index, { code }] of profile[list].entries())
      if (!isReachable(code)) yield { at: [list, index, 'code'], messages: fileMessages('profile.couponHidden') }
}

const TOO_MANY_WAYS: Localized = fileMessages('profile.unboundedPattern')

export interface CatalogNames {
  hasSku(sku: string): boolean
  hasDepartment(id: string): boolean
  hasCategory(id: string): boolean
}

/**
 * Reports items, departments and categories that the profile names and the catalog lacks, as errors that refuse the
 * profile: a quick key would have no item, a coupon would never apply.
 */
export function* unknownNames(profile: Profile, catalog: CatalogNames): Generator<Rule> {
  for (const [index, { id, quick }] of profile.catalog.departments.entries()) {
    const at = ['catalog', 'departments', index]
    if (!catalog.hasDepartment(id)) yield unknown([...at, 'id'], id, 'department')
    for (const [key, sku] of (quick ?? []).entries())
      if (!catalog.hasSku(sku)) yield unknown([...at, 'quick', key], sku, 'SKU')
  }
  for (const [index, { id }] of profile.returns.departments.entries())
    if (!catalog.hasDepartment(id)) yield unknown(['returns', 'departments', index, 'id'], id, 'department')
  for (const [index, { id }] of profile.ageChecks.departments.entries())
    if (!catalog.hasDepartment(id)) yield unknown(['ageChecks', 'departments', index, 'id'], id, 'department')
  for (const list of ['coupons', 'manufacturerCoupons'] as const)
    for (const [index, { sku, department }] of profile[list].entries()) {
      if (sku !== undefined && !catalog.hasSku(sku)) yield unknown([list, index, 'sku'], sku, 'SKU')
      if (department !== undefined && !catalog.hasDepartment(department))
        yield unknown([list, index, 'department'], department, 'department')
    }
  for (const [index, match] of profile.offers.matches.entries()) {
    const at = (list: 'departments' | 'categories' | 'skus', entry: number) => ['offers', 'matches', index, list, entry]
    for (const [entry, id] of match.departments.entries())
      if (!catalog.hasDepartment(id)) yield unknown(at('departments', entry), id, 'department')
    for (const [entry, id] of match.categories.entries())
      if (!catalog.hasCategory(id)) yield unknown(at('categories', entry), id, 'category')
    for (const [entry, sku] of match.skus.entries())
      if (!catalog.hasSku(sku)) yield unknown(at('skus', entry), sku, 'SKU')
  }
  for (const [index, rule] of profile.issuance.rules.entries()) {
    const at = ['issuance', 'rules', index]
    if (rule.kind === 'item' && !catalog.hasSku(rule.sku)) yield unknown([...at, 'sku'], rule.sku, 'SKU')
    if (rule.kind === 'department' && !catalog.hasDepartment(rule.departmentId))
      yield unknown([...at, 'departmentId'], rule.departmentId, 'department')
    if (rule.kind === 'category' && !catalog.hasCategory(rule.categoryId))
      yield unknown([...at, 'categoryId'], rule.categoryId, 'category')
  }
}

const unknown = (at: readonly PathKey[], value: string, kind: 'SKU' | 'department' | 'category'): Rule => ({
  at,
  messages: fileMessages('profile.notInCatalog', { what: kind, value }),
})
