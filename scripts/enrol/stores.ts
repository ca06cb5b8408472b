import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { FIRST_LOCALE } from '../../contracts/i18n/languages.ts'
import { Profile } from '../../contracts/profile.ts'
import { needFolder } from '../command-line.ts'
import { mistakeLine, type ProfileChecker } from '../check-profile.ts'

/** What cannot be done, in words for whoever runs the command. */
export class EnrolError extends Error {
  override name = 'EnrolError'
}

/** The store of a profile, as far as its enrolment needs it. */
export type Store = Pick<Profile, 'store' | 'lanes' | 'staff' | 'locales' | 'timeZone' | 'limits'>

/**
 * Every production store whose profile lies in the folder, checked as its lanes will check it. Throws EnrolError for a
 * broken one: half a chain's codes would be as good as none. Training stores need none, and are left out.
 */
export async function readStores(folder: string, checker: ProfileChecker): Promise<Store[]> {
  needFolder(folder)
  const files = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name))
  if (files.length === 0) throw new EnrolError(`There is no profile (.yaml) in ${folder}.`)
  const stores: Store[] = []
  for (const name of files.toSorted()) {
    const file = path.join(folder, name)
    const { mistakes } = await checker.ask({ kind: 'store', file })
    if (mistakes.length > 0)
      throw new EnrolError(mistakes.map((mistake) => mistakeLine(mistake, FIRST_LOCALE)).join('\n'))
    const profile = Profile.parse(parse(readFileSync(file, 'utf8')))
    if (profile.mode === 'training') continue
    if (!/^[\w.-]{1,80}$/.test(profile.store.id))
      throw new EnrolError(`${file}: store.id: ${profile.store.id} cannot name a sheet's file.`)
    if (stores.some(({ store }) => store.id === profile.store.id))
      throw new EnrolError(`${file}: store.id: ${profile.store.id} is another profile's too.`)
    stores.push(profile)
  }
  if (stores.length === 0) throw new EnrolError(`Every profile in ${folder} is for training, and needs no enrolment.`)
  return stores
}
