import type { Bilingual } from '../contracts/locales.ts'
import type { Lane, Profile } from '../contracts/profile.ts'
import { REGION_ZONES } from '../contracts/region-zones.ts'
import { isBoundedPattern } from './pattern-ways.ts'
import type { PathKey } from './profile-issues.ts'

/** Something that is wrong with how settings fit together: at which of them, and what. */
export interface Rule {
  readonly at: readonly PathKey[]
  readonly messages: Bilingual
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
    messages: {
      'en-CA': `expected the zone of a place in ${region}, with its daylight saving: ${list}; found “${timeZone}”`,
      'fr-CA': `attendu le fuseau d’un lieu de ${region}, avec son heure d’été : ${list}; trouvé « ${timeZone} »`,
    },
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
        messages: {
          'en-CA': `${wire} is the ${other}’s already; each device has a wire of its own`,
          'fr-CA': `${wire} est déjà celui de ${other}; chaque appareil a son propre câble`,
        },
      }
    }
    first.set(same, other ?? role)
  }
}

/** Windows knows a port by its number, however its name is written. */
const sameOnWindows = (wire: string): string => /^(?:\\\\\.\\)?com(\d+)$/i.exec(wire)?.[1] ?? wire

/** Patterns of the program's cards that a card or barcode could keep the lane busy with for ever. */
export function* unboundedPatterns({ program }: Profile): Generator<Rule> {
  for (const [name, pattern] of Object.entries(program.cards)) {
    if (!isBoundedPattern(pattern)) yield { at: ['program', 'cards', name], messages: TOO_MANY_WAYS }
  }
}
const TOO_MANY_WAYS: Bilingual = {
  'en-CA':
    'this regular expression can be tried in too many ways, and a damaged card would freeze the lane; begin it ' +
    'with ^, use at most one * or +, and put nothing that varies inside a repetition',
  'fr-CA':
    'cette expression régulière peut être essayée de trop de façons, et une carte abîmée figerait la caisse; ' +
    'commencez par ^, n’utilisez qu’un * ou +, et ne mettez rien de variable dans une répétition',
}

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
    if (!catalog.hasDepartment(id)) yield unknown([...at, 'id'], id, 'department', 'rayon')
    for (const [key, sku] of (quick ?? []).entries())
      if (!catalog.hasSku(sku)) yield unknown([...at, 'quick', key], sku, 'SKU', 'UGS')
  }
  for (const [index, { sku, department }] of profile.coupons.entries()) {
    if (sku !== undefined && !catalog.hasSku(sku)) yield unknown(['coupons', index, 'sku'], sku, 'SKU', 'UGS')
    if (department !== undefined && !catalog.hasDepartment(department))
      yield unknown(['coupons', index, 'department'], department, 'department', 'rayon')
  }
  for (const [index, rule] of profile.issuance.rules.entries()) {
    const at = ['issuance', 'rules', index]
    if (rule.kind === 'item' && !catalog.hasSku(rule.sku)) yield unknown([...at, 'sku'], rule.sku, 'SKU', 'UGS')
    if (rule.kind === 'department' && !catalog.hasDepartment(rule.departmentId))
      yield unknown([...at, 'departmentId'], rule.departmentId, 'department', 'rayon')
    if (rule.kind === 'category' && !catalog.hasCategory(rule.categoryId))
      yield unknown([...at, 'categoryId'], rule.categoryId, 'category', 'catégorie')
  }
}

const unknown = (at: readonly PathKey[], value: string, en: string, fr: string): Rule => ({
  at,
  messages: {
    'en-CA': `no item of the catalog has the ${en} “${value}”; correct it here or in the catalog`,
    'fr-CA': `aucun article du catalogue n’a ${fr} « ${value} »; corrigez ici ou dans le catalogue`,
  },
})
