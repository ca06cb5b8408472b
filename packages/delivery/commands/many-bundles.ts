import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { csvFile } from '../../../contracts/core/csv.ts'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import { sha256 } from '../bundle.ts'
import { makeFolder, writeWhole } from '../whole-file.ts'
import { readProfileOutline } from '../../supervisor/profile-outline.ts'
import { mistakeLine, type ProfileChecker } from './check-profile.ts'
import type { Keyring } from './keyring.ts'
import { makeBundle, type BundleInput } from './make-bundle.ts'
import { StoreFilesError } from './store-files.ts'

export type StoreOutcome =
  | {
      readonly kind: 'made'
      readonly profile: string
      readonly store: string
      readonly lanes: readonly string[]
      readonly bytes: number
      readonly sha256: string
    }
  | { readonly kind: 'broken'; readonly profile: string; readonly mistakes: readonly string[] }

export interface ManyOptions {
  readonly folder: string
  readonly out: string
  readonly input: Omit<BundleInput, 'profileFile'>
  readonly keyring: Keyring
  readonly checker: ProfileChecker
  readonly onDone: (done: number, all: number) => void
}

/**
 * Creates `<store id>.bundle` for every profile in the folder. A broken profile does not stop the others; its bundle of
 * an earlier run is removed, so that it is not mistaken for a new one. Of two profiles of one store, the second is
 * broken.
 */
export async function makeBundles({
  folder,
  out,
  input,
  keyring,
  checker,
  onDone,
}: ManyOptions): Promise<StoreOutcome[]> {
  const profiles = readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .toSorted()
  makeFolder(out)
  const outcomes: StoreOutcome[] = []
  const firstOf = new Map<string, string>()
  for (const name of profiles) {
    const profile = path.join(folder, name)
    outcomes.push(await makeOne(profile))
    onDone(outcomes.length, profiles.length)
  }
  return outcomes

  async function makeOne(profile: string): Promise<StoreOutcome> {
    const { mistakes } = await checker.ask({ kind: 'store', file: profile })
    if (mistakes.length > 0)
      return broken(
        profile,
        mistakes.map((mistake) => mistakeLine(mistake, FIRST_LOCALE)),
      )
    try {
      const { bytes, store, lanes } = makeBundle({ ...input, profileFile: profile }, keyring)
      const first = firstOf.get(store.id)
      if (first !== undefined)
        return broken(profile, [`${profile}  store.id: ${store.id} is also the store of ${first}`])
      firstOf.set(store.id, profile)
      writeWhole(path.join(out, `${store.id}.bundle`), bytes, 0o644)
      return { kind: 'made', profile, store: store.id, lanes, bytes: bytes.byteLength, sha256: sha256(bytes) }
    } catch (error) {
      if (error instanceof StoreFilesError) return broken(profile, [error.message])
      throw error
    }
  }

  function broken(profile: string, mistakes: readonly string[]): StoreOutcome {
    const store = readProfileOutline(profile)?.storeId ?? path.basename(profile, path.extname(profile))
    // Remove only a bundle that is named after the store, because other files may belong to the user; and not a bundle
    // of this run, which belongs to the store's first profile.
    const isNamed = path.basename(store) === store && !firstOf.has(store)
    if (isNamed) rmSync(path.join(out, `${store}.bundle`), { force: true })
    return { kind: 'broken', profile, mistakes }
  }
}

export const reportOf = (outcomes: readonly StoreOutcome[]): string =>
  csvFile(
    ['profile', 'store', 'lanes', 'bytes', 'sha256', 'mistakes'],
    outcomes.map((one) =>
      one.kind === 'made'
        ? [one.profile, one.store, one.lanes.join(' '), one.bytes, one.sha256, '']
        : [one.profile, '', '', '', '', one.mistakes.join('\n')],
    ),
  )
