import { z } from 'zod'
import {
  LOG_FIELDS,
  type LogEntry,
  LogFacts,
  type LogField,
  type SupportFile,
} from '../../../contracts/operations/support.ts'
import { LOG_MESSAGES } from '../../../contracts/core/log-messages.ts'
import { LOG_LEVELS } from '../../../contracts/operations/support-values.ts'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { readFileSync, readdirSync } from 'node:fs'
import { homedir, hostname, userInfo } from 'node:os'
import type { Database } from '../../core/db/database.ts'

const MAX_ENTRIES = 400
const WARN = 40
const FRAME: ReadonlySet<string> = new Set(['level', 'time', 'msg'])

const Line = z.looseObject({ level: z.int(), time: z.iso.datetime(), msg: z.string().optional() })
type Line = z.infer<typeof Line>
const Thrown = z.looseObject({ type: z.unknown(), code: z.unknown() })

const MESSAGES = new Map<string, (typeof LOG_MESSAGES)[number]>(LOG_MESSAGES.map((message) => [message, message]))
/** Returns the message as the program's sources have it, never the text from the log. */
const messageOf = (text: string | undefined): LogEntry['message'] =>
  text === undefined ? null : (MESSAGES.get(text) ?? MESSAGES.get(text.replaceAll(/\d+/g, '#')) ?? null)

const LEVELS = new Map<number, LogEntry['level']>(
  Object.entries(LOG_LEVELS).map(([number, level]) => [Number(number), level]),
)

const isField = (name: string): name is LogField => Object.hasOwn(LOG_FIELDS, name)

const factOf = (name: LogField, value: unknown): unknown => LOG_FIELDS[name].safeParse(value).data

function factsOf(line: Line): { facts: LogFacts; dropped: number } {
  const facts: Record<string, unknown> = {}
  let dropped = 0
  const take = (name: string, value: unknown): void => {
    const fact = isField(name) ? factOf(name, value) : undefined
    if (fact === undefined) dropped += 1
    else facts[name] = fact
  }
  for (const [name, value] of Object.entries(line)) {
    if (FRAME.has(name)) continue
    const thrown = name === 'err' ? Thrown.safeParse(value).data : undefined
    if (!thrown) {
      take(name, value)
      continue
    }
    take('errorType', thrown.type)
    if (thrown.code !== undefined) take('errorCode', thrown.code)
    dropped += Object.keys(thrown).filter((part) => part !== 'type' && part !== 'code').length
  }
  return { facts: LogFacts.parse(facts), dropped }
}

type Counted = SupportFile['errors']['counts'][number]

/** Reads log lines, oldest first, and selects only declared fields. */
export function createLogReading() {
  const entries: LogEntry[] = []
  const counts = new Map<string, Counted>()
  const log = { lines: 0, unreadable: 0, unknownMessages: 0, droppedFields: 0 }
  let since: string | null = null

  function count(level: LogEntry['level'], message: LogEntry['message'], lastAt: string): void {
    const key = `${level} ${message}`
    counts.set(key, { level, message, count: (counts.get(key)?.count ?? 0) + 1, lastAt })
  }

  return {
    take(text: string): void {
      log.lines += 1
      const line = lineOf(text)
      const level = line && LEVELS.get(line.level)
      if (!line || level === undefined) {
        log.unreadable += 1
        return
      }
      const message = messageOf(line.msg)
      if (message === null) log.unknownMessages += 1
      const { facts, dropped } = factsOf(line)
      log.droppedFields += dropped
      const at = new Date(line.time).toISOString()
      since ??= at
      if (line.level >= WARN) count(level, message, at)
      // Below a warning, a line without a known message is only counted.
      if (message === null && line.level < WARN) return
      entries.push({ at, level, message, ...facts })
      if (entries.length > MAX_ENTRIES) entries.shift()
    },
    end: (): Pick<SupportFile, 'log' | 'errors'> => ({
      log: { ...log, entries },
      errors: { since, counts: [...counts.values()].toSorted((one, other) => other.count - one.count) },
    }),
  }
}

