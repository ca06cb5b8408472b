import { scalarOf, type Entry, type Group, type List, type Setting } from './settings.ts'

/**
 * Returns the setting that identifies the entries of a list, `id` or `code`; null for other lists. `[]` matches any
 * entry.
 */
export type ListKey = (path: readonly string[]) => string | null

/**
 * Merges `over` into `under`. Groups merge by setting, and lists with identified entries by entry, even if they are
 * written as a group by that id; other values are replaced. Null removes a value; if there is no such value, the null
 * stays, and the checker of the result reports it.
 */
export function mergeSettings(under: Group, over: Group, listKey: ListKey): Group {
  const merged = mergeGroups(under, over, listKey, [])
  return { ...merged, at: over.at }
}

function merge(under: Setting | undefined, over: Setting, listKey: ListKey, path: readonly string[]): Setting {
  const key = listKey(path)
  if (key !== null && over.kind === 'list') return mergeLists(under, over, key, listKey, path)
  if (key !== null && over.kind === 'group') return mergeEntries(under, over, key, listKey, path)
  if (over.kind === 'group') return mergeGroups(under?.kind === 'group' ? under : undefined, over, listKey, path)
  if (over.kind === 'list')
    return { ...over, items: over.items.map((item) => merge(undefined, item, listKey, [...path, '[]'])) }
  return over
}

function mergeGroups(under: Group | undefined, over: Group, listKey: ListKey, path: readonly string[]): Group {
  const entries = new Map(under?.entries)
  for (const [name, entry] of over.entries) {
    const before = entries.get(name)
    if (before !== undefined && isNothing(entry.value)) entries.delete(name)
    else entries.set(name, { ...entry, value: merge(before?.value, entry.value, listKey, [...path, name]) })
  }
  return { kind: 'group', entries, at: over.at }
}

/** Merges two lists by entry. A repeated entry stays repeated, so that the mistake is reported. */
function mergeLists(
  under: Setting | undefined,
  over: List,
  key: string,
  listKey: ListKey,
  path: readonly string[],
): List {
  if (over.items.length === 0) return over
  const items = under?.kind === 'list' ? [...under.items] : []
  const known = positions(items, key)
  for (const item of over.items) {
    const id = idOf(item, key)
    const at = id === undefined ? undefined : known.get(id)
    const merged = merge(at === undefined ? undefined : items[at], item, listKey, [...path, '[]'])
    if (id === undefined || at === undefined) items.push(merged)
    else {
      items[at] = merged
      known.delete(id)
    }
  }
  return { kind: 'list', items, at: over.at }
}

function mergeEntries(
  under: Setting | undefined,
  over: Group,
  key: string,
  listKey: ListKey,
  path: readonly string[],
): List {
  const items: (Setting | null)[] = under?.kind === 'list' ? [...under.items] : []
  const known = positions(items, key)
  for (const [id, entry] of over.entries) {
    const at = known.get(id)
    if (at !== undefined) {
      const before = items[at] ?? undefined
      items[at] = isNothing(entry.value) ? null : merge(before, entry.value, listKey, [...path, '[]'])
    } else items.push(named(merge(undefined, entry.value, listKey, [...path, '[]']), key, id, entry))
  }
  return { kind: 'list', items: items.filter((item) => item !== null), at: over.at }
}

function named(item: Setting, key: string, id: string, { key: place, around }: Entry): Setting {
  if (item.kind !== 'group' || item.entries.has(key)) return item
  const own: Entry = { key: place, around, value: scalarOf(id, place) }
  return { ...item, entries: new Map([[key, own], ...item.entries]) }
}

function positions(items: readonly (Setting | null)[], key: string): Map<string, number> {
  const found = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    const id = item === null ? undefined : idOf(item, key)
    if (id !== undefined && !found.has(id)) found.set(id, index)
  }
  return found
}

/**
 * Returns the id of an entry as written: an id without quotes identifies the same entry, and is reported as a mistake
 * elsewhere.
 */
export function idOf(item: Setting, key: string): string | undefined {
  const id = item.kind === 'group' ? item.entries.get(key)?.value : undefined
  return id?.kind === 'scalar' && id.value !== null ? id.source : undefined
}

const isNothing = (setting: Setting): boolean => setting.kind === 'scalar' && setting.value === null
