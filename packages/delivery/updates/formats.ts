import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Signer } from '../keys.ts'
import { openJson, sealJson, type JsonDistrust, type Trusted } from '../signed.ts'
import { RESERVED_ON_WINDOWS } from '../manifest.ts'

/** Three numbers, as package.json has them. Trials go out as waves, so there are no versions “before” a version. */
export const Version = z
  .string()
  .regex(/^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/, 'a version is three numbers, such as 1.4.0')

/** Below zero: the first is older. Both are versions. */
export function compareVersions(one: string, other: string): number {
  const others = other.split('.').map(Number)
  return one.split('.').reduce((known, part, index) => known || Number(part) - (others[index] ?? 0), 0)
}

const WORDS =
  'a program’s path has letters A to Z, digits, blanks and . ( ) + - _ @ [ ] % alone, and no name that Windows keeps'

const PART = /^(?!\.+$)[\w@.[(]([\w .()+@[\]%-]*[\w()+@[\]%-])?$/

/** Where a slot keeps its sealed manifest: no file of a program may be called so. */
export const PROGRAM_SIGNED = 'program.signed'

/**
 * Of a file below the program's folder, as in a bundle: no drive, no way up, nothing that two systems read differently.
 * Packages have more signs in their names, and files that begin with a dot.
 */
export const ProgramPath = z
  .string()
  .max(240)
  .refine((path) => path.split('/').every((part) => PART.test(part)), WORDS)
  .regex(RESERVED_ON_WINDOWS, WORDS)
  .refine((path) => path.toLowerCase() !== PROGRAM_SIGNED, `${PROGRAM_SIGNED} is the manifest’s own`)

/** Each its own on a disk of every kind: Windows tells no capitals from small letters, and no file is also a folder. */
export function areApart(paths: readonly string[]): boolean {
  const all = new Set(paths.map((path) => path.toLowerCase()))
  return all.size === paths.length && [...all].every((path) => foldersOf(path).every((folder) => !all.has(folder)))
}

const foldersOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'))

/** What is published is a folder of static files: this one, and those at `manifestPlace` and `filePlace`. */
export const CHANNEL_FILE = 'channel.signed'
export const manifestPlace = (sha256: string): string => `manifests/${sha256}.signed`
export const filePlace = (sha256: string): string => `files/${sha256}.gz`
/** Where a lane says what became of an update, by POST. */
export const REPORTS_PLACE = 'reports'

export const MOST_CHANNEL_BYTES = 1_000_000
export const MOST_MANIFEST_BYTES = 16_000_000
export const MOST_FILE_BYTES = 1_000_000_000
export const MOST_PROGRAM_BYTES = 3_000_000_000

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** What a program runs on. `linux-x64-browser` brings Node and shows its screens in a browser of the machine. */
export const Platform = z.enum(['linux-x64', 'win-x64', 'mac-arm64', 'mac-x64', 'linux-x64-browser'])
export type Platform = z.infer<typeof Platform>

export const ProgramFile = z.strictObject({
  path: ProgramPath,
  sha256: Sha256,
  /** Unpacked. */
  bytes: z.int().min(0).max(MOST_FILE_BYTES),
  executable: z.boolean(),
})
export type ProgramFile = z.infer<typeof ProgramFile>

/** A macOS framework has links within itself; `to` is a file or folder of the same program, from its root. */
const ProgramLink = z.strictObject({ path: ProgramPath, to: ProgramPath })

const Program = z
  .strictObject({
    platform: Platform,
    files: z.array(ProgramFile).min(1).max(30_000),
    links: z.array(ProgramLink).max(500).optional(),
  })
  .refine(
    ({ files, links = [] }) => areApart([...files, ...links].map(({ path }) => path)),
    'two of the files would be the same one on some disk',
  )
  .refine(({ files, links = [] }) => linksStayInside(files, links), 'a link leads to nothing of the program')
  .refine(
    ({ files }) => files.reduce((sum, { bytes }) => sum + bytes, 0) <= MOST_PROGRAM_BYTES,
    'the program is larger than any',
  )
export type Program = z.infer<typeof Program>

function linksStayInside(files: readonly { readonly path: string }[], links: readonly { readonly to: string }[]) {
  return links.every(({ to }) => files.some(({ path }) => path === to || path.startsWith(`${to}/`)))
}

/** A version, for every platform. Sealed for the purpose `update`; named by its SHA-256, so it never changes. */
export const UpdateManifest = z.strictObject({
  format: z.literal(1),
  kind: z.literal('program update'),
  version: Version,
  releasedAt: z.iso.datetime(),
  /** Schema of the database that the program brings a lane to. */
  schema: z.int().min(1),
  /** Oldest schema of a database that it can bring up: a lane with an older one goes over a version between. */
  readsBack: z.int().min(1),
  /** What is new, for the people of a store. */
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
  /** SHA-256 of the sealed manifest. */
  manifest: Sha256,
  /** Of all lanes, which share may take it; hundredths count. */
  wavePercent: z.number().min(0).max(100),
  /** Taken by nobody any more, whatever its wave. A lane that runs it goes on. */
  halted: z.boolean(),
})
export type Release = z.infer<typeof Release>

/** What there is to take, and who may. Sealed for the purpose `update channel`; the one file that is replaced. */
export const Channel = z
  .strictObject({
    format: z.literal(1),
    kind: z.literal('update channel'),
    /** Grows with every change: an older one that comes again is refused. */
    sequence: z.int().min(1),
    madeAt: z.iso.datetime(),
    /** After that nobody takes anything from it: who keeps a lane from a newer one does not keep it for ever. */
    expiresAt: z.iso.datetime(),
    /** What lanes take that no wave reaches, and those that come from long ago. */
    stable: Version,
    releases: z.array(Release).min(1).max(100),
  })
  .refine(
    ({ releases }) => new Set(releases.map(({ version }) => version)).size === releases.length,
    'a version twice among the releases',
  )
  .refine(
    ({ releases, stable }) => releases.some(({ version }) => version === stable),
    'the stable version is none of the releases',
  )
export type Channel = z.infer<typeof Channel>

/** What became of an update on a lane. `running`: it is the good one now; `went-back`: the lane runs `from` again. */
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

/** `older`: than one that the lane has seen; `other`: not the one that was asked for; `damaged`: signed, but none. */
export type ChannelRefusal = JsonDistrust | 'too-large' | 'expired' | 'older'
export type ManifestRefusal = JsonDistrust | 'too-large' | 'other'

/** `seen`: sequence of the newest channel that this lane believed; 0: none yet. */
export function openChannel(
  file: Uint8Array,
  trusted: Trusted,
  { seen, now }: { readonly seen: number; readonly now: Date },
): { readonly channel: Channel } | { readonly refusal: ChannelRefusal } {
  if (file.byteLength > MOST_CHANNEL_BYTES) return { refusal: 'too-large' }
  const opened = openJson('update channel', Channel, file, trusted)
  if ('distrust' in opened) return { refusal: opened.distrust }
  const channel = opened.value
  if (channel.sequence < seen) return { refusal: 'older' }
  return new Date(channel.expiresAt) <= now ? { refusal: 'expired' } : { channel }
}

/** `wanted`: the SHA-256 that the channel names; null: whatever a trusted key has signed, as of one's own slot. */
export function openManifest(
  file: Uint8Array,
  trusted: Trusted,
  wanted: string | null,
): { readonly manifest: UpdateManifest } | { readonly refusal: ManifestRefusal } {
  if (file.byteLength > MOST_MANIFEST_BYTES) return { refusal: 'too-large' }
  const opened = openJson('update', UpdateManifest, file, trusted)
  const isOther = wanted !== null && sha256(file) !== wanted
  if ('distrust' in opened) return { refusal: isOther && opened.distrust === 'damaged' ? 'other' : opened.distrust }
  return isOther ? { refusal: 'other' } : { manifest: opened.value }
}
