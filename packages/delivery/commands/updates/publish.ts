import { createHash } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import { createGunzip, createGzip } from 'node:zlib'
import type { Signer } from '../../keys.ts'
import type { Trusted } from '../../signed.ts'
import {
  type Channel,
  type Platform,
  type Program,
  UpdateManifest,
  UpdateManifest as Manifest,
  filePlace,
  manifestPlace,
  sealManifest,
  sha256 as hashOf,
} from '../../updates/formats.ts'
import { type Releases, changeChannel, readChannel, readManifest } from '../../updates/release-folder.ts'
import { writeWhole } from '../../whole-file.ts'
import { type FoundFile, type FoundProgram, readProgram } from './program-folder.ts'
import { UpdatesRefusal } from './status.ts'
import { parse } from 'yaml'
import { z } from 'zod'
import { LOCALES } from '../../../../contracts/i18n/languages.ts'

export interface VersionToPublish {
  readonly version: string
  readonly programs: ReadonlyMap<Platform, string>
  readonly notes: UpdateManifest['notes']
  readonly schema: number | null
  readonly readsBack: number
  /** Must be true for the first version of a folder, which becomes the stable one; ignored for later versions. */
  readonly stable: boolean
  readonly now: Date
  readonly signer: Signer
  readonly trusted: Trusted
  readonly onFile: (done: number, of: number) => void
}

export interface PublishedVersion {
  readonly kind: 'published' | 'there-already'
  readonly channel: Channel
  readonly files: number
  readonly fresh: number
  readonly maxBytes: number
}

const MAX_RELEASES = 100

/**
 * Publishes a version into a folder of static files: each file once, its manifest under the manifest's hash, and the
 * channel, in which a version after the first has a wave of 0 %. The channel is written last, so that concurrent
 * readers find everything that it names. Throws UpdatesRefusal, ReleaseFolderBusy and ReleaseFolderDistrusted; the
 * channel is unchanged then.
 */
export async function publishVersion(folder: string, options: VersionToPublish): Promise<PublishedVersion> {
  const { version, signer, trusted, now } = options
  const found = new Map([...options.programs].map(([platform, from]) => [platform, readOne(from, version)]))
  const schema = schemaOf([...found.values()], options.schema)
  if (options.readsBack > schema)
    throw new UpdatesRefusal('reads-back', { given: String(options.readsBack), schema: String(schema) })
  const hashed = await hashAll(found)
  const manifest = UpdateManifest.parse({
    format: 1,
    kind: 'program update',
    version,
    releasedAt: now.toISOString(),
    schema,
    readsBack: options.readsBack,
    notes: options.notes,
    programs: hashed.map(({ program }) => program),
  })
  const sealed = sealManifest(manifest, signer)
  const to = (before: Channel | null): Releases | null =>
    addedTo(before, { folder, manifest, hash: hashOf(sealed), ...options })
  const files = hashed.reduce((sum, { program }) => sum + program.files.length, 0)
  const before = readChannel(folder, trusted)
  if (to(before) === null && before !== null)
    return { kind: 'there-already', channel: before, files, fresh: 0, maxBytes: 0 }
  mkdirSync(path.join(folder, 'files'), { recursive: true })
  mkdirSync(path.join(folder, 'manifests'), { recursive: true })
  const packed = await packAll(folder, hashed, options.onFile)
  writeWhole(path.join(folder, ...manifestPlace(hashOf(sealed)).split('/')), sealed, 0o644)
  const channel = changeChannel(folder, { signer, trusted, now, to })
  if (channel === null) throw new Error('no channel after the version was published')
  return { kind: 'published', channel, files, ...packed }
}

function readOne(folder: string, version: string): FoundProgram {
  const program = readProgram(folder)
  if (program.version !== null && program.version !== version)
    throw new UpdatesRefusal('other-version', { folder, found: program.version, version })
  return program
}

function schemaOf(programs: readonly FoundProgram[], given: number | null): number {
  const shown = new Set([...programs.map(({ schema }) => schema), given].filter((schema) => schema !== null))
  const [schema] = shown
  if (schema === undefined) throw new UpdatesRefusal('schema-unknown')
  if (shown.size > 1) throw new UpdatesRefusal('schemas-differ', { found: [...shown].join(', ') })
  return schema
}

interface Addition extends Pick<VersionToPublish, 'stable' | 'trusted'> {
  readonly folder: string
  readonly manifest: UpdateManifest
  readonly hash: string
}

