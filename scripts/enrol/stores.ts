import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { perLocale } from '../../contracts/i18n/languages.ts'
import { Profile } from '../../contracts/profile.ts'
import { needFolder } from '../command-line.ts'
import { mistakeLine, type ProfileChecker } from '../check-profile.ts'
import { EnrolError, refused } from './words.ts'

/** The store of a profile, as far as its enrolment needs it. */
export type Store = Pick<Profile, 'store' | 'lanes' | 'staff' | 'locales' | 'timeZone' | 'limits' | 'mode'>

/**
 * Every store whose profile lies in the folder, checked as its lanes will check it. Throws EnrolError for a broken one:
 * half a chain's codes would be as good as none. Training stores are left out, unless they are to have a store server.
 */
export async function readStores(folder: string, checker: ProfileChecker, withTraining: boolean): Promise<Store[]> {
  needFolder(folder)
  const files = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name))
  if (files.length === 0) throw refused('noProfile', { folder })
  const stores: Store[] = []
  for (const name of files.toSorted()) {
    const file = path.join(folder, name)
    const { mistakes } = await checker.ask({ kind: 'store', file })
    if (mistakes.length > 0)
      throw new EnrolError(perLocale((locale) => mistakes.map((mistake) => mistakeLine(mistake, locale)).join('\n')))
    const profile = Profile.parse(parse(readFileSync(file, 'utf8')))
    if (profile.mode === 'training' && !withTraining) continue
    if (!/^[\w.-]{1,80}$/.test(profile.store.id)) throw refused('sheetName', { file, store: profile.store.id })
    if (stores.some(({ store }) => store.id === profile.store.id))
      throw refused('storeTwice', { file, store: profile.store.id })
    stores.push(profile)
  }
  if (stores.length === 0) throw refused('allTraining', { folder })
  return stores
}
