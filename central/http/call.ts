import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { z } from 'zod'
import type { MovableClock } from '../clock.ts'
import type { Commit } from '../db/commit.ts'
import type { createFaults, FaultAction } from '../faults/rules.ts'
import { spoil } from '../faults/spoil.ts'
import { fingerprintOf, repetitionKey, type StoredAnswers } from '../idempotency/stored-answers.ts'
import type { Turns } from '../idempotency/turns.ts'
import type { Artifacts } from '../identity/artifacts.ts'
import { bearerOf, NO_TOKEN_BODY } from '../identity/bearer.ts'
import type { RequestJournal } from '../requests/journal.ts'
import type { Answer, Flaw } from './answer.ts'
import { breakOff, delivered, drop, hang, isListening, sendBytes } from './delivery.ts'

/** What every call of the checkout services goes through, whichever service it is for. */
export interface CallDesk {
  readonly clock: MovableClock
  readonly commit: Commit
  readonly artifacts: Artifacts
  readonly answers: StoredAnswers
  readonly turns: Turns
  readonly busyCollectors: Set<string>
  readonly faults: ReturnType<typeof createFaults>
  readonly requests: RequestJournal
}

export interface CallContext {
  readonly clientId: string
  /** The Idempotency-Key header as it came; null without one. */
  readonly idempotencyKey: string | null
  /** Epoch milliseconds; one reading per call. */
  readonly now: number
}

/** One operation of a service, as the desk needs to know it. */
export interface Call<Input> {
  readonly path: string
  readonly input: z.ZodType<Input>
  /**
   * How a repetition is known (specification 3 §4.1): by its key, or by identical content when it has none; by a key alone
   * where nothing changes; by content alone where no key is supported; not at all.
   */
  readonly repeats: 'key-or-content' | 'key' | 'content' | 'none'
  /** Whether a parallel call for the same collector is an error (specification 3 §4.2 rule 5). */
  readonly exclusive: boolean
  /** Header rules beyond the common ones. */
  readonly checkHeaders?: (headers: IncomingHttpHeaders) => Flaw | undefined
  /** The answer to a request that breaks the specification. `body` is what could be read of it. */
  readonly refuse: (flaws: readonly Flaw[], body: unknown) => Answer
  /** The answer when the collector is busy with another transaction. */
  readonly busy?: (body: unknown) => Answer
  /** Carries it out. Runs in a transaction; must not wait. */
  readonly perform: (input: Input, context: CallContext) => Answer
}

const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/

/** Serves one request: token, shape, key, turn, effect, answer, in this order, with the faults that strike it. */
export async function serveCall<Input>(desk: CallDesk, call: Call<Input>, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const body = parseJson(bytes)
  const processed = desk.requests.receive(request.method, call.path, request.headers, bytes, body)
  const fault = desk.faults.strike(call.path, collectorOf(body))
  if (strikeBefore(fault, reply)) return

  const bearer = fault?.kind === 'no-token' ? undefined : bearerOf(request, desk.artifacts)
  if (!bearer) {
    void reply.code(401).header('www-authenticate', 'Bearer error="invalid_token"').send(NO_TOKEN_BODY)
    return
  }
  const answerNow = (answer: Answer): void => sendBytes(reply, answer.status, bytesOf(answer))
  const checked = check(call, request.headers, body)
  if ('flaws' in checked) return answerNow(call.refuse(checked.flaws, body))

  const { input, header } = checked
  const fingerprint = fingerprintOf(call.path, bytes)
  const key = repetitionKey(call.repeats, header, fingerprint)
  const endTurn = key === undefined ? () => undefined : await desk.turns.take(`${bearer.clientId} ${key}`)
  try {
    const stored = key === undefined ? undefined : desk.answers.find(bearer.clientId, key)
    if (stored && stored.fingerprint !== fingerprint) {
      return answerNow(call.refuse([{ path: 'Idempotency-Key', message: 'was used before with another request' }], body))
    }
    if (stored) {
      processed()
      await leave(fault, reply, stored.status, stored.body)
      return
    }
    const collector = call.exclusive ? collectorOf(body) : undefined
    if (collector !== undefined && call.busy) {
      if (desk.busyCollectors.has(collector)) return answerNow(call.busy(body))
      desk.busyCollectors.add(collector)
    }
    let answer: Answer
    let out: Buffer
    try {
      if (fault?.kind === 'delay') await delay(fault.ms)
      const context: CallContext = { clientId: bearer.clientId, idempotencyKey: header ?? null, now: desk.clock.now() };
      [answer, out] = key === undefined ? inBytes(call.perform(input, context)) : await desk.commit(() => {
        const done = inBytes(call.perform(input, context))
        if (done[0].final) desk.answers.save(context.clientId, key, { fingerprint, status: done[0].status, body: done[1] }, context.now)
        return done
      })
    } finally {
      if (collector !== undefined) desk.busyCollectors.delete(collector)
    }
    processed()
    const arrived = await leave(fault, reply, answer.status, out)
    const { cancel } = answer
    if (!arrived && cancel && key !== undefined) {
      await desk.commit(() => {
        cancel()
        desk.answers.forget(bearer.clientId, key)
      })
      request.log.warn({ path: call.path }, 'the answer could not be returned: the redemption was cancelled')
    }
    if (fault?.kind === 'cancel-after') drop(reply)
  } finally {
    endTurn()
  }
}

