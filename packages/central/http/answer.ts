import type { FastifyReply } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'
import type { z } from 'zod'

/** What a service answers to a call, before it is bytes. */
export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  /**
   * True: a retry under the same key hears these bytes again. False: nothing happened that could be doubled, a retry is
   * tried anew.
   */
  readonly final: boolean
  /**
   * Takes the effect back when the answer could not be returned (specification 3 §4.5 rule 6). Runs in a transaction.
   */
  readonly cancel?: () => void
}

/** One way in which a request breaks the specification: where, and what was expected. */
export interface Flaw {
  readonly path: string
  readonly message: string
}

export const flawsOf = (error: z.ZodError): Flaw[] =>
  error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))

/** Drops what is null, undefined or an empty list. */
export function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  ) as Present<Fields>
}

type MayBeMissing<Value> = null extends Value ? true : undefined extends Value ? true : false
/** What may be null or undefined may be missing. A list is taken to have something in it. */
export type Present<Fields> = {
  [Name in keyof Fields as MayBeMissing<Fields[Name]> extends true ? never : Name]: Fields[Name]
} & {
  [Name in keyof Fields as MayBeMissing<Fields[Name]> extends true ? Name : never]?: Exclude<
    Fields[Name],
    null | undefined
  >
}

/**
 * What a body says without its null and empty elements, at any depth (specifications 2 §1, 3 §1). Zero and false are
 * neither. Undefined when nothing is left.
 */
export function withoutEmpty(value: unknown): unknown {
  if (value === null || value === undefined || value === '') return undefined
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) {
    const kept = value.map(withoutEmpty).filter((element) => element !== undefined)
    return kept.length > 0 ? kept : undefined
  }
  const kept = Object.entries(value)
    .map(([name, part]) => [name, withoutEmpty(part)] as const)
    .filter(([, part]) => part !== undefined)
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}

/** Whether a caller is still there to hear an answer. */
export const isListening = (reply: FastifyReply): boolean => !reply.raw.destroyed && !reply.raw.socket?.destroyed

/** Resolves true when the last byte of the answer was handed to the network, false when the caller left before. */
export function delivered(reply: FastifyReply): Promise<boolean> {
  const { raw } = reply
  if (raw.writableFinished) return Promise.resolve(true)
  if (raw.destroyed || raw.closed) return Promise.resolve(false)
  return new Promise((resolve) => {
    raw.once('finish', () => resolve(true))
    raw.once('close', () => resolve(raw.writableFinished))
  })
}

/** Never answers: the connection stays open until the caller gives up. */
export function hang(reply: FastifyReply): void {
  reply.hijack()
}

/** Closes the connection without a byte. */
export function drop(reply: FastifyReply): void {
  reply.hijack()
  reply.raw.socket?.destroy()
}

/** Announces the whole answer and breaks off in the middle of it. */
export function breakOff(reply: FastifyReply, status: number, body: Buffer): void {
  reply.hijack()
  reply.raw.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length })
  reply.raw.write(body.subarray(0, Math.floor(body.length / 2)), () => {
    reply.raw.socket?.destroy()
  })
}

/** Writes the whole answer, `bytes` at a time with `ms` between. Resolves as `delivered` does. */
export async function drip(
  reply: FastifyReply,
  status: number,
  body: Buffer,
  bytes: number,
  ms: number,
): Promise<boolean> {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length })
  for (let at = 0; at < body.length; at += bytes) {
    if (!isListening(reply)) return false
    raw.write(body.subarray(at, at + bytes))
    if (at + bytes < body.length) await delay(ms)
  }
  raw.end()
  return delivered(reply)
}

export function sendBytes(reply: FastifyReply, status: number, body: Buffer): void {
  // A 204 has no body, and says no type of it.
  if (body.length === 0) void reply.code(status).send()
  else void reply.code(status).header('content-type', 'application/json').send(body)
}

/** The fields of a call, by name. */
export type Shape = Readonly<Record<string, z.ZodType>>

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))

/**
 * What a refusal echoes of a request that could be read but not accepted (specification 3 §2.3, §2.4): the call's own
 * fields, values of one piece as they came, lists and objects only where they have their shape.
 */
export function readableFields(body: unknown, shape: Shape): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {}
  const sent = body as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, field]) => {
      if (!Object.hasOwn(sent, name)) return []
      const value = sent[name]
      if (isScalar(value)) return [[name, value]]
      const parsed = field.safeParse(value)
      return parsed.success ? [[name, parsed.data]] : []
    }),
  )
}
