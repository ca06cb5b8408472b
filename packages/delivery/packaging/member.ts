import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream, readFileSync, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGzip, gzipSync } from 'node:zlib'
import { pack, type Pack } from 'tar-stream'
import type { ProgramFile } from './program-files.ts'

/*
 * A package is one .tar.gz of two gzip members (RFC 1952 §2.2): the program, compressed once for all stores, whose tar
 * has no end; and the store's files, whose tar has one. Readers treat both as one archive.
 */

export const TOP = 'milepost'
/** Time of every file, fixed so that archives are reproducible; the earliest time of ZIP. */
const MTIME = new Date(Date.UTC(1980, 0, 1))
/** Length of the end of a tar archive: two blocks of zeros (POSIX, ustar). */
const END_OF_TAR_BYTES = 1024

export interface MemberFile {
  readonly path: string
  readonly bytes: Buffer
  readonly executable: boolean
}

const byPath = (one: { readonly path: string }, other: { readonly path: string }): number =>
  one.path < other.path ? -1 : 1

/** Writes the first gzip member: the files with the prefix, sorted by path, without the end of the tar archive. */
export async function writeFirstMember(out: string, prefix: string, files: readonly ProgramFile[]): Promise<void> {
  const tar = pack()
  const written = pipeline(Readable.from(withoutEnd(tar)), createGzip(), createWriteStream(out))
  for (const file of files.toSorted(byPath))
    await add(tar, { path: prefix + file.path, bytes: bytesOf(file), executable: file.executable })
  tar.finalize()
  await written
}

export async function secondMember(files: readonly MemberFile[]): Promise<Buffer> {
  const tar = pack()
  const whole = buffer(tar)
  for (const file of files.toSorted(byPath)) await add(tar, file)
  tar.finalize()
  return gzipSync(await whole)
}

const add = (tar: Pack, { path: name, bytes, executable }: MemberFile): Promise<void> =>
  new Promise((resolve, reject) => {
    const mode = executable ? 0o755 : 0o644
    const header = { name: `${TOP}/${name}`, size: bytes.byteLength, mode, mtime: MTIME, uid: 0, gid: 0 }
    tar.entry(header, bytes, (error) => (error ? reject(error) : resolve()))
  })

/** Removes the end of the tar archive, at which readers would stop. */
async function* withoutEnd(tar: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0)
  for await (const chunk of tar) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('a tar is bytes')
    const all = Buffer.concat([held, chunk])
    if (all.byteLength > END_OF_TAR_BYTES) yield all.subarray(0, -END_OF_TAR_BYTES)
    held = all.subarray(-END_OF_TAR_BYTES)
  }
}

export interface First {
  readonly file: string
  readonly bytes: number
  /** SHA-256 state after the bytes of the first member; use `copy()` for each archive. */
  readonly hash: Hash
}

export async function readFirst(file: string): Promise<First> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash, { end: false })
  return { file, bytes: statSync(file).size, hash }
}

export async function hashOfFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

export const bytesOf = ({ from }: Pick<ProgramFile, 'from'>): Buffer =>
  'bytes' in from ? from.bytes : readFileSync(from.file)
