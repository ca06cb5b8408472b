import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, readFileSync, rmSync } from 'node:fs'
import { type Readable, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { type Source, ask } from './request.ts'
import type { ProgramFile } from './formats.ts'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { writeWhole } from '../whole-file.ts'

/** A download that receives no byte for this long is cancelled; the next check resumes it. */
const SILENT_MS = 30_000
/** Timeout of a small file, regardless of its transfer rate, because other checks wait for its download. */
const SMALL_FILE_MS = 180_000
/**
 * Slowest supported transfer rate: the timeout of a program's file is that of a small file and the time for its bytes
 * at this rate.
 */
const SLOWEST_BYTES_PER_MS = 4
/** HTTP status of a server that withholds its channel during a wave, or that is overloaded. */
const LATER = 503
const MAX_MESSAGE_BYTES = 1_000

/** Error: the server gave no usable response (not found, timeout, or an error). */
export class Unreachable extends Error {
  override name = 'Unreachable'
}
export class ReleaseWithheld extends Unreachable {
  override name = 'ReleaseWithheld'
}
export class TooLarge extends Error {
  override name = 'TooLarge'
}

export function getBytes(source: Source, place: string, most: number): Promise<Buffer> {
  return answered(source, place, SMALL_FILE_MS, async (body) => {
    const chunks: Buffer[] = []
    await pipeline(body, atMost(most), async (bytes: AsyncIterable<Buffer>) => {
      for await (const chunk of bytes) chunks.push(chunk)
    })
    return Buffer.concat(chunks)
  })
}

/**
 * Downloads one file of a program, decompresses it into `into` and syncs it to disk. Resolves with false if the content
 * differs from the signed one. Never writes more bytes than signed. Rejects with Unreachable, TooLarge or a disk error.
 */
export function getFile(source: Source, place: string, file: ProgramFile, into: string): Promise<boolean> {
  const hash = createHash('sha256')
  let length = 0
  const longestMs = SMALL_FILE_MS + file.bytes / SLOWEST_BYTES_PER_MS
  return answered(source, place, longestMs, async (body, isUnpacked) => {
    const counted = transform((chunk, done) => {
      hash.update(chunk)
      length += chunk.byteLength
      done(null, chunk)
    })
    // Maximum compressed size of a file: incompressible data grows by less than this.
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
  const timer = setTimeout(() => silence.abort(new Error('the download stopped')), SILENT_MS)
  const slow = setTimeout(() => silence.abort(new Error('the download was too slow')), longestMs)
  try {
    const { status, isUnpacked, body } = await ask(source, place, {
      signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
    })
    if (status === LATER && (await isHeldBack(body))) throw new ReleaseWithheld(`${place}: held back`)
    if (status < 200 || status > 299) throw new Error(`status ${status}`)
    const resetIdleTimer = transform((chunk, done) => {
      timer.refresh()
      done(null, chunk)
    })
    body.on('error', (error) => resetIdleTimer.destroy(error))
    return await read(body.pipe(resetIdleTimer), isUnpacked)
  } catch (error) {
    if (error instanceof TooLarge || error instanceof ReleaseWithheld || isOfDisk(error)) throw error
    throw new Unreachable(`${place}: ${reasonOf(error)}`, { cause: error })
  } finally {
    clearTimeout(timer)
    clearTimeout(slow)
    silence.abort()
  }
}

/**
 * Returns whether the store server itself withholds its channel; other servers may send the same status for any reason.
 */
async function isHeldBack(body: AsyncIterable<Buffer>): Promise<boolean> {
  let text = ''
  for await (const chunk of body) {
    text += chunk.toString('latin1', 0, MAX_MESSAGE_BYTES)
    if (text.length >= MAX_MESSAGE_BYTES) break
  }
  return text.includes('"held-back"')
}

const transform = (work: (chunk: Buffer, done: TransformCallback) => void): Transform =>
  new Transform({
    transform(chunk: Buffer, _, done) {
      work(chunk, done)
    },
  })

function atMost(most: number): Transform {
  let length = 0
  return transform((chunk, done) => {
    length += chunk.byteLength
    done(length > most ? new TooLarge(`more than ${most} bytes`) : null, chunk)
  })
}

/** Returns whether an error is of the file system, which a retry does not fix. */
const isOfDisk = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && ['open', 'write', 'fsync', 'close'].includes(String(error.syscall))

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? `${error.message} (${cause.message})` : error.message
}

const Time = z.iso.datetime()

/**
 * An instruction for the lane's updates in `slots/order.json`, while a terminal may be running; the last instruction
 * wins. `now`: try the waiting version at the next start, or as soon as the lane is idle; `tonight`: try it after
 * closing; `hold`: no update before `until`; `back`: as `now`, but to the previous version; `check`: check for a new
 * version immediately. `check` does not replace other instructions, so it has its own file, `slots/check.json`.
 */
export const UpdateInstruction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['now', 'back', 'check']), at: Time }),
  z.strictObject({ kind: z.literal('tonight'), at: Time, by: z.string().max(100) }),
  z.strictObject({ kind: z.literal('hold'), at: Time, by: z.string().max(100), until: Time }),
])
export type UpdateInstruction = z.infer<typeof UpdateInstruction>

const fileOf = (slotsFolder: string, kind: UpdateInstruction['kind'] | null): string =>
  path.join(slotsFolder, kind === 'check' ? 'check.json' : 'order.json')

export const readUpdateInstruction = (slotsFolder: string): UpdateInstruction | null =>
  instructionIn(fileOf(slotsFolder, null))
export const readCheck = (slotsFolder: string): UpdateInstruction | null => instructionIn(fileOf(slotsFolder, 'check'))

function instructionIn(file: string): UpdateInstruction | null {
  if (!existsSync(file)) return null
  try {
    return UpdateInstruction.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/** Writes an instruction that every user can read: root may write it, and the user of the terminal must read it. */
export function writeUpdateInstruction(slotsFolder: string, instruction: UpdateInstruction): void {
  writeWhole(fileOf(slotsFolder, instruction.kind), `${JSON.stringify(UpdateInstruction.parse(instruction))}\n`, 0o644)
}

/** Removes only this instruction: another instruction may have replaced it in the meantime. */
export function dropUpdateInstruction(slotsFolder: string, instruction: UpdateInstruction | null): void {
  const file = fileOf(slotsFolder, instruction?.kind ?? null)
  if (isDeepStrictEqual(instructionIn(file), instruction)) rmSync(file, { force: true })
}

const DAY_MS = 86_400_000

/**
 * Returns whether updates are on hold. Ignores an instruction whose time is more than a day in the future, which was
 * written with a wrong clock: it could hold for years.
 */
export const isHeldAt = (instruction: UpdateInstruction | null, now: Date): boolean =>
  instruction?.kind === 'hold' &&
  new Date(instruction.until) > now &&
  Date.parse(instruction.at) < now.getTime() + DAY_MS
