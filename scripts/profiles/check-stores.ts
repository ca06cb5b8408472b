import type { ProfileMistake } from '../../contracts/profile-check.ts'
import type { ProfileChecker } from '../check-profile.ts'
import type { Chain } from './chain.ts'
import { namedFiles, withTargets, type NamedFile } from './named-files.ts'
import { profileText } from './profile-text.ts'
import { placeOf } from './settings.ts'
import { storeOf, type Store } from './store.ts'

/** A store that was looked at: its whole profile where nothing is wrong with it. */
export interface CheckedStore {
  readonly id: string
  readonly mistakes: readonly ProfileMistake[]
  readonly profile: { readonly text: string; readonly files: readonly NamedFile[] } | null
}

/** Every store of a chain, one after another; what is wrong with one says nothing of another. */
export async function* checkStores(chain: Chain, checker: ProfileChecker): AsyncGenerator<CheckedStore> {
  for (const id of chain.storeIds) yield await checkStore(chain, storeOf(chain, id), checker)
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
  const mistakes = [...store.mistakes, ...named.mistakes, ...found]
  return { id, mistakes, profile: mistakes.length === 0 ? { text, files: named.files } : null }
}

/** A mistake of the whole profile, where the setting was written. */
function written({ settings, at }: Store, mistake: ProfileMistake): ProfileMistake {
  if (mistake.line === null || settings === null) return mistake
  return { ...mistake, ...(mistake.at.length === 0 ? at : placeOf(settings, mistake.at, mistake.what)) }
}
