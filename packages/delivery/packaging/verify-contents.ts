import { createReadStream } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { readBundle, sha256 } from '../bundle.ts'
import { PROFILE_FILE } from '../manifest.ts'
import { openPackage, type PackageManifest } from '../package-manifest.ts'
import type { Trusted } from '../signed.ts'
import { openManifest, PROGRAM_SIGNED, type ProgramFile } from '../updates/formats.ts'
import { FIRST_STATE } from './installer-files.ts'
import { TOP } from './member.ts'
import { SLOT } from './programs.ts'
import { SIGNED_LIST, STATE_FILE } from './stores.ts'

export interface CheckedContents {
  /** The installer's signed list of files; null if the archive is damaged or the list's signature is not trusted. */
  readonly manifest: PackageManifest | null
  readonly profile: string
  readonly wrong: readonly string[]
}

interface ContentsOptions {
  readonly archive: string
  readonly trusted: Trusted
  readonly look: (name: string, bytes: Buffer) => readonly string[]
  /** Folder to unpack to; null if the archive is only read. */
  readonly into: string | null
}

export async function checkContents({ archive, trusted, look, into }: ContentsOptions): Promise<CheckedContents> {
  const found = new Map<string, ProgramFile>()
  const buffered = new Map<string, Buffer>()
  const wrong: string[] = []
  const tar = extract()
  createReadStream(archive)
    .on('error', (error) => tar.destroy(error))
    .pipe(createGunzip())
    .on('error', (error) => tar.destroy(error))
    .pipe(tar)
  try {
    for await (const entry of tar) {
      const bytes = await buffer(entry)
      const name = placeOf(entry.header.name)
      if (name === null || entry.header.type !== 'file') {
        wrong.push(`${entry.header.name}: not a file below ${TOP}/`)
        continue
      }
      if (found.has(name)) wrong.push(`${name}: twice in the archive`)
      const executable = ((entry.header.mode ?? 0) & 0o111) !== 0
      found.set(name, { path: name, sha256: sha256(bytes), bytes: bytes.byteLength, executable })
      if (BUFFERED.has(name)) buffered.set(name, bytes)
      for (const line of look(name, bytes)) wrong.push(`${name}: ${line}`)
      if (into !== null) await unpackFile(path.join(into, ...name.split('/')), bytes, executable)
    }
  } catch (error) {
    return {
      ...UNTRUSTED,
      wrong: [...wrong, `cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`],
    }
  }
  const list = openPackage(buffered.get(SIGNED_LIST) ?? Buffer.alloc(0), trusted)
  if ('distrust' in list) return { ...UNTRUSTED, wrong: [...wrong, `${SIGNED_LIST}: ${list.distrust}`] }
  const manifest = list.value
  const program = readProgram(manifest, buffered.get(SLOT + PROGRAM_SIGNED) ?? Buffer.alloc(0), trusted)
  const store = readStore(manifest, buffered.get('store/store.bundle') ?? Buffer.alloc(0), trusted)
  const files = differences([...manifest.files, ...program.files], found, buffered)
  return { manifest, profile: store.profile, wrong: [...wrong, ...program.wrong, ...files, ...store.wrong] }
}

function readProgram(
  { platform, version }: PackageManifest,
  file: Buffer,
  trusted: Trusted,
): { readonly files: readonly ProgramFile[]; readonly wrong: readonly string[] } {
  const opened = openManifest(file, trusted, null)
  if ('refusal' in opened) return { files: [], wrong: [`${SLOT}${PROGRAM_SIGNED}: ${opened.refusal}`] }
  const program = opened.manifest.programs.find((one) => one.platform === platform)
  if (program === undefined || opened.manifest.version !== version)
    return { files: [], wrong: [`${SLOT}${PROGRAM_SIGNED}: belongs to another program than the package`] }
  return { files: program.files.map((one) => ({ ...one, path: SLOT + one.path })), wrong: [] }
}

const UNTRUSTED = { manifest: null, profile: '' } as const

const BUFFERED: ReadonlySet<string> = new Set([SIGNED_LIST, STATE_FILE, SLOT + PROGRAM_SIGNED, 'store/store.bundle'])

/** Returns the path below the package's folder; null for a path outside it, which must not be written. */
function placeOf(name: string): string | null {
  if (!name.startsWith(`${TOP}/`) || name.includes('\\')) return null
  const place = name.slice(TOP.length + 1)
  return place === '' || path.posix.normalize(place) !== place || place.startsWith('..') ? null : place
}

async function unpackFile(file: string, bytes: Buffer, executable: boolean): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, bytes)
  if (executable) await chmod(file, 0o755)
}

function differences(
  files: readonly ProgramFile[],
  found: ReadonlyMap<string, ProgramFile>,
  buffered: ReadonlyMap<string, Buffer>,
): string[] {
  const listed = new Map(files.map((file) => [file.path, file]))
  const changed = files.flatMap((file) => {
    const there = found.get(file.path)
    if (there === undefined) return [`${file.path}: not in the archive`]
    const isSame = there.sha256 === file.sha256 && there.bytes === file.bytes && there.executable === file.executable
    return isSame ? [] : [`${file.path}: differs from the signed list`]
  })
  const additional = [...found.keys()].filter(
    (name) => !listed.has(name) && name !== SIGNED_LIST && name !== STATE_FILE,
  )
  const state =
    buffered.get(STATE_FILE)?.toString('utf8') === FIRST_STATE ? [] : [`${STATE_FILE}: not the state of a new lane`]
  return [...changed, ...additional.map((name) => `${name}: not in the signed list`), ...state]
}

function readStore(
  { store, mode, lanes }: PackageManifest,
  file: Buffer,
  trusted: Trusted,
): Pick<CheckedContents, 'profile' | 'wrong'> {
  const read = readBundle(file, trusted)
  if ('refusal' in read) return { profile: '', wrong: [`store/store.bundle: ${read.refusal}`] }
  const { manifest, files } = read.bundle
  const profile = Buffer.from(files.get(PROFILE_FILE) ?? []).toString('utf8')
  const isSame = manifest.store.id === store.id && manifest.mode === mode && manifest.lanes.join() === lanes.join()
  return { profile, wrong: isSame ? [] : ['store/store.bundle: belongs to another store than the package'] }
}
