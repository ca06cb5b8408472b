import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Locale } from '../../contracts/locales.ts'
import { mistakeLine, type ProfileChecker } from '../check-profile.ts'
import { BASE, isChain, readChain, type Chain } from './chain.ts'
import { differences, type Difference, type Side } from './differences.ts'
import { settingsIn, type Group } from './settings.ts'
import { storeOf, type Store } from './store.ts'

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
  if (!isChain(folder)) return wrong([`${name} is no chain's folder (with a ${BASE}), no store of one and no profile.`])
  const chain = await readChain(folder, checker)
  const id = path.basename(name)
  if (!chain.storeIds.includes(id))
    return wrong([`${folder} has no store “${id}”. Its stores: ${someOf(chain.storeIds)}.`])
  const store = storeOf(chain, id)
  return store.settings === null
    ? wrong(store.mistakes.map((mistake) => mistakeLine(mistake, locale)))
    : { kind: 'store', name, settings: store.settings }
}

const wrong = (lines: readonly string[]): Compared => ({ kind: 'wrong', message: lines.join('\n') })
const MOST_LISTED = 20
function someOf(ids: readonly string[]): string {
  const more = ids.length - MOST_LISTED
  return `${ids.slice(0, MOST_LISTED).join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`
}

/** The differences between two stores, a line each; one line where there are none. */
export function storeDifferences(before: Group, after: Group): string[] {
  const found = differences(before, after)
  return found.length === 0 ? ['no difference'] : found.map(differenceLine)
}

/** The differences between two chains, store by store. Stores without any are only counted. */
export function chainDifferences(before: Chain, after: Chain, locale: Locale): string[] {
  const ids = [...new Set([...before.storeIds, ...after.storeIds])]
  let same = 0
  const lines = ids.flatMap((id) => {
    if (!after.storeIds.includes(id)) return [`store ${id}: only in ${before.folder}`]
    if (!before.storeIds.includes(id)) return [`store ${id}: only in ${after.folder}`]
    const [one, other] = [storeOf(before, id), storeOf(after, id)]
    if (one.settings === null || other.settings === null) return [`store ${id}: cannot be read`, ...told([one, other])]
    const found = differences(one.settings, other.settings)
    if (found.length === 0) same += 1
    return found.length === 0 ? [] : [`store ${id}:`, ...found.map((difference) => `  ${differenceLine(difference)}`)]
  })
  function told(stores: readonly Store[]): string[] {
    const mistakes = stores.filter(({ settings }) => settings === null).flatMap((store) => store.mistakes)
    return mistakes.map((mistake) => `  ${mistakeLine(mistake, locale)}`)
  }
  return [...lines, `${same} of ${ids.length} stores without a difference`]
}

const differenceLine = ({ path: setting, before, after }: Difference): string =>
  `${setting}: ${valueWords(before)} → ${valueWords(after)}  (${placeWords(before)} → ${placeWords(after)})`
const valueWords = (side: Side | null): string => (side === null ? 'nothing' : JSON.stringify(side.value))
const placeWords = (side: Side | null): string =>
  side === null ? '–' : `${side.at.file}:${side.at.line}:${side.at.column}`
