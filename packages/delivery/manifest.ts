import { z } from 'zod'
import { PROFILE_SCHEMA } from '../../contracts/core/profile-schema.ts'

const PATH_MESSAGE =
  'a file’s path may contain only letters A to Z, digits, spaces and . ( ) + - _, and no name that Windows reserves'
/** Pattern that rejects paths with a segment that Windows reserves for a device, with any extension. */
export const RESERVED_ON_WINDOWS = /^(?!(.*\/)?(con|prn|aux|nul|com\d|lpt\d)(\.|\/|$))/i
/** A path below the bundle's root: no drive, no parent folders, only characters that all systems interpret alike. */
const FilePath = z
  .string()
  .max(200)
  .regex(/^\w([\w .()+-]*[\w()+-])?(\/\w([\w .()+-]*[\w()+-])?)*$/, PATH_MESSAGE)
  .regex(RESERVED_ON_WINDOWS, PATH_MESSAGE)

/**
 * Returns whether the paths are distinct on every file system: Windows ignores case, and a file cannot also be a
 * folder.
 */
function areDistinctPaths(files: readonly { readonly path: string }[]): boolean {
  const paths = files.map(({ path }) => path.toLowerCase())
  const all = new Set(paths)
  return all.size === paths.length && paths.every((one) => paths.every((other) => !other.startsWith(`${one}/`)))
}

export const BundleManifest = z.strictObject({
  format: z.literal(1),
  kind: z.literal('store bundle'),
  store: z.strictObject({ id: z.string().min(1).max(64), name: z.string().max(200) }),
  mode: z.enum(['production', 'training']),
  lanes: z.array(z.string().min(1).max(16)).min(1).max(200),
  /**
   * Schema version of the profile. A program rejects a profile with a newer version than its own, because it would
   * misread it.
   */
  profileSchema: z.int().min(1),
  /** Sequence number that increases with every bundle of the store: an older bundle is rejected. */
  sequence: z.int().min(1),
  madeAt: z.iso.datetime(),
  /** The first start from this time on makes the bundle active; null: the next start. */
  activeFrom: z.iso.datetime().nullable(),
  /** After this time the bundle cannot be stored on a lane any more. A bundle stored before stays. */
  expiresAt: z.iso.datetime().nullable(),
  files: z
    .array(z.strictObject({ path: FilePath, sha256: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.int().min(0) }))
    .min(1)
    .max(50)
    .refine(areDistinctPaths, 'two of the files would have the same name on some file systems'),
})
export type BundleManifest = z.infer<typeof BundleManifest>

export const PROFILE_FILE = 'profile.yaml'
export const isOfNewerSchema = ({ profileSchema }: Pick<BundleManifest, 'profileSchema'>): boolean =>
  profileSchema > PROFILE_SCHEMA
