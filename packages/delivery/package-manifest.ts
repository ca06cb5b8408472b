import { z } from 'zod'
import type { Signer } from './keys.ts'
import { openJson, seal, type Trusted } from './signed.ts'
import { Platform, ProgramFile, Version } from './updates/formats.ts'

/**
 * Signed list of the files in a store's package, by paths below its folder. Excludes the list itself, the changing
 * state of the slots, and the program in the slot, whose own list is among these files.
 */
export const PackageManifest = z.strictObject({
  format: z.literal(1),
  kind: z.literal('package'),
  platform: Platform,
  version: Version,
  store: z.strictObject({ id: z.string().min(1).max(64), name: z.string().max(200) }),
  mode: z.enum(['production', 'training']),
  lanes: z.array(z.string().min(1).max(16)).min(1).max(200),
  files: z.array(ProgramFile).min(1).max(100),
})
export type PackageManifest = z.infer<typeof PackageManifest>

export const sealPackage = (manifest: PackageManifest, signer: Signer): Buffer =>
  seal('package', Buffer.from(`${JSON.stringify(PackageManifest.parse(manifest))}\n`), signer)

export const openPackage = (file: Uint8Array, trusted: Trusted) => openJson('package', PackageManifest, file, trusted)
