import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { Profile } from '../../../contracts/core/profile.ts'
import { PROFILE_SCHEMA } from '../../../contracts/core/profile-schema.ts'
import { packBundle, sha256, type BundleContent } from '../bundle.ts'
import type { Signer } from '../keys.ts'
import { TRAILER_BYTES } from '../signed.ts'
import type { Keyring } from './keyring.ts'
import { readStoreFiles, StoreFilesError } from './store-files.ts'

export interface BundleInput {
  readonly profileFile: string
  /** Creation time in the manifest: the same time and files give the same bytes. */
  readonly madeAt: Date
  readonly sequence: number
  readonly activeFrom: Date | null
  readonly expiresAt: Date | null
}

export interface MadeBundle {
  readonly bytes: Buffer
  readonly id: string
  readonly store: { readonly id: string; readonly name: string }
  readonly lanes: readonly string[]
}

/** Returns the signed bundle of a store whose profile has been checked. Throws StoreFilesError. */
export function makeBundle(input: BundleInput, keyring: Keyring): MadeBundle {
  const { profileFile, madeAt, sequence, activeFrom, expiresAt } = input
  const profile = Profile.parse(parse(readFileSync(profileFile, 'utf8')))
  const { id, name } = profile.store
  const lanes = profile.lanes.map((lane) => lane.id)
  if (!/^\w[\w .-]*$/.test(id))
    throw new StoreFilesError(`${profileFile}: store.id: ${id} cannot be a file name of a bundle. Change the store id.`)
  const bytes = packed(
    profileFile,
    {
      manifest: {
        store: { id, name },
        mode: profile.mode,
        lanes,
        profileSchema: PROFILE_SCHEMA,
        sequence,
        madeAt: madeAt.toISOString(),
        activeFrom: activeFrom?.toISOString() ?? null,
        expiresAt: expiresAt?.toISOString() ?? null,
      },
      files: readStoreFiles(profileFile),
      trust: keyring.needed,
    },
    keyring.signer(),
  )
  return { bytes, id: sha256(bytes.subarray(0, -TRAILER_BYTES)), store: { id, name }, lanes }
}

function packed(profileFile: string, content: BundleContent, signer: Signer): Buffer {
  try {
    return packBundle(content, signer)
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    throw new StoreFilesError(`${profileFile}: ${error.issues.map(({ message }) => message).join('; ')}`)
  }
}
