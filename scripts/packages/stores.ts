import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { FIRST_LOCALE } from '../../contracts/i18n/languages.ts'
import { readProfileOutline } from '../../electron/profile-outline.ts'
import { readStoreFiles, StoreFilesError } from '../bundles/store-files.ts'
import { mistakeLine, type ProfileChecker } from '../check-profile.ts'
import type { Mode } from './program-files.ts'
import { newestTime } from './store-part.ts'

/** A store whose profile is good, or what is wrong with it. */
export type CheckedStore =
  | {
      readonly kind: 'good'
      readonly profile: string
      readonly store: string
      readonly mode: Mode
      readonly lanes: readonly string[]
      /** When its newest file was written. */
      readonly newest: Date
    }
  | { readonly kind: 'broken'; readonly profile: string; readonly store: string; readonly mistakes: readonly string[] }

/** Every profile of the folder, in the order of their names. Two profiles of one store are both broken. */
export async function checkStores(
  folder: string,
  checker: ProfileChecker,
  onDone: () => void,
): Promise<readonly CheckedStore[]> {
  const names = profilesIn(folder)
  const checked: CheckedStore[] = []
  for (const name of names) {
    checked.push(await checkOne(path.join(folder, name), checker))
    onDone()
  }
  const byStore = Map.groupBy(checked, ({ store }) => store)
  return checked.map((one) => {
    const others = (byStore.get(one.store) ?? []).filter(({ profile }) => profile !== one.profile)
    const [other] = others
    if (one.kind === 'broken' || other === undefined) return one
    const line = lineOf(one.profile, one.store)
    return broken(one.profile, one.store, [`${line}  store.id: ${one.store} is also the store of ${other.profile}`])
  })
}

export const profilesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .toSorted()

async function checkOne(profile: string, checker: ProfileChecker): Promise<CheckedStore> {
  const outline = readProfileOutline(profile)
  const store = outline?.storeId ?? path.basename(profile, path.extname(profile))
  const { mistakes } = await checker.ask({ kind: 'store', file: profile })
  if (mistakes.length > 0 || outline === null)
    return broken(
      profile,
      store,
      mistakes.map((mistake) => mistakeLine(mistake, FIRST_LOCALE)),
    )
  if (!/^\w[\w .-]*$/.test(store))
    return broken(profile, store, [`${lineOf(profile, store)}  store.id: ${store} cannot name a package's file.`])
  try {
    const newest = newestTime(profile, readStoreFiles(profile).keys())
    return { kind: 'good', profile, store, mode: outline.mode, lanes: outline.lanes, newest }
  } catch (error) {
    if (error instanceof StoreFilesError) return broken(profile, store, [error.message])
    throw error
  }
}

const broken = (profile: string, store: string, mistakes: readonly string[]): CheckedStore => ({
  kind: 'broken',
  profile,
  store,
  mistakes: mistakes.length > 0 ? mistakes : [`${profile}  cannot be read`],
})

/** `file:line:column` of a store's id. */
function lineOf(profile: string, store: string): string {
  const lines = readFileSync(profile, 'utf8').split('\n')
  const at = lines.findIndex((line) => /^\s+id:/.test(line) && line.includes(store))
  return at < 0 ? profile : `${profile}:${at + 1}:${(lines[at]?.indexOf('id:') ?? 0) + 1}`
}
