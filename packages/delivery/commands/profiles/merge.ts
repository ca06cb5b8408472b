import { scalarOf, type Entry, type Group, type List, type Setting } from './settings.ts'

/** By which setting the entries of a list are known, `id` or `code`; null where they are not. `[]` stands for any. */
export type ListKey = (path: readonly string[]) => string | null

/**
 * Settings with others laid over them. Groups merge setting by setting, and lists whose entries are known by a setting
 * entry by entry, also where they are written as a group of entries by that setting; anything else is replaced.
 * Nothing (null) takes away what is there; where nothing is, it stays, and is a mistake for whoever checks the result.
 */
export function layOver(under: Group, over: Group, listKey: ListKey): Group {
  const merged = mergeGroups(under, over, listKey, [])
  return { ...merged, at: over.at }
}

function merge(under: Setting | undefined, over: Setting, listKey: ListKey, path: readonly string[]): Setting {
  const key = listKey(path)
  if (key !== null && over.kind === 'list') return mergeLists(under, over, key, listKey, path)
  if (key !== null && over.kind === 'group') return layEntries(under, over, key, listKey, path)
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

/** Entry by entry. One that stands twice in a list is kept twice: it is a mistake, and is not hidden by merging. */
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

/** The same where the list is written as a group: each entry under its own name. */
function layEntries(
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

/** An entry that says its name itself. */
function named(item: Setting, key: string, id: string, { key: place, around }: Entry): Setting {
  if (item.kind !== 'group' || item.entries.has(key)) return item
  const own: Entry = { key: place, around, value: scalarOf(id, place) }
  return { ...item, entries: new Map([[key, own], ...item.entries]) }
}

/** Where the first entry of each name stands. */
function positions(items: readonly (Setting | null)[], key: string): Map<string, number> {
  const found = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    const id = item === null ? undefined : idOf(item, key)
    if (id !== undefined && !found.has(id)) found.set(id, index)
  }
  return found
}

/** As it is written: an id that lost its quotes means the same entry, and is a mistake of its own. */
export function idOf(item: Setting, key: string): string | undefined {
  const id = item.kind === 'group' ? item.entries.get(key)?.value : undefined
  return id?.kind === 'scalar' && id.value !== null ? id.source : undefined
}

const isNothing = (setting: Setting): boolean => setting.kind === 'scalar' && setting.value === null