/** Returns the releases including this one; null if the same version is already published. */
function addedTo(before: Channel | null, { folder, manifest, hash, stable, trusted }: Addition): Releases | null {
  const { version } = manifest
  if (before === null && !stable) throw new UpdatesRefusal('first-stable')
  const there = before?.releases.find((release) => release.version === version)
  if (there) {
    const existing = readManifest(folder, there.manifest, trusted)
    if (existing === null) throw new UpdatesRefusal('manifest-missing', { version, folder })
    // A difference in `releasedAt` alone is ignored: the version keeps the time at which it was first published.
    if (isDeepStrictEqual(existing, { ...manifest, releasedAt: existing.releasedAt })) return null
    throw new UpdatesRefusal('version-taken', { version })
  }
  if ((before?.releases.length ?? 0) >= MAX_RELEASES) throw new UpdatesRefusal('too-many', { folder })
  const release = { version, manifest: hash, wavePercent: before === null ? 100 : 0, halted: false }
  return { stable: before?.stable ?? version, releases: [...(before?.releases ?? []), release] }
}

interface Hashed {
  readonly program: Program
  readonly from: readonly FoundFile[]
}

async function hashAll(found: ReadonlyMap<Platform, FoundProgram>): Promise<Hashed[]> {
  const hashed: Hashed[] = []
  for (const [platform, { files, links }] of found) {
    const listed: Program['files'] = []
    for (const { path: at, file, bytes, executable } of files)
      listed.push({ path: at, sha256: await hashFile(file), bytes, executable })
    hashed.push({
      from: files,
      program: { platform, files: listed, ...(links.length === 0 ? {} : { links: [...links] }) },
    })
  }
  return hashed
}

async function packAll(
  folder: string,
  hashed: readonly Hashed[],
  onFile: VersionToPublish['onFile'],
): Promise<{ fresh: number; maxBytes: number }> {
  const total = hashed.reduce((sum, { from }) => sum + from.length, 0)
  let done = 0
  let fresh = 0
  let maxBytes = 0
  for (const { program, from } of hashed) {
    let onWire = 0
    for (const [index, { sha256 }] of program.files.entries()) {
      const file = from[index]
      const place = path.join(folder, ...filePlace(sha256).split('/'))
      if (file && !(await isWhole(place, sha256))) {
        await packFile(file, place, sha256)
        fresh += 1
      }
      onWire += statSync(place).size
      onFile((done += 1), total)
    }
    maxBytes = Math.max(maxBytes, onWire)
  }
  return { fresh, maxBytes }
}

/**
 * Verifies the whole content of a file that an earlier version has: lanes would reject a damaged one, which would halt
 * the wave.
 */
async function isWhole(place: string, sha256: string): Promise<boolean> {
  if (!existsSync(place)) return false
  const hash = createHash('sha256')
  const whole = await pipeline(createReadStream(place), createGunzip(), intoHash(hash)).then(
    () => hash.digest('hex') === sha256,
    () => false,
  )
  if (!whole) throw new UpdatesRefusal('file-changed', { file: place })
  return true
}

async function packFile({ file, path: at }: FoundFile, place: string, sha256: string): Promise<void> {
  const staged = `${place}.${process.pid}.new`
  const hash = createHash('sha256')
  try {
    await pipeline(
      createReadStream(file),
      async function* (bytes: AsyncIterable<Buffer>) {
        for await (const chunk of bytes) {
          hash.update(chunk)
          yield chunk
        }
      },
      createGzip(),
      createWriteStream(staged, { mode: 0o644, flush: true }),
    )
    // If a build is running, it could change files while they are packed, which lanes would reject.
    if (hash.digest('hex') !== sha256) throw new Error(`${at} changed while it was packed. Publish the version again.`)
    renameSync(staged, place)
  } finally {
    rmSync(staged, { force: true })
  }
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), intoHash(hash))
  return hash.digest('hex')
}

const intoHash = (hash: ReturnType<typeof createHash>): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, next) {
      hash.update(chunk)
      next()
    },
  })

const Given = z.record(z.string(), z.unknown())

/**
 * Reads the release notes: a YAML file with a text for each language, one line per point. Throws UpdatesRefusal if a
 * language is missing or the file has another form.
 */
export function readNotes(file: string): UpdateManifest['notes'] {
  const given = Given.safeParse(parsed(file))
  if (!given.success) throw new UpdatesRefusal('notes-form', { file })
  for (const language of LOCALES) {
    const text = given.data[language]
    if (text === undefined || (typeof text === 'string' && text.trim() === ''))
      throw new UpdatesRefusal('notes-language', { file, language })
  }
  const notes = Manifest.shape.notes.safeParse(given.data)
  if (!notes.success) throw new UpdatesRefusal('notes-form', { file })
  return notes.data
}

function parsed(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new UpdatesRefusal('notes-unreadable', { file, reason })
  }
}
