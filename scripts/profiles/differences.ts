import { idOf } from './merge.ts'
import { listKey } from './schema.ts'
import type { Group, List, Place, Setting } from './settings.ts'

/** A setting that one side has otherwise than the other, or alone. */
export interface Difference {
  /** Entries of a list stand under their id: `lanes[01].deviceId`. */
  readonly path: string
  /** Not what the entries are, but in which order they stand. */
  readonly isOrder?: true
  readonly before: Side | null
  readonly after: Side | null
}
export interface Side {
  readonly value: unknown
  readonly at: Place
}

/** What differs, setting by setting, in the order of the first side; what the second has alone comes after it. */
export function differences(before: Group, after: Group): Difference[] {
  return [...between(before, after, '', [])]
}

function* between(
  before: Setting | undefined,
  after: Setting | undefined,
  path: string,
  schemaPath: readonly string[],
): Generator<Difference> {
  const key = listKey(schemaPath)
  const [one, other] = [partsOf(before, key), partsOf(after, key)]
  const wholes = (before !== undefined && one === null) || (after !== undefined && other === null)
  const sameKind = before === undefined || after === undefined || before.kind === after.kind
  if (wholes || !sameKind || (one?.size ?? 0) + (other?.size ?? 0) === 0) {
    if (textOf(before) !== textOf(after)) yield { path, before: sideOf(before), after: sideOf(after) }
    return
  }
  const inList = (before ?? after)?.kind === 'list'
  const names = new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])])
  for (const name of names) {
    const inner = inList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
    yield* between(one?.get(name), other?.get(name), inner, [...schemaPath, inList ? '[]' : name])
  }
  if (inList && one !== null && other !== null) yield* otherOrder([one, before], [other, after], path)
}

type Parts = ReadonlyMap<string, Setting>

/** Parts that are compared by themselves; null where a setting is compared as a whole. */
function partsOf(setting: Setting | undefined, key: string | null): Parts | null {
  if (setting?.kind === 'group') return new Map([...setting.entries].map(([name, { value }]) => [name, value]))
  return setting?.kind === 'list' && key !== null ? entriesOf(setting, key) : null
}

/** Null where an entry has no name of its own. */
function entriesOf(list: List, key: string): Parts | null {
  const entries = new Map<string, Setting>()
  for (const item of list.items) {
    const id = idOf(item, key)
    if (id === undefined || entries.has(id)) return null
    entries.set(id, item)
  }
  return entries
}

/** Entries that both sides have, in another order: quick keys are shown in it. */
function* otherOrder(
  [one, before]: readonly [Parts, Setting | undefined],
  [other, after]: readonly [Parts, Setting | undefined],
  path: string,
): Generator<Difference> {
  const shared = (parts: Parts, others: Parts): string[] => [...parts.keys()].filter((name) => others.has(name))
  const [first, second] = [shared(one, other), shared(other, one)]
  if (before === undefined || after === undefined || first.join('\n') === second.join('\n')) return
  yield { path, isOrder: true, before: { value: first, at: before.at }, after: { value: second, at: after.at } }
}

const sideOf = (setting: Setting | undefined): Side | null =>
  setting === undefined ? null : { value: valueOf(setting), at: setting.at }
const textOf = (setting: Setting | undefined): string => (setting === undefined ? '' : JSON.stringify(valueOf(setting)))

/** The value of a setting as data. */
export function valueOf(setting: Setting): unknown {
  switch (setting.kind) {
    case 'group':
      return Object.fromEntries([...setting.entries].map(([name, { value }]) => [name, valueOf(value)]))
    case 'list':
      return setting.items.map(valueOf)
    case 'scalar':
      return setting.value
  }
}