/** Faults that strike before the effect. Returns true when the request ends here. */
function strikeBefore(fault: FaultAction | undefined, reply: FastifyReply): boolean {
  switch (fault?.kind) {
    case 'hang-before': hang(reply); return true
    case 'drop-before': drop(reply); return true
    case 'answer': sendBytes(reply, fault.status, typeof fault.body === 'string' ? Buffer.from(fault.body) : Buffer.from(JSON.stringify(fault.body ?? {}))); return true
    default: return false
  }
}

/** Lets the answer leave, or be lost as the fault says. Resolves false when the services know that it did not arrive. */
async function leave(fault: FaultAction | undefined, reply: FastifyReply, status: number, body: Buffer): Promise<boolean> {
  switch (fault?.kind) {
    case 'hang-after': hang(reply); return true
    case 'drop-after': drop(reply); return true
    case 'truncate': breakOff(reply, status, body); return true
    case 'cancel-after': return false
    default:
      if (!isListening(reply)) {
        reply.hijack()
        return false
      }
      sendBytes(reply, status, spoil(fault, body))
      return delivered(reply)
  }
}

function check<Input>(call: Call<Input>, headers: IncomingHttpHeaders, body: unknown): { input: Input, header: string | undefined } | { flaws: readonly Flaw[] } {
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) return { flaws: [{ path: 'Content-Type', message: 'application/json is required' }] }
  const headerFlaw = call.checkHeaders?.(headers)
  if (headerFlaw) return { flaws: [headerFlaw] }
  const takesKey = call.repeats === 'key' || call.repeats === 'key-or-content'
  const header = takesKey ? headers['idempotency-key'] : undefined
  if (header !== undefined && (typeof header !== 'string' || !KEY_PATTERN.test(header))) {
    return { flaws: [{ path: 'Idempotency-Key', message: 'one value of 1 to 255 printable characters is expected' }] }
  }
  if (body === undefined) return { flaws: [{ path: '', message: 'the body is not JSON' }] }
  const parsed = call.input.safeParse(body)
  if (!parsed.success) return { flaws: parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })) }
  return { input: parsed.data, header: typeof header === 'string' ? header : undefined }
}

const bytesOf = (answer: Answer): Buffer => Buffer.from(JSON.stringify(answer.body))
const inBytes = (answer: Answer): [Answer, Buffer] => [answer, bytesOf(answer)]

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

function collectorOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('collectorNumber' in body)) return undefined
  return typeof body.collectorNumber === 'string' ? body.collectorNumber : undefined
}
