import { readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { sha256 } from '../bundle.ts'
import { sealPackage } from '../package-manifest.ts'
import { PROGRAM_SIGNED, type ProgramFile } from '../updates/formats.ts'
import type { Keyring } from '../commands/keyring.ts'
import type { MadeBundle } from '../commands/make-bundle.ts'
import { FIRST_STATE, installerFiles } from './installer-files.ts'
import { type MemberFile, secondMember } from './member.ts'
import { type Program, SLOT } from './programs.ts'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import { readProfileOutline } from '../../supervisor/profile-outline.ts'
import { StoreFilesError, readStoreFiles } from '../commands/store-files.ts'
import { type ProfileChecker, mistakeLine } from '../commands/check-profile.ts'
import type { Mode } from './program-files.ts'

/**
 * Files of a package that are not in its signed list: the list itself, and the state of the slots, which the lane
 * writes.
 */
export const SIGNED_LIST = 'package.signed'
export const STATE_FILE = 'slots/state.json'

/**
 * Returns the store's own files in its package (the second gzip member of the archive), with the installer's signature.
 */
export async function storeArchiveMember(
  program: Program,
  { bytes, store, lanes }: MadeBundle,
  keyring: Keyring,
): Promise<Buffer> {
  // Only the newest key list is needed: it can be verified by itself and contains the key that signed the bundle.
  const trust = keyring.lists.at(-1) ?? Buffer.alloc(0)
  const own: MemberFile[] = [
    ...installerFiles(program.platform),
    { path: 'store/store.bundle', bytes, executable: false },
    { path: 'store/trust.keys', bytes: trust, executable: false },
  ]
  const listed = [...own, { path: SLOT + PROGRAM_SIGNED, bytes: program.sealed, executable: false }].map(
    (file): ProgramFile => ({
      path: file.path,
      sha256: sha256(file.bytes),
      bytes: file.bytes.byteLength,
      executable: file.executable,
    }),
  )
  const signed = sealPackage(
    {
      format: 1,
      kind: 'package',
      platform: program.platform.name,
      version: program.version,
      store,
      mode: program.mode,
      lanes: [...lanes],
      files: listed,
    },
    keyring.signer(),
  )
  return secondMember([
    ...own,
    { path: SIGNED_LIST, bytes: signed, executable: false },
    { path: STATE_FILE, bytes: Buffer.from(FIRST_STATE), executable: false },
  ])
}

/**
 * Returns the default time of a store's bundle: that of its newest file, so that the same files give the same package.
 */
export function newestTime(profileFile: string, named: Iterable<string>): Date {
  const folder = path.dirname(profileFile)
  const files = [profileFile, ...[...named].map((name) => path.join(folder, ...name.split('/')))]
  const times = files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return new Date(Math.floor(Math.max(...times) / 1_000) * 1_000)
}

export type CheckedStore =
  | {
      readonly kind: 'good'
      readonly profile: string
      readonly store: string
      readonly mode: Mode
      readonly lanes: readonly string[]
      readonly newest: Date
    }
  | { readonly kind: 'broken'; readonly profile: string; readonly store: string; readonly mistakes: readonly string[] }

/** Checks every profile in the folder, sorted by name. Two profiles of one store are both broken. */
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
    return broken(profile, store, [
      `${lineOf(profile, store)}  store.id: ${store} cannot be a file name of a package. Change the store id.`,
    ])
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

function lineOf(profile: string, store: string): string {
  const lines = readFileSync(profile, 'utf8').split('\n')
  const at = lines.findIndex((line) => /^\s+id:/.test(line) && line.includes(store))
  return at < 0 ? profile : `${profile}:${at + 1}:${(lines[at]?.indexOf('id:') ?? 0) + 1}`
}
