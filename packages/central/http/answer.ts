import type { FastifyReply } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'
import type { z } from 'zod'

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  /**
   * True if a retry under the same key gets the same bytes. False if the request had no effect, so that a retry is
   * processed again.
   */
  readonly final: boolean
  /**
   * Reverts the effect of a call whose answer could not be returned (specification 3 §4.5 rule 6). Runs in a
   * transaction.
   */
  readonly cancel?: () => void
}

export interface Flaw {
  readonly path: string
  readonly message: string
}

export const flawsOf = (error: z.ZodError): Flaw[] =>
  error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))

/** Returns the fields of an answer, without null, undefined and empty lists. */
export function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  ) as Present<Fields>
}

type MayBeMissing<Value> = null extends Value ? true : undefined extends Value ? true : false
export type Present<Fields> = {
  [Name in keyof Fields as MayBeMissing<Fields[Name]> extends true ? never : Name]: Fields[Name]
} & {
  [Name in keyof Fields as MayBeMissing<Fields[Name]> extends true ? Name : never]?: Exclude<
    Fields[Name],
    null | undefined
  >
}

/**
 * Removes null and empty elements at any depth, but not zero and false (specification 2 §1, specification 3 §1).
 * Returns undefined when nothing is left.
 */
export function withoutEmpty(value: unknown): unknown {
  if (value === null || value === undefined || value === '') return undefined
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) {
    const rest = value.map(withoutEmpty).filter((element) => element !== undefined)
    return rest.length > 0 ? rest : undefined
  }
  const rest = Object.entries(value)
    .map(([name, part]) => [name, withoutEmpty(part)] as const)
    .filter(([, part]) => part !== undefined)
  return rest.length > 0 ? Object.fromEntries(rest) : undefined
}

export const isListening = (reply: FastifyReply): boolean => !reply.raw.destroyed && !reply.raw.socket?.destroyed

/**
 * Resolves with true when the last byte of the answer was passed to the network, with false when the caller
 * disconnected first.
 */
export function delivered(reply: FastifyReply): Promise<boolean> {
  const { raw } = reply
  if (raw.writableFinished) return Promise.resolve(true)
  if (raw.destroyed || raw.closed) return Promise.resolve(false)
  return new Promise((resolve) => {
    raw.once('finish', () => resolve(true))
    raw.once('close', () => resolve(raw.writableFinished))
  })
}

export function leaveUnanswered(reply: FastifyReply): void {
  reply.hijack()
}

export function drop(reply: FastifyReply): void {
  reply.hijack()
  reply.raw.socket?.destroy()
}

export function truncate(reply: FastifyReply, status: number, body: Buffer): void {
  reply.hijack()
  reply.raw.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length })
  reply.raw.write(body.subarray(0, Math.floor(body.length / 2)), () => {
    reply.raw.socket?.destroy()
  })
}

export async function sendSlowly(
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
  if (body.length === 0) void reply.code(status).send()
  else void reply.code(status).header('content-type', 'application/json').send(body)
}

export type Shape = Readonly<Record<string, z.ZodType>>

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))

/**
 * Returns the fields that a refusal echoes (specification 3 §2.3, §2.4): known fields only, scalars unchanged, lists
 * and objects only when valid.
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
