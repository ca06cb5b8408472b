import { createHash } from 'node:crypto'
import { unzipSync, zipSync, type Zippable } from 'fflate'
import { BundleManifest, isOfNewerSchema, PROFILE_FILE } from './manifest.ts'
import type { Signer } from './keys.ts'
import { open, seal, type SignatureProblem, type Trusted } from './signed.ts'

/** Maximum size of a bundle, far more than a store's profile, catalog and logo. */
export const MAX_BUNDLE_BYTES = 256 * 1024 * 1024
/** Maximum number of key lists in a bundle, in addition to the manifest and up to 50 files of the store. */
export const MAX_LISTS = 1_000
const MAX_ENTRIES = 51 + MAX_LISTS
const MANIFEST = 'manifest.json'
const TRUST = /^trust\/\d{6}\.keys$/
/** Time of every archive entry, fixed so that bundles of the same files have the same bytes (ZIP begins in 1980). */
const MADE = new Date(1980, 0, 1)

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export interface BundleContent {
  readonly manifest: Omit<BundleManifest, 'format' | 'kind' | 'files'>
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly trust?: readonly Uint8Array[]
}

export interface Bundle {
  readonly id: string
  readonly keyId: string
  readonly manifest: BundleManifest
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly trust: readonly Uint8Array[]
}

/**
 * Returns the bytes of a signed bundle: a ZIP archive and the trailer of its signature. The same input gives the same
 * bytes.
 */
export function packBundle({ manifest, files, trust = [] }: BundleContent, signer: Signer): Buffer {
  if (!files.has(PROFILE_FILE)) throw new Error(`a bundle needs a ${PROFILE_FILE}`)
  if (trust.length > MAX_LISTS) throw new Error(`a bundle has at most ${MAX_LISTS} lists of trusted keys`)
  const sorted = [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const whole = BundleManifest.parse({
    format: 1,
    kind: 'store bundle',
    ...manifest,
    files: sorted.map(([path, bytes]) => ({ path, sha256: sha256(bytes), bytes: bytes.byteLength })),
  })
  const entries: Zippable = { [MANIFEST]: Buffer.from(`${JSON.stringify(whole, null, 2)}\n`) }
  for (const [index, file] of trust.entries()) entries[`trust/${String(index + 1).padStart(6, '0')}.keys`] = file
  for (const [path, bytes] of sorted) entries[`files/${path}`] = bytes
  return seal('store bundle', zipSync(entries, { level: 6, mtime: MADE }), signer)
}

export type BundleRefusal = SignatureProblem | 'damaged' | 'too-large' | 'schema-newer'

/**
 * Verifies the signature of a bundle, and that every file matches the manifest. The lane checks store and times.
 * Nothing is parsed before the signature is verified.
 */
export function readBundle(
  file: Uint8Array,
  trusted: Trusted,
): { readonly bundle: Bundle } | { readonly refusal: BundleRefusal } {
  if (file.byteLength > MAX_BUNDLE_BYTES) return { refusal: 'too-large' }
  const opened = open('store bundle', file, trusted)
  if ('distrust' in opened) return { refusal: opened.distrust }
  const content = contentOf(opened.bytes)
  if (content === null) return { refusal: 'damaged' }
  // The schema version is checked before the manifest's schema, because an older program may not understand the other
  // fields.
  if (isOfNewerSchema(content.schema)) return { refusal: 'schema-newer' }
  const manifest = BundleManifest.safeParse(content.manifest)
  if (!manifest.success || !isWhole(manifest.data, content.files)) return { refusal: 'damaged' }
  const { files, trust } = content
  return { bundle: { id: sha256(opened.bytes), keyId: opened.keyId, manifest: manifest.data, files, trust } }
}

interface Content {
  readonly manifest: unknown
  readonly schema: { readonly profileSchema: number }
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly trust: readonly Uint8Array[]
}

const Schema = BundleManifest.pick({ profileSchema: true }).loose()

function contentOf(archive: Uint8Array): Content | null {
  let remainingBytes = MAX_BUNDLE_BYTES
  let entries = 0
  try {
    const unzipped = unzipSync(archive, {
      filter({ originalSize }) {
        remainingBytes -= originalSize
        entries += 1
        if (remainingBytes < 0 || entries > MAX_ENTRIES) throw new Error('more than a bundle holds')
        return true
      },
    })
    const manifest: unknown = JSON.parse(Buffer.from(unzipped[MANIFEST] ?? []).toString('utf8'))
    const names = Object.keys(unzipped).filter((name) => name !== MANIFEST)
    const isKnown = (name: string): boolean => name.startsWith('files/') || TRUST.test(name)
    if (!names.every(isKnown)) return null
    return {
      manifest,
      schema: Schema.parse(manifest),
      files: new Map(
        names.flatMap((name) => {
          const bytes = unzipped[name]
          return name.startsWith('files/') && bytes ? [[name.slice('files/'.length), bytes] as const] : []
        }),
      ),
      trust: names
        .filter((name) => TRUST.test(name))
        .toSorted()
        .flatMap((name) => unzipped[name] ?? []),
    }
  } catch {
    return null
  }
}

const isWhole = ({ files: listed }: BundleManifest, files: ReadonlyMap<string, Uint8Array>): boolean =>
  listed.length === files.size &&
  listed.some(({ path }) => path === PROFILE_FILE) &&
  listed.every(({ path, sha256: hash, bytes }) => {
    const found = files.get(path)
    return found?.byteLength === bytes && sha256(found) === hash
  })
