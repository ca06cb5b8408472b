import { z } from 'zod'
import { PROFILE_SCHEMA } from '../../contracts/core/profile-schema.ts'

const WORDS = 'a file’s path has letters A to Z, digits, blanks and . ( ) + - _ alone, and no name that Windows keeps'
/** No part of a path, with whatever behind its first dot, is a device on Windows. */
export const RESERVED_ON_WINDOWS = /^(?!(.*\/)?(con|prn|aux|nul|com\d|lpt\d)(\.|\/|$))/i
/** Of a file below the bundle's root: no drive, no way up, nothing that two systems read differently. */
const FilePath = z
  .string()
  .max(200)
  .regex(/^\w([\w .()+-]*[\w()+-])?(\/\w([\w .()+-]*[\w()+-])?)*$/, WORDS)
  .regex(RESERVED_ON_WINDOWS, WORDS)

/** Each its own on a disk of every kind: Windows tells no capitals from small letters, and no file is also a folder. */
function areApart(files: readonly { readonly path: string }[]): boolean {
  const paths = files.map(({ path }) => path.toLowerCase())
  const all = new Set(paths)
  return all.size === paths.length && paths.every((one) => paths.every((other) => !other.startsWith(`${one}/`)))
}

/** What a bundle is, and what is in it. Times are UTC (ISO 8601). */
export const BundleManifest = z.strictObject({
  format: z.literal(1),
  kind: z.literal('store bundle'),
  store: z.strictObject({ id: z.string().min(1).max(64), name: z.string().max(200) }),
  mode: z.enum(['production', 'training']),
  lanes: z.array(z.string().min(1).max(16)).min(1).max(200),
  /** The profile's schema that it was written for: an older program would read it wrongly. */
  profileSchema: z.int().min(1),
  /** Grows with every bundle of the store: an older one that comes again is refused. */
  sequence: z.int().min(1),
  madeAt: z.iso.datetime(),
  /** From when the lane sells by it; null: as soon as it is there. */
  activeFrom: z.iso.datetime().nullable(),
  /** After that it is not put on a lane any more. One that is on it stays. */
  expiresAt: z.iso.datetime().nullable(),
  files: z
    .array(z.strictObject({ path: FilePath, sha256: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.int().min(0) }))
    .min(1)
    .max(50)
    .refine(areApart, 'two of the files would be the same one on some disk'),
})
export type BundleManifest = z.infer<typeof BundleManifest>

/** The file that every bundle has. */
export const PROFILE_FILE = 'profile.yaml'
export const isOfNewerSchema = ({ profileSchema }: Pick<BundleManifest, 'profileSchema'>): boolean =>
  profileSchema > PROFILE_SCHEMA
