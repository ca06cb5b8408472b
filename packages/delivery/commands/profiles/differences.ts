import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Locale } from '../../../../contracts/core/locales.ts'
import { type ProfileChecker, mistakeLine } from '../check-profile.ts'
import { BASE, type Chain, isChain, readChain } from './chain.ts'
import { type Group, type List, type Place, type Setting, settingsIn, localized } from './settings.ts'
import { type Store, storeOf } from './store.ts'
import { idOf } from './merge.ts'
import { listKey } from './schema.ts'

export type Compared =
  | { readonly kind: 'chain'; readonly chain: Chain }
  | { readonly kind: 'store'; readonly name: string; readonly settings: Group }
  | { readonly kind: 'wrong'; readonly message: string }

/**
 * Reads one side of a comparison: a chain's folder; `FOLDER/ID`, one store of a chain; or a file, the whole profile of
 * a store.
 */
export async function compared(name: string, checker: ProfileChecker, locale: Locale): Promise<Compared> {
  if (isChain(name)) return { kind: 'chain', chain: await readChain(name, checker) }
  const folder = path.dirname(name)
  if (existsSync(name) && statSync(name).isFile()) {
    const { mistakes } = await checker.ask({ kind: 'layer', file: name })
    if (mistakes.length > 0) return wrong(mistakes.map((mistake) => mistakeLine(mistake, locale)))
    return { kind: 'store', name, settings: settingsIn(name, new TextDecoder().decode(readFileSync(name))) }
  }
  if (!isChain(folder)) return wrong([localized('chain.noComparison', { name, base: BASE })[locale]])
  const chain = await readChain(folder, checker)
  const id = path.basename(name)
  if (!chain.storeIds.includes(id))
    return wrong([localized('chain.noStore', { folder, id, list: listSome(chain.storeIds, locale) })[locale]])
  const store = storeOf(chain, id)
  return store.settings === null
    ? wrong(store.mistakes.map((mistake) => mistakeLine(mistake, locale)))
    : { kind: 'store', name, settings: store.settings }
}

const wrong = (lines: readonly string[]): Compared => ({ kind: 'wrong', message: lines.join('\n') })
const MAX_LISTED = 20
function listSome(ids: readonly string[], locale: Locale): string {
  const more = ids.length - MAX_LISTED
  const list = ids.slice(0, MAX_LISTED).join(', ')
  if (more > 0) return localized('chain.andMore', { list, count: `${more}` })[locale]
  return list || localized('chain.noStores')[locale]
}

export function storeDifferences(before: Group, after: Group, locale: Locale): string[] {
  const found = differences(before, after)
  return found.length === 0
    ? [localized('chain.noDifference')[locale]]
    : found.map((difference) => differenceLine(difference, locale))
}

/** Returns the differences between two chains, store by store. Stores without differences are only counted. */
export function chainDifferences(before: Chain, after: Chain, locale: Locale): string[] {
  const ids = [...new Set([...before.storeIds, ...after.storeIds])]
  let same = 0
  const lines = ids.flatMap((id) => {
    if (!after.storeIds.includes(id)) return [localized('chain.onlyIn', { id, folder: before.folder })[locale]]
    if (!before.storeIds.includes(id)) return [localized('chain.onlyIn', { id, folder: after.folder })[locale]]
    const [one, other] = [storeOf(before, id), storeOf(after, id)]
    if (one.settings === null || other.settings === null)
      return [localized('chain.storeUnread', { id })[locale], ...mistakesOf([one, other])]
    const found = differences(one.settings, other.settings)
    if (found.length === 0) same += 1
    return found.length === 0
      ? []
      : [
          localized('chain.storeTitle', { id })[locale],
          ...found.map((difference) => `  ${differenceLine(difference, locale)}`),
        ]
  })
  function mistakesOf(stores: readonly Store[]): string[] {
    const mistakes = stores.filter(({ settings }) => settings === null).flatMap((store) => store.mistakes)
    return mistakes.map((mistake) => `  ${mistakeLine(mistake, locale)}`)
  }
  return [...lines, localized('chain.sameStores', { count: `${same}`, all: `${ids.length}` })[locale]]
}

function differenceLine({ path: setting, isOrder, before, after }: Difference, locale: Locale): string {
  const name = isOrder ? `${setting} ${localized('chain.order')[locale]}` : setting
  const valueText = (side: Side | null): string =>
    side === null ? localized('chain.nothing')[locale] : JSON.stringify(side.value)
  return `${name}: ${valueText(before)} → ${valueText(after)}  (${placeText(before)} → ${placeText(after)})`
}
const placeText = (side: Side | null): string =>
  side === null ? '–' : `${side.at.file}:${side.at.line}:${side.at.column}`

export interface Difference {
  /** Path of the setting. Entries of a list are under their id: `lanes[01].deviceId`. */
  readonly path: string
  readonly isOrder?: true
  readonly before: Side | null
  readonly after: Side | null
}
export interface Side {
  readonly value: unknown
  readonly at: Place
}

/**
 * Returns the differences by setting, in the order of the first side. At the end of each group and list are the
 * entries that only the second side has, and then a different order of the list.
 */
export function differences(before: Group, after: Group): Difference[] {
  return [...differencesAt(before, after, '', [])]
}

function* differencesAt(
  before: Setting | undefined,
  after: Setting | undefined,
  path: string,
  schemaPath: readonly string[],
): Generator<Difference> {
  const key = listKey(schemaPath)
  const [one, other] = [componentsOf(before, key), componentsOf(after, key)]
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
    yield* differencesAt(one?.get(name), other?.get(name), inner, [...schemaPath, inList ? '[]' : name])
  }
  if (inList && one !== null && other !== null) yield* otherOrder([one, before], [other, after], path)
}

type Components = ReadonlyMap<string, Setting>

function componentsOf(setting: Setting | undefined, key: string | null): Components | null {
  if (setting?.kind === 'group') return new Map([...setting.entries].map(([name, { value }]) => [name, value]))
  return setting?.kind === 'list' && key !== null ? entriesOf(setting, key) : null
}

function entriesOf(list: List, key: string): Components | null {
  const entries = new Map<string, Setting>()
  for (const item of list.items) {
    const id = idOf(item, key)
    if (id === undefined || entries.has(id)) return null
    entries.set(id, item)
  }
  return entries
}

/** Reports a different order of the entries that both sides have, because quick keys are shown in this order. */
function* otherOrder(
  [one, before]: readonly [Components, Setting | undefined],
  [other, after]: readonly [Components, Setting | undefined],
  path: string,
): Generator<Difference> {
  const shared = (components: Components, others: Components): string[] =>
    [...components.keys()].filter((name) => others.has(name))
  const [first, second] = [shared(one, other), shared(other, one)]
  if (before === undefined || after === undefined || first.join('\n') === second.join('\n')) return
  yield { path, isOrder: true, before: { value: first, at: before.at }, after: { value: second, at: after.at } }
}

const sideOf = (setting: Setting | undefined): Side | null =>
  setting === undefined ? null : { value: valueOf(setting), at: setting.at }
const textOf = (setting: Setting | undefined): string => (setting === undefined ? '' : JSON.stringify(valueOf(setting)))

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
