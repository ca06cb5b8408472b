import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Signer } from '../keys.ts'
import { openJson, sealJson, type JsonDistrust, type Trusted } from '../signed.ts'
import { RESERVED_ON_WINDOWS } from '../manifest.ts'

/**
 * Version of the program: three numbers, as in package.json. There are no pre-release versions, because waves
 * distribute trials.
 */
export const Version = z
  .string()
  .regex(/^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/, 'a version is three numbers, such as 1.4.0')

export function compareVersions(one: string, other: string): number {
  const others = other.split('.').map(Number)
  return one.split('.').reduce((known, part, index) => known || Number(part) - (others[index] ?? 0), 0)
}

const PATH_MESSAGE =
  'a program’s path may have only letters A to Z, digits, spaces and . ( ) + - _ @ [ ] %, and no name Windows reserves'

const SEGMENT = /^(?!\.+$)[\w@.[(]([\w .()+@[\]%-]*[\w()+@[\]%-])?$/

/** File with the signed manifest in a slot; no file of a program may have this name. */
export const PROGRAM_SIGNED = 'program.signed'

/**
 * A path below the program's folder, with the rules of a bundle: no drive, no parent folders, only characters that all
 * systems interpret alike. Unlike in bundles, names may have the characters of npm packages, and files may begin with a
 * dot.
 */
export const ProgramPath = z
  .string()
  .max(240)
  .refine((path) => path.split('/').every((segment) => SEGMENT.test(segment)), PATH_MESSAGE)
  .regex(RESERVED_ON_WINDOWS, PATH_MESSAGE)
  .refine((path) => path.toLowerCase() !== PROGRAM_SIGNED, `${PROGRAM_SIGNED} is reserved for the manifest`)

/**
 * Returns whether the paths are distinct on every file system: Windows ignores case, and a file cannot also be a
 * folder.
 */
export function areDistinctPaths(paths: readonly string[]): boolean {
  const all = new Set(paths.map((path) => path.toLowerCase()))
  return all.size === paths.length && [...all].every((path) => foldersOf(path).every((folder) => !all.has(folder)))
}

const foldersOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, segments) => segments.slice(0, index + 1).join('/'))

/**
 * File with the channel. Versions are published in a static folder: this file, and those at `manifestPlace` and
 * `filePlace`.
 */
export const CHANNEL_FILE = 'channel.signed'
export const manifestPlace = (sha256: string): string => `manifests/${sha256}.signed`
export const filePlace = (sha256: string): string => `files/${sha256}.gz`
export const REPORTS_PLACE = 'reports'

export const MAX_CHANNEL_BYTES = 1_000_000
export const MAX_MANIFEST_BYTES = 16_000_000
export const MAX_FILE_BYTES = 1_000_000_000
export const MAX_PROGRAM_BYTES = 3_000_000_000

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/**
 * Platform that a program is built for. `linux-x64-browser` includes Node and shows its screens in an installed
 * browser.
 */
export const Platform = z.enum(['linux-x64', 'win-x64', 'mac-arm64', 'mac-x64', 'linux-x64-browser'])
export type Platform = z.infer<typeof Platform>

export const ProgramFile = z.strictObject({
  path: ProgramPath,
  sha256: Sha256,
  bytes: z.int().min(0).max(MAX_FILE_BYTES),
  executable: z.boolean(),
})
export type ProgramFile = z.infer<typeof ProgramFile>

/** A link in a program, as in a macOS framework; `to` is a file or folder of the same program, relative to its root. */
const ProgramLink = z.strictObject({ path: ProgramPath, to: ProgramPath })

const Program = z
  .strictObject({
    platform: Platform,
    files: z.array(ProgramFile).min(1).max(30_000),
    links: z.array(ProgramLink).max(500).optional(),
  })
  .refine(
    ({ files, links = [] }) => areDistinctPaths([...files, ...links].map(({ path }) => path)),
    'two of the files would have the same name on some file systems',
  )
  .refine(({ files, links = [] }) => linksStayInside(files, links), 'a link leads outside the program')
  .refine(
    ({ files }) => files.reduce((sum, { bytes }) => sum + bytes, 0) <= MAX_PROGRAM_BYTES,
    'the program is too large',
  )
export type Program = z.infer<typeof Program>

function linksStayInside(files: readonly { readonly path: string }[], links: readonly { readonly to: string }[]) {
  return links.every(({ to }) => files.some(({ path }) => path === to || path.startsWith(`${to}/`)))
}

/**
 * Manifest of a version for every platform. Signed for the purpose `update`; immutable, because it is named by its
 * SHA-256.
 */