function lineOf(text: string): Line | undefined {
  try {
    return Line.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Names of the previous and the current log file: see `packages/supervisor/log-files.ts`. */
export const LOG_FILES = ['backend.log.1', 'backend.log']
const MAX_BYTES = 1_000_000
/** Number of lines after which the reader lets the lane's other work run. */
const LINES_AT_ONCE = 200

export async function readLog(folder: string): Promise<Pick<SupportFile, 'log' | 'errors'>> {
  const reading = createLogReading()
  for (const name of LOG_FILES) {
    const lines = await endOf(join(folder, name))
    for (const [index, line] of lines.entries()) {
      reading.take(line)
      if (index % LINES_AT_ONCE === 0) await setImmediate()
    }
  }
  return reading.end()
}

async function endOf(file: string): Promise<string[]> {
  const handle = await open(file).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  })
  if (handle === null) return []
  try {
    const { size } = await handle.stat()
    const from = Math.max(0, size - MAX_BYTES)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from)
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
    return lines.slice(from > 0 ? 1 : 0).filter((line) => line !== '')
  } finally {
    await handle.close()
  }
}

/** A value of the lane that must not be in a support file in any form. */
export interface HeldValue {
  readonly value: string
  /**
   * Kind `plain`: a person, a path, or a value of the environment. A number or an id may contain the same letters by
   * chance.
   */
  readonly kind: 'secret' | 'plain'
}

const SECRET_FILES = /^(seal|client)[.-](key|secret)|^(seal-key|client-secret|mail-password)\.sealed$/
/** Names of environment variables whose value counts as a secret from `SHORTEST_SECRET` characters on. */
const SECRET_NAME = /secret|token|key|pass|pin|cred|auth/i
/**
 * Minimum length of other environment values that are searched for: shorter ones are common texts (`en`, `1`, `xterm`).
 */
const SHORTEST_PLAIN = 8
const SHORTEST_SECRET = 4

export interface HeldBy {
  readonly dataFolder: string
  readonly environment: NodeJS.ProcessEnv
  readonly db: Database
  /**
   * Secrets in the memory of this process, perhaps in no file as plain text: the client secret, the sealing key, the
   * mail password.
   */
  readonly secrets: readonly (string | Uint8Array)[]
}

/**
 * Returns all values that a support file must not contain: secrets of the lane, values of the environment, names of the
 * staff, and names of the machine, its user and its folders.
 */
export function heldValues({ dataFolder, environment, db, secrets }: HeldBy): HeldValue[] {
  const people = db.prepare<[], { id: string; name: string }>('SELECT id, name FROM staff').all()
  const named = [...people.map(({ name }) => name), hostname(), ...ownName(), homedir(), dataFolder]
  return [
    ...[...secrets, ...filesIn(dataFolder)].flatMap(formsOf).map((value) => ({ kind: 'secret', value }) as const),
    ...Object.entries(environment).flatMap(([name, value]) => heldIn(name, value)),
    ...named.map((value) => ({ kind: 'plain', value }) as const),
  ].filter(({ value }) => value.length > 1)
}

/** Returns no name when the system does not know it, for example while its directory service is unavailable. */
function ownName(): string[] {
  try {
    return [userInfo().username]
  } catch {
    return []
  }
}

function heldIn(name: string, value: string | undefined): HeldValue[] {
  if (value === undefined) return []
  if (SECRET_NAME.test(name) && value.length >= SHORTEST_SECRET)
    return formsOf(value).map((form) => ({ kind: 'secret', value: form }))
  return value.length >= SHORTEST_PLAIN ? [{ kind: 'plain', value }] : []
}

const filesIn = (folder: string): (string | Uint8Array)[] =>
  readdirSync(folder)
    .filter((name) => SECRET_FILES.test(name))
    .map((name) => {
      const bytes = readFileSync(join(folder, name))
      return name.endsWith('.sealed') ? bytes : bytes.toString('utf8').trim()
    })

/** Returns the forms in which a secret could appear: text, base64 and hex, and what a base64 text decodes to. */
function formsOf(secret: string | Uint8Array): string[] {
  const bytes = Buffer.from(secret)
  const written = [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url'), bytes.toString('hex')]
  if (typeof secret !== 'string') return written
  const meant = /^[A-Za-z0-9+/]{40,}={0,2}$/.test(secret) ? [Buffer.from(secret, 'base64').toString('hex')] : []
  return [secret, ...written, ...meant]
}
