import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, readFileSync, rmSync } from 'node:fs'
import { type Readable, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { type Source, ask } from './ask.ts'
import type { ProgramFile } from './formats.ts'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { writeWhole } from '../whole-file.ts'

/** Nothing comes for so long: the fetch is given up, and goes on at the next look. */
const SILENT_MS = 30_000
/** So long may a small file take however little comes at a time: meanwhile nothing else is looked for. */
const SMALL_FILE_MS = 180_000
/** And one of a program beyond that: slower lines than this one have none. */
const SLOWEST_BYTES_PER_MS = 4
/** Said by a server of waves that holds its channel back, and by any that has too much to do. */
const LATER = 503
const MOST_WORDS_BYTES = 1_000

/** The place answered nothing that could be used: not there, gone silent, or an error of its own. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}
/** The place is there, and gives nothing out for now: it says so. */
export class HeldBack extends Unreachable {
  override name = 'HeldBack'
}
/** More came than may be. */
export class TooLarge extends Error {
  override name = 'TooLarge'
}

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
  source: Source,
  place: string,
  longestMs: number,
  read: (body: Readable, isUnpacked: boolean) => Promise<T>,
): Promise<T> {
  const { signal } = source
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(new Error('nothing came any more')), SILENT_MS)
  const slow = setTimeout(() => silence.abort(new Error('it came too slowly')), longestMs)
  try {
    const { status, isUnpacked, body } = await ask(source, place, {
      signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
    })
    if (status === LATER && (await saysHeldBack(body))) throw new HeldBack(`${place}: held back`)
    if (status < 200 || status > 299) throw new Error(`status ${status}`)
    const heard = transform((part, done) => {
      timer.refresh()
      done(null, part)
    })
    body.on('error', (error) => heard.destroy(error))
    return await read(body.pipe(heard), isUnpacked)
  } catch (error) {
    if (error instanceof TooLarge || error instanceof HeldBack || isOfDisk(error)) throw error
    throw new Unreachable(`${place}: ${wordsOf(error)}`, { cause: error })
  } finally {
    clearTimeout(timer)
    clearTimeout(slow)
    // What is left of an answer that was not wanted is not waited for.
    silence.abort()
  }
}

/** As the store server says it; of another, nobody knows what its trouble is. */
async function saysHeldBack(body: AsyncIterable<Buffer>): Promise<boolean> {
  let said = ''
  for await (const part of body) {
    said += part.toString('latin1', 0, MOST_WORDS_BYTES)
    if (said.length >= MOST_WORDS_BYTES) break
  }
  return said.includes('"held-back"')
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

const Time = z.iso.datetime()

/**
 * What somebody wants of the lane’s updates, in `slots/order.json`, while a terminal may be running: the last word
 * counts. `now`: at the next start, or as soon as nobody is served; `tonight`: as soon as the lane is closed;
 * `hold`: not before `until`; `back`: as `now`, to the version before; `check`: look for a new one at once. That one
 * takes no other word back, so it has a file of its own, `slots/check.json`.
 */
export const UpdateOrder = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['now', 'back', 'check']), at: Time }),
  z.strictObject({ kind: z.literal('tonight'), at: Time, by: z.string().max(100) }),
  z.strictObject({ kind: z.literal('hold'), at: Time, by: z.string().max(100), until: Time }),
])
export type UpdateOrder = z.infer<typeof UpdateOrder>

const fileOf = (slotsFolder: string, kind: UpdateOrder['kind'] | null): string =>
  path.join(slotsFolder, kind === 'check' ? 'check.json' : 'order.json')

/** Null where there is none, or the file is none. */
export const readOrder = (slotsFolder: string): UpdateOrder | null => orderIn(fileOf(slotsFolder, null))
/** The order to look for a new version. */
export const readCheck = (slotsFolder: string): UpdateOrder | null => orderIn(fileOf(slotsFolder, 'check'))

function orderIn(file: string): UpdateOrder | null {
  if (!existsSync(file)) return null
  try {
    return UpdateOrder.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/** Readable for all: root may give it, and the terminal of a user take it. */
export function giveOrder(slotsFolder: string, order: UpdateOrder): void {
  writeWhole(fileOf(slotsFolder, order.kind), `${JSON.stringify(UpdateOrder.parse(order))}\n`, 0o644)
}

/** This order alone: a command that gave another one meanwhile had the last word. */
export function dropOrder(slotsFolder: string, order: UpdateOrder | null): void {
  const file = fileOf(slotsFolder, order?.kind ?? null)
  if (isDeepStrictEqual(orderIn(file), order)) rmSync(file, { force: true })
}

const DAY_MS = 86_400_000

/** One that was given at a time to come was given by a wrong clock: it would hold for years. */
export const isHeldAt = (order: UpdateOrder | null, now: Date): boolean =>
  order?.kind === 'hold' && new Date(order.until) > now && Date.parse(order.at) < now.getTime() + DAY_MS
