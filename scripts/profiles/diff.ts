import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Locale } from '../../contracts/locales.ts'
import { mistakeLine, type ProfileChecker } from '../check-profile.ts'
import { BASE, isChain, readChain, type Chain } from './chain.ts'
import { differences, type Difference, type Side } from './differences.ts'
import { settingsIn, type Group } from './settings.ts'
import { storeOf, type Store } from './store.ts'
import { words } from './words.ts'

/** What is compared: all stores of a chain, or the settings of one store. */
export type Compared =
  | { readonly kind: 'chain'; readonly chain: Chain }
  | { readonly kind: 'store'; readonly name: string; readonly settings: Group }
  | { readonly kind: 'wrong'; readonly message: string }

/** A chain's folder; `FOLDER/ID`, one store of it; or a file, the whole profile of a store. */
export async function compared(name: string, checker: ProfileChecker, locale: Locale): Promise<Compared> {
  if (isChain(name)) return { kind: 'chain', chain: await readChain(name, checker) }
  const folder = path.dirname(name)
  if (existsSync(name) && statSync(name).isFile()) {
    const { mistakes } = await checker.ask({ kind: 'layer', file: name })
    if (mistakes.length > 0) return wrong(mistakes.map((mistake) => mistakeLine(mistake, locale)))
    return { kind: 'store', name, settings: settingsIn(name, new TextDecoder().decode(readFileSync(name))) }
  }
  if (!isChain(folder)) return wrong([words('chain.noComparison', { name, base: BASE })[locale]])
  const chain = await readChain(folder, checker)
  const id = path.basename(name)
  if (!chain.storeIds.includes(id))
    return wrong([words('chain.noStore', { folder, id, list: someOf(chain.storeIds, locale) })[locale]])
  const store = storeOf(chain, id)
  return store.settings === null
    ? wrong(store.mistakes.map((mistake) => mistakeLine(mistake, locale)))
    : { kind: 'store', name, settings: store.settings }
}

const wrong = (lines: readonly string[]): Compared => ({ kind: 'wrong', message: lines.join('\n') })
const MOST_LISTED = 20
function someOf(ids: readonly string[], locale: Locale): string {
  const more = ids.length - MOST_LISTED
  const list = ids.slice(0, MOST_LISTED).join(', ')
  if (more > 0) return words('chain.andMore', { list, count: `${more}` })[locale]
  return list || words('chain.noStores')[locale]
}

/** The differences between two stores, a line each; one line where there are none. */
export function storeDifferences(before: Group, after: Group, locale: Locale): string[] {
  const found = differences(before, after)
  return found.length === 0
    ? [words('chain.noDifference')[locale]]
    : found.map((difference) => differenceLine(difference, locale))
}

/** The differences between two chains, store by store. Stores without any are only counted. */
export function chainDifferences(before: Chain, after: Chain, locale: Locale): string[] {
  const ids = [...new Set([...before.storeIds, ...after.storeIds])]
  let same = 0
  const lines = ids.flatMap((id) => {
    if (!after.storeIds.includes(id)) return [words('chain.onlyIn', { id, folder: before.folder })[locale]]
    if (!before.storeIds.includes(id)) return [words('chain.onlyIn', { id, folder: after.folder })[locale]]
    const [one, other] = [storeOf(before, id), storeOf(after, id)]
    if (one.settings === null || other.settings === null)
      return [words('chain.storeUnread', { id })[locale], ...told([one, other])]
    const found = differences(one.settings, other.settings)
    if (found.length === 0) same += 1
    return found.length === 0
      ? []
      : [
          words('chain.storeTitle', { id })[locale],
          ...found.map((difference) => `  ${differenceLine(difference, locale)}`),
        ]
  })
  function told(stores: readonly Store[]): string[] {
    const mistakes = stores.filter(({ settings }) => settings === null).flatMap((store) => store.mistakes)
    return mistakes.map((mistake) => `  ${mistakeLine(mistake, locale)}`)
  }
  return [...lines, words('chain.sameStores', { count: `${same}`, all: `${ids.length}` })[locale]]
}

function differenceLine({ path: setting, isOrder, before, after }: Difference, locale: Locale): string {
  const name = isOrder ? `${setting} ${words('chain.order')[locale]}` : setting
  const valueWords = (side: Side | null): string =>
    side === null ? words('chain.nothing')[locale] : JSON.stringify(side.value)
  return `${name}: ${valueWords(before)} → ${valueWords(after)}  (${placeWords(before)} → ${placeWords(after)})`
}
const placeWords = (side: Side | null): string =>
  side === null ? '–' : `${side.at.file}:${side.at.line}:${side.at.column}`