export const UpdateManifest = z.strictObject({
  format: z.literal(1),
  kind: z.literal('program update'),
  version: Version,
  releasedAt: z.iso.datetime(),
  schema: z.int().min(1),
  /** Oldest database schema that the version can migrate: a lane with an older one needs an intermediate version. */
  readsBack: z.int().min(1),
  notes: z.strictObject({ 'en-CA': z.string().max(10_000), 'fr-CA': z.string().max(10_000) }),
  programs: z
    .array(Program)
    .min(1)
    .refine(
      (programs) => new Set(programs.map(({ platform }) => platform)).size === programs.length,
      'a platform twice',
    ),
})
export type UpdateManifest = z.infer<typeof UpdateManifest>

export const Release = z.strictObject({
  version: Version,
  manifest: Sha256,
  /** Percentage of lanes that may use the version, in steps of 0.01 %. */
  wavePercent: z.number().min(0).max(100),
  /** No further lane uses a halted version, regardless of its wave. A lane that runs it continues. */
  halted: z.boolean(),
})
export type Release = z.infer<typeof Release>

/** Available releases and their waves. Signed for the purpose `update channel`; the only file that is replaced. */
export const Channel = z
  .strictObject({
    format: z.literal(1),
    kind: z.literal('update channel'),
    sequence: z.int().min(1),
    madeAt: z.iso.datetime(),
    /** After this time the channel is rejected, which limits how long an attacker can withhold a newer one. */
    expiresAt: z.iso.datetime(),
    /** Version that every lane may use, whether or not the wave of the version includes the lane. */
    stable: Version,
    releases: z.array(Release).min(1).max(100),
  })
  .refine(
    ({ releases }) => new Set(releases.map(({ version }) => version)).size === releases.length,
    'the releases have a version twice',
  )
  .refine(
    ({ releases, stable }) => releases.some(({ version }) => version === stable),
    'the stable version is not one of the releases',
  )
export type Channel = z.infer<typeof Channel>

/**
 * Result of an update on a lane. `running`: the version is the good one now; `went-back`: the lane runs the version
 * `from` again.
 */
export const Report = z.strictObject({
  store: z.string().min(1).max(64),
  lane: z.string().min(1).max(16),
  version: Version,
  from: Version,
  outcome: z.enum(['running', 'went-back', 'failed']),
  why: z.string().max(500).nullable(),
  at: z.iso.datetime(),
})
export type Report = z.infer<typeof Report>

export const sealChannel = (channel: Channel, signer: Signer): Buffer =>
  sealJson('update channel', Channel, channel, signer)

export const sealManifest = (manifest: UpdateManifest, signer: Signer): Buffer =>
  sealJson('update', UpdateManifest, manifest, signer)

/**
 * Why a channel or manifest is refused. `older`: than a channel that the lane has accepted; `other`: not the requested
 * one; `damaged`: signed, but invalid.
 */
export type ChannelRefusal = JsonDistrust | 'too-large' | 'expired' | 'older'
export type ManifestRefusal = JsonDistrust | 'too-large' | 'other'

/** Verifies a channel. `seen`: sequence of the newest channel that this lane accepted; 0 if none. */
export function openChannel(
  file: Uint8Array,
  trusted: Trusted,
  { seen, now }: { readonly seen: number; readonly now: Date },
): { readonly channel: Channel } | { readonly refusal: ChannelRefusal } {
  if (file.byteLength > MAX_CHANNEL_BYTES) return { refusal: 'too-large' }
  const opened = openJson('update channel', Channel, file, trusted)
  if ('distrust' in opened) return { refusal: opened.distrust }
  const channel = opened.value
  if (channel.sequence < seen) return { refusal: 'older' }
  return new Date(channel.expiresAt) <= now ? { refusal: 'expired' } : { channel }
}

/**
 * Verifies a manifest. `expected`: its SHA-256 in the channel; null: any manifest signed by a trusted key, as in a
 * lane's own slot.
 */
export function openManifest(
  file: Uint8Array,
  trusted: Trusted,
  expected: string | null,
): { readonly manifest: UpdateManifest } | { readonly refusal: ManifestRefusal } {
  if (file.byteLength > MAX_MANIFEST_BYTES) return { refusal: 'too-large' }
  const opened = openJson('update', UpdateManifest, file, trusted)
  const isOther = expected !== null && sha256(file) !== expected
  if ('distrust' in opened) return { refusal: isOther && opened.distrust === 'damaged' ? 'other' : opened.distrust }
  return isOther ? { refusal: 'other' } : { manifest: opened.value }
}
