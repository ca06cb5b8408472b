import { z } from 'zod'
import type { Signer } from './keys.ts'
import { open, seal, type Distrust, type Trusted } from './signed.ts'

/** The systems that a package can be for; the last runs in a browser of the machine, the others in Electron. */
export const PackagePlatform = z.enum(['linux-x64', 'win-x64', 'mac-arm64', 'mac-x64', 'linux-x64-browser'])
export type PackagePlatform = z.infer<typeof PackagePlatform>

/** A file by its path below the package's folder, with / between names on every system. */
export const PackagedFile = z.strictObject({
  path: z
    .string()
    .max(400)
    .regex(/^(?!\/)(?!.*(^|\/)\.\.?(\/|$))[^\\:\0]+$/, 'a path below the folder, without a way up'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(0),
  executable: z.boolean(),
})
export type PackagedFile = z.infer<typeof PackagedFile>

/** What a package of a store is made of: every file but this list itself, and the state of the slots, which changes. */
export const PackageManifest = z.strictObject({
  format: z.literal(1),
  kind: z.literal('package'),
  platform: PackagePlatform,
  version: z.string().max(64),
  store: z.strictObject({ id: z.string().min(1).max(64), name: z.string().max(200) }),
  mode: z.enum(['production', 'training']),
  lanes: z.array(z.string().min(1).max(16)).min(1).max(200),
  files: z.array(PackagedFile).min(1).max(100_000),
})
export type PackageManifest = z.infer<typeof PackageManifest>

export const sealPackage = (manifest: PackageManifest, signer: Signer): Buffer =>
  seal('package', Buffer.from(`${JSON.stringify(PackageManifest.parse(manifest))}\n`), signer)

/** The list that a trusted key has signed, or why it is not believed. */
export function openPackage(
  file: Uint8Array,
  trusted: Trusted,
): { readonly manifest: PackageManifest } | { readonly distrust: Distrust | 'damaged' } {
  const opened = open('package', file, trusted)
  if ('distrust' in opened) return opened
  try {
    return { manifest: PackageManifest.parse(JSON.parse(opened.bytes.toString('utf8'))) }
  } catch {
    return { distrust: 'damaged' }
  }
}
