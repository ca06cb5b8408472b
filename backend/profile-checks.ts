import type { Localized } from '../contracts/locales.ts'
import type { Lane, Profile } from '../contracts/profile.ts'
import { REGION_ZONES } from '../contracts/region-zones.ts'
import { fileMessages } from './i18n.ts'
import { isBoundedPattern } from './pattern-ways.ts'
import type { PathKey } from './profile-issues.ts'

/** Something that is wrong with how settings fit together: at which of them, and what. */
export interface Rule {
  readonly at: readonly PathKey[]
  readonly messages: Localized
}

/**
 * A zone in which no store of the region stands: 03:00 at the store, the end of the reversal window, would be another
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

/** Two devices of one lane on one wire: whichever opens it second finds it taken, or both read half of what comes. */
export function* sharedWires(lane: Lane, at: readonly PathKey[]): Generator<Rule> {
  const first = new Map<string, string>()
  for (const role of ['cardReader', 'scanner', 'printer', 'lineDisplay', 'cardTerminal'] as const) {
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

/** Windows knows a port by its number, however its name is written. */
const sameOnWindows = (wire: string): string => /^(?:\\\\\.\\)?com(\d+)$/i.exec(wire)?.[1] ?? wire

/** Patterns of the program's cards and of staff badges that a card or barcode could keep busy for ever. */
export function* unboundedPatterns({ program, signIn }: Profile): Generator<Rule> {
  for (const [name, pattern] of Object.entries(program.cards)) {
    if (!isBoundedPattern(pattern)) yield { at: ['program', 'cards', name], messages: TOO_MANY_WAYS }
  }
  for (const [name, pattern] of Object.entries(signIn.badgePatterns)) {
    if (!isBoundedPattern(pattern)) yield { at: ['signIn', 'badgePatterns', name], messages: TOO_MANY_WAYS }
  }
}
const TOO_MANY_WAYS: Localized = fileMessages('profile.unboundedPattern')

/** What a profile may name of a catalog. */
export interface CatalogNames {
  hasSku(sku: string): boolean
  hasDepartment(id: string): boolean
  hasCategory(id: string): boolean
}

/** Names in a profile that its catalog does not have: a quick key that is not there, a coupon that would never hold. */
export function* unknownNames(profile: Profile, catalog: CatalogNames): Generator<Rule> {
  for (const [index, { id, quick }] of profile.catalog.departments.entries()) {
    const at = ['catalog', 'departments', index]
    if (!catalog.hasDepartment(id)) yield unknown([...at, 'id'], id, 'department')
    for (const [key, sku] of (quick ?? []).entries())
      if (!catalog.hasSku(sku)) yield unknown([...at, 'quick', key], sku, 'SKU')
  }
  for (const [index, { id }] of profile.ageChecks.departments.entries())
    if (!catalog.hasDepartment(id)) yield unknown(['ageChecks', 'departments', index, 'id'], id, 'department')
  for (const [index, { sku, department }] of profile.coupons.entries()) {
    if (sku !== undefined && !catalog.hasSku(sku)) yield unknown(['coupons', index, 'sku'], sku, 'SKU')
    if (department !== undefined && !catalog.hasDepartment(department))
      yield unknown(['coupons', index, 'department'], department, 'department')
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

const unknown = (at: readonly PathKey[], value: string, what: 'SKU' | 'department' | 'category'): Rule => ({
  at,
  messages: fileMessages('profile.notInCatalog', { what, value }),
})
