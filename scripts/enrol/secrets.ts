import { perLocale } from '../../contracts/i18n/languages.ts'
import { mistakeLine, type ProfileChecker } from '../check-profile.ts'
import type { Store } from './stores.ts'
import { EnrolError, refused } from './words.ts'

/** The client secret of a lane: its own, else its store's; null where there is neither. */
export type SecretOf = (store: string, lane: string) => string | null

export const noSecrets: SecretOf = () => null
const COLUMNS = ['store', 'lane', 'secret']

/**
 * A CSV with the columns store, lane and secret; without a lane the row is for all of its store. Throws EnrolError for
 * what is no such table, for a store or lane that there is not, and for one that has two.
 */
export async function readSecrets(file: string, stores: readonly Store[], checker: ProfileChecker): Promise<SecretOf> {
  const { rows, mistakes } = await checker.ask({ kind: 'table', file })
  if (mistakes.length > 0)
    throw new EnrolError(perLocale((locale) => mistakes.map((mistake) => mistakeLine(mistake, locale)).join('\n')))
  const [head = [], ...records] = rows
  const names = head.map(({ text }) => text.trim().toLowerCase())
  if (COLUMNS.some((name) => !names.includes(name))) throw refused('secretsHead', { file, columns: COLUMNS.join(',') })
  const secrets = new Map<string, string>()
  for (const cells of records) {
    const [store = '', lane = '', secret = ''] = COLUMNS.map((name) => cells[names.indexOf(name)]?.text.trim() ?? '')
    const at = `${file}:${cells[0]?.line ?? 0}`
    const known = stores.find((one) => one.store.id === store)
    if (!known) throw refused('secretStore', { at, store })
    if (lane !== '' && !known.lanes.some(({ id }) => id === lane)) throw refused('secretLane', { at, store, lane })
    if (secret === '') throw refused('secretMissing', { at })
    if (secrets.has(keyOf(store, lane))) throw refused('secretTwice', { at })
    secrets.set(keyOf(store, lane), secret)
  }
  return (store, lane) => secrets.get(keyOf(store, lane)) ?? secrets.get(keyOf(store, '')) ?? null
}

const keyOf = (store: string, lane: string): string => `${store}/${lane}`
