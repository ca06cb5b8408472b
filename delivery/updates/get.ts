import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { ProgramFile } from './formats.ts'

/** Nothing comes for so long: the fetch is given up, and goes on at the next look. */
const SILENT_MS = 30_000
/** So long may a small file take however little comes at a time: meanwhile nothing else is looked for. */
const SMALL_FILE_MS = 180_000
/** And one of a program beyond that: slower lines than this one have none. */
const SLOWEST_BYTES_PER_MS = 4

/** Where releases are published: an address that ends with a slash, or is read as if it did. */
export interface Source {
  readonly base: string
  /** Sent along, such as the token of an enrolled lane. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
}

/** The place answered nothing that could be used: not there, gone silent, or an error of its own. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}
/** More came than may be. */
export class TooLarge extends Error {
  override name = 'TooLarge'
}

export const addressOf = (base: string, place: string): string =>
  new URL(place, base.endsWith('/') ? base : `${base}/`).href

/** A small file, whole. Rejects with Unreachable or TooLarge. */
export function getBytes(source: Source, place: string, most: number): Promise<Buffer> {
  return answered(source, place, SMALL_FILE_MS, async (body) => {
    const parts: Buffer[] = []
    await pipeline(body, atMost(most), async (bytes: AsyncIterable<Buffer>) => {
      for await (const part of bytes) parts.push(part)
    })
    return Buffer.concat(parts)
  })
}

/**
 * One file of a program, unpacked into `into` and on the disk when this resolves: false where it was another than was
 * signed. Never more than its length is written. Rejects with Unreachable or TooLarge.
 */
export function getFile(source: Source, place: string, file: ProgramFile, into: string): Promise<boolean> {
  const hash = createHash('sha256')
  let length = 0
  const longestMs = SMALL_FILE_MS + file.bytes / SLOWEST_BYTES_PER_MS
  return answered(source, place, longestMs, async (body, isUnpacked) => {
    const counted = transform((part, done) => {
      hash.update(part)
      length += part.byteLength
      done(null, part)
    })
    // What deflate cannot make smaller grows by less than that.
    const packed = atMost(Math.ceil(file.bytes * 1.01) + 4_096)
    const disk = createWriteStream(into, { flush: true, mode: 0o644 })
    if (isUnpacked) await pipeline(body, atMost(file.bytes), counted, disk)
    else await pipeline(body, packed, createGunzip(), atMost(file.bytes), counted, disk)
    return length === file.bytes && hash.digest('hex') === file.sha256
  })
}

async function answered<T>(
  { base, headers, signal }: Source,
  place: string,
  longestMs: number,
  read: (body: Readable, isUnpacked: boolean) => Promise<T>,
): Promise<T> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(new Error('nothing came any more')), SILENT_MS)
  const slow = setTimeout(() => silence.abort(new Error('it came too slowly')), longestMs)
  try {
    const response = await fetch(addressOf(base, place), {
      // Packed files are unpacked here, and counted before.
      headers: { ...headers, 'accept-encoding': 'identity' },
      signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
    })
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`)
    const heard = transform((part, done) => {
      timer.refresh()
      done(null, part)
    })
    const body = Readable.fromWeb(response.body).on('error', (error) => heard.destroy(error))
    return await read(body.pipe(heard), response.headers.get('content-encoding') === 'gzip')
  } catch (error) {
    if (error instanceof TooLarge || isOfDisk(error)) throw error
    throw new Unreachable(`${place}: ${wordsOf(error)}`, { cause: error })
  } finally {
    clearTimeout(timer)
    clearTimeout(slow)
    // What is left of an answer that was not wanted is not waited for.
    silence.abort()
  }
}

const transform = (work: (part: Buffer, done: TransformCallback) => void): Transform =>
  new Transform({
    transform(part: Buffer, _, done) {
      work(part, done)
    },
  })

function atMost(most: number): Transform {
  let length = 0
  return transform((part, done) => {
    length += part.byteLength
    done(length > most ? new TooLarge(`more than ${most} bytes`) : null, part)
  })
}

/** Of this machine's files: no other try of the fetch helps. */
const isOfDisk = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && ['open', 'write', 'fsync', 'close'].includes(String(error.syscall))

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? `${error.message} (${cause.message})` : error.message
}
