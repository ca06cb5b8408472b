import type { Locale } from '../../../../contracts/core/locales.ts'
import type { ProfileMistake } from '../../../../contracts/core/profile-check.ts'
import { mistakeLine } from '../check-profile.ts'
import type { Chain } from './chain.ts'
import { localized } from './settings.ts'

const MAX_NAMED = 5

export interface Mistakes {
  add(mistake: ProfileMistake, store: string | null): void
  readonly count: number
  lines(locale: Locale): string[]
}

export function createMistakes(chain: Chain): Mistakes {
  const found = new Map<string, { readonly mistake: ProfileMistake; readonly stores: Set<string> }>()
  const suffix = (mistake: ProfileMistake, stores: ReadonlySet<string>, locale: Locale): string => {
    const [only] = stores
    if (only === undefined || (stores.size === 1 && chain.stores.get(only)?.file === mistake.file)) return ''
    if (stores.size > 1 && stores.size === chain.storeIds.length)
      return ` (${localized('chain.inAll', { count: `${stores.size}` })[locale]})`
    const named = [...stores].slice(0, MAX_NAMED).join(', ')
    const more = { list: named, count: `${stores.size - MAX_NAMED}` }
    const list = stores.size > MAX_NAMED ? localized('chain.andMore', more)[locale] : named
    return ` (${localized('chain.inStores', { count: stores.size, list })[locale]})`
  }
  return {
    add(mistake, store) {
      const key = JSON.stringify([mistake.file, mistake.line, mistake.column, mistake.path, mistake.messages])
      const known = found.get(key) ?? { mistake, stores: new Set<string>() }
      found.set(key, known)
      if (store !== null) known.stores.add(store)
    },
    get count() {
      return found.size
    },
    lines: (locale) =>
      [...found.values()]
        .toSorted(({ mistake: one }, { mistake: other }) => byPlace(one, other))
        .map(({ mistake, stores }) => `${mistakeLine(mistake, locale)}${suffix(mistake, stores, locale)}`),
  }
}

const byPlace = (one: ProfileMistake, other: ProfileMistake): number =>
  (one.file < other.file ? -1 : one.file > other.file ? 1 : 0) ||
  (one.line ?? 0) - (other.line ?? 0) ||
  (one.column ?? 0) - (other.column ?? 0)
