import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { readBundle, sha256, type Bundle } from './bundle.ts'
import { bundlesOf } from './due.ts'
import { PROFILE_FILE, type BundleManifest } from './manifest.ts'
import { newestTrust, openTrust, type TrustList } from './trust.ts'
import { makeFolder, writeFolder, writeWhole } from './whole-file.ts'

/** What a lane sells by. */
export interface Sold {
  readonly id: string
  readonly manifest: BundleManifest
  readonly profileFile: string
}

export type Standing = ReturnType<typeof openStanding>

/** The bundles that stand in a lane's data folder, whichever is in force, and the keys that it believes. */
export function openStanding(dataFolder: string, ownTrust: TrustList) {
  const folder = bundlesOf(dataFolder)
  const trustFolder = path.join(folder, 'trust')
  const placeOf = (id: string): string => path.join(folder, id)

  function trust(): TrustList {
    const files = existsSync(trustFolder)
      ? readdirSync(trustFolder)
          .map((name) => path.join(trustFolder, name))
          .filter(isFile)
          .map((file) => readFileSync(file))
      : []
    return newestTrust(ownTrust, files)
  }

  /** A bundle that stands on the lane. One whose key was revoked since stays: revoking must not close a store. */
  function find(id: string): Bundle | null {
    const file = path.join(placeOf(id), 'bundle')
    if (!isFile(file)) return null
    const { keys, revoked } = trust()
    const read = readBundle(readFileSync(file), { keys: [...keys, ...revoked], revoked: [] })
    return 'bundle' in read && read.bundle.id === id ? read.bundle : null
  }

  const soldBy = ({ id, manifest }: Bundle): Sold => ({
    id,
    manifest,
    profileFile: path.join(placeOf(id), 'files', PROFILE_FILE),
  })

  return {
    folder,
    placeOf,
    trust,
    find,
    soldBy,
    isRevoked: ({ keyId }: Bundle): boolean => trust().revoked.some(({ id }) => id === keyId),

    /** All that stand and are believed, the newest first. */
    all(): Bundle[] {
      const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name)) : []
      return names
        .flatMap((name) => find(name) ?? [])
        .toSorted((one, other) => other.manifest.sequence - one.manifest.sequence)
    },

    write(bundle: Bundle, file: Uint8Array): void {
      makeFolder(folder, 0o700)
      writeFolder(
        placeOf(bundle.id),
        new Map([['bundle', file], ...[...bundle.files].map(([name, bytes]) => [`files/${name}`, bytes] as const)]),
      )
    },

    remove(id: string): void {
      rmSync(placeOf(id), { recursive: true, force: true })
    },

    /** Of the lists in the files, those that follow from what is believed. Answers whether there was a newer one. */
    keepTrust(files: readonly Uint8Array[]): boolean {
      const before = trust()
      const after = newestTrust(before, files)
      const { keys, revoked } = after
      for (const file of files) {
        const place = path.join(trustFolder, `${sha256(file)}.keys`)
        const opened = openTrust(file, { keys: [...keys, ...revoked], revoked: [] })
        if (existsSync(place) || !('list' in opened)) continue
        // Older ones too where they lead to the newest: an older package that is put back begins with one of them.
        if (newestTrust(opened.list, files).version !== after.version) continue
        makeFolder(trustFolder, 0o700)
        writeWhole(place, file)
      }
      return after.version !== before.version
    },

    /**
     * The files as the manifest has them: whatever was changed beside the bundle is written anew from it. File by file,
     * since the bundle beside them is the only one that there is.
     */
    mended(bundle: Bundle): Sold {
      const { id, manifest, files } = bundle
      for (const { path: name, bytes, sha256: hash } of manifest.files) {
        const file = path.join(placeOf(id), 'files', ...name.split('/'))
        // A link may lead to what is changed after this look.
        const isSame = isFile(file) && statSync(file).size === bytes && sha256(readFileSync(file)) === hash
        if (isSame) continue
        makeFolder(path.dirname(file), 0o700)
        if (!isFile(file)) rmSync(file, { recursive: true, force: true })
        writeWhole(file, files.get(name) ?? new Uint8Array())
      }
      return soldBy(bundle)
    },
  }
}

export const isFile = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true

export const isOfSameStore = (one: BundleManifest, other: BundleManifest): boolean =>
  one.store.id === other.store.id && one.mode === other.mode
