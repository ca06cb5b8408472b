import type { ProfileMistake } from '../../contracts/profile-check.ts'
import type { ProfileChecker } from '../check-profile.ts'
import type { Chain } from './chain.ts'
import { namedFiles, withTargets, type NamedFile } from './named-files.ts'
import { profileText } from './profile-text.ts'
import { placeOf, settingAt, type Group } from './settings.ts'
import { storeOf, type Store } from './store.ts'
import { mistakeAt, words } from './words.ts'

/** A store that was looked at: its whole profile where nothing is wrong with it. */
export interface CheckedStore {
  readonly id: string
  readonly mistakes: readonly ProfileMistake[]
  readonly profile: { readonly text: string; readonly files: readonly NamedFile[] } | null
}

/** Every store of a chain, one after another; what is wrong with one says nothing of another. */
export async function* checkStores(chain: Chain, checker: ProfileChecker): AsyncGenerator<CheckedStore> {
  const stores = chain.storeIds.map((id) => storeOf(chain, id))
  const shared = sharedNames(stores)
  for (const store of stores) yield await checkStore(chain, withMistakes(store, shared.get(store.id) ?? []), checker)
}

const withMistakes = (store: Store, mistakes: readonly ProfileMistake[]): Store => ({
  ...store,
  mistakes: [...store.mistakes, ...mistakes],
})

/** Stores that are named after a code that they share. */
const MOST_NAMED = 5

/** By store: codes by which the central services would take two stores, or their lanes, for one. */
function sharedNames(stores: readonly Store[]): Map<string, ProfileMistake[]> {
  const names = stores.flatMap(({ id, settings }) => (settings === null ? [] : namesIn(id, settings)))
  const found = new Map<string, ProfileMistake[]>()
  for (const same of Map.groupBy(names, ({ what, name }) => `${what} ${name}`).values()) {
    const ids = [...new Set(same.map(({ store }) => store))]
    if (ids.length === 1) continue
    const list = [...ids.slice(0, MOST_NAMED), ...(ids.length > MOST_NAMED ? ['…'] : [])].join(', ')
    for (const { what, name, store, setting, at } of same) {
      const mistake = mistakeAt(at, setting, words(`chain.${what}`, { id: name, list }))
      found.set(store, [...(found.get(store) ?? []), mistake])
    }
  }
  return found
}

/** The codes by which the central services know a store and its lanes. */
function namesIn(store: string, settings: Group) {
  const lanes = settingAt(settings, ['lanes'])
  const paths = [
    { what: 'sameLocation', setting: 'program.locationCode', path: ['program', 'locationCode'] },
    ...(lanes?.kind === 'list' ? lanes.items : []).map(
      (_, index) =>
        ({ what: 'sameDevice', setting: `lanes[${index}].deviceId`, path: ['lanes', index, 'deviceId'] }) as const,
    ),
  ] as const
  return paths.flatMap(({ what, setting, path }) => {
    const found = settingAt(settings, path)
    return found?.kind === 'scalar' && typeof found.value === 'string'
      ? [{ what, name: found.value, store, setting, at: placeOf(settings, path, 'value') }]
      : []
  })
}

async function checkStore(chain: Chain, store: Store, checker: ProfileChecker): Promise<CheckedStore> {
  const { id, settings, sources } = store
  if (settings === null) return { id, mistakes: store.mistakes, profile: null }
  const named = namedFiles(chain.folder, settings)
  const text = profileText(withTargets(settings, named.files), sources)
  const catalog = named.files.find(({ setting }) => setting[0] === 'catalog')?.source ?? null
  // Of files that are not all there it is said already.
  const folder = named.mistakes.length === 0 ? chain.folder : null
  const answer = await checker.ask({ kind: 'profile', name: store.at.file, text, catalog, folder })
  const found = answer.mistakes.map((mistake) => (mistake.file === store.at.file ? written(store, mistake) : mistake))
  const isNamed = ({ path }: ProfileMistake): boolean => named.mistakes.some((mistake) => mistake.path === path)
  const mistakes = [...store.mistakes, ...named.mistakes, ...found.filter((mistake) => !isNamed(mistake))]
  return { id, mistakes, profile: mistakes.length === 0 ? { text, files: named.files } : null }
}

/** A mistake of the whole profile, where the setting was written. */
function written({ settings, at }: Store, mistake: ProfileMistake): ProfileMistake {
  if (mistake.line === null || settings === null) return mistake
  return { ...mistake, ...(mistake.at.length === 0 ? at : placeOf(settings, mistake.at, mistake.what)) }
}
