import path from 'node:path'
import type { ProfileMistake } from '../../../../contracts/core/profile-check.ts'
import { TABLE, type Chain, type Layer } from './chain.ts'
import { mergeSettings } from './merge.ts'
import { listKey } from './schema.ts'
import {
  type Entry,
  type Group,
  mistakeAt,
  noSettings,
  type Place,
  placeOf,
  scalarOf,
  textAt,
  localized,
} from './settings.ts'
import type { Row } from './table.ts'

export interface Store {
  readonly id: string
  readonly at: Place
  /** Merged settings of the store; null if one of its files, or the table that may have its row, cannot be read. */
  readonly settings: Group | null
  readonly sources: readonly string[]
  readonly mistakes: readonly ProfileMistake[]
}

const STORE_ID = /^[A-Za-z0-9][A-Za-z0-9.-]{0,63}$/
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** Merges the settings of a store: the base, the region, the store's own file and its row, in this order. */
export function storeOf(chain: Chain, id: string): Store {
  const own = chain.stores.get(id)
  const rows = chain.table.rows.filter((row) => row.id === id)
  const [row] = rows
  const at = own === undefined ? (row?.at ?? noSettings(chain.folder).at) : noSettings(own.file).at
  const region = regionOf(chain, own, row)
  const regional = region === undefined ? undefined : chain.regions.get(region)
  const layers = [chain.base, regional, own].filter((layer) => layer !== undefined)
  const ofRow = row === undefined ? chain.table.mistakes : rows.flatMap(({ mistakes }) => mistakes)
  const mistakes = [...layers.flatMap((layer) => layer.mistakes), ...ofRow, ...wrongId(chain, id, at, own)]
  const sources = [...layers.map(({ file }) => path.relative(chain.folder, file)), ...(row ? [TABLE] : [])]
  const store = { id, at, sources: sources.map((file) => file.replaceAll(path.sep, '/')) }

  const settings = [...layers.map((layer) => layer.settings), ...(row ? [row.settings] : [])]
  if (settings.includes(null) || (row === undefined && chain.table.mistakes.length > 0))
    return { ...store, settings: null, mistakes }
  const merged = settings.reduce<Group>((done, next) => (next === null ? done : mergeSettings(done, next, listKey)), {
    ...noSettings(chain.folder),
  })
  const whole = { ...withId(merged, id, at), at }
  const others = [...otherId(whole, id), ...(regional === undefined ? [] : otherRegion(whole, region ?? ''))]
  return { ...store, settings: whole, mistakes: [...mistakes, ...others] }
}

/** Returns the region of a store: from the last of its files that sets a region, except the region's own file. */
function regionOf({ base }: Chain, own: Layer | undefined, row: Row | undefined): string | undefined {
  const regions = [row?.settings, own?.settings, base.settings].map((settings) =>
    settings ? textAt(settings, ['region']) : undefined,
  )
  return regions.find((region) => region !== undefined)
}

function withId(settings: Group, id: string, at: Place): Group {
  const before = settings.entries.get('store')
  if (before !== undefined && (before.value.kind !== 'group' || before.value.entries.has('id'))) return settings
  const inside = before?.value.kind === 'group' ? before.value.entries : new Map<string, Entry>()
  const own: Entry = { key: at, around: at, value: scalarOf(id, at) }
  const store: Entry = {
    key: before?.key ?? at,
    around: before?.around ?? at,
    value: { kind: 'group', entries: new Map([['id', own], ...inside]), at: before?.value.at ?? at },
  }
  return { ...settings, entries: new Map(settings.entries).set('store', store) }
}

function otherId(settings: Group, id: string): ProfileMistake[] {
  const found = textAt(settings, ['store', 'id'])
  if (found === undefined || found === id) return []
  return [
    mistakeAt(placeOf(settings, ['store', 'id'], 'value'), 'store.id', localized('chain.otherStore', { id, found })),
  ]
}

function otherRegion(settings: Group, region: string): ProfileMistake[] {
  const found = textAt(settings, ['region'])
  if (found === undefined || found === region) return []
  return [
    mistakeAt(placeOf(settings, ['region'], 'value'), 'region', localized('chain.otherRegion', { region, found })),
  ]
}

/** Returns the mistakes in a store id, which becomes a file name and may have been changed by a spreadsheet. */
function wrongId(chain: Chain, id: string, at: Place, own: Layer | undefined): ProfileMistake[] {
  if (!STORE_ID.test(id)) return [mistakeAt(at, '', localized('chain.storeName', { id }))]
  if (RESERVED.test(id)) return [mistakeAt(at, '', localized('chain.reserved', { id }))]
  const same = chain.storeIds.find((other) => other !== id && other.toLowerCase() === id.toLowerCase())
  if (same !== undefined) return [mistakeAt(at, '', localized('chain.sameLetters', { id: same }))]
  if (own !== undefined) return []
  const longer = [...chain.stores.keys()].find((other) => other !== id && other.replace(/^0+/, '') === id)
  return longer === undefined ? [] : [mistakeAt(at, '', localized('chain.lostZeros', { id: longer }))]
}
