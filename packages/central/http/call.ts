import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { nestsTooDeep } from '../../../contracts/core/json-depth.ts'
import type { Context } from '../context.ts'
import { type OutageAnswer, sendAnswer, applyBefore } from '../faults.ts'
import { NO_TOKEN_BODY, tokenOf } from '../identity/artifacts.ts'
import { type Answer, type Flaw, type Shape, drop, flawsOf, sendBytes, withoutEmpty } from './answer.ts'
import { type DeclaredAnswers, JSON_TYPE, PARTNER, header, headerFlaws } from './declare.ts'
import { fingerprintOf, repetitionKey } from './stored-answers.ts'

export interface Caller {
  readonly clientId: string
  readonly idempotencyKey: string | null
  /** Time of the call in epoch milliseconds, read once per call. */
  readonly now: number
  /**
   * Language from Accept-Language; default English. Assumption from the offer service (specification 1 §4): the
   * checkout specification shows no such header.
   */
  readonly language: 'en' | 'fr'
}

export interface Call<Input> {
  readonly path: string
  readonly summary: string
  readonly tag: string
  readonly input: z.ZodType<Input> & { shape: Shape }
  readonly example: object
  readonly answers: DeclaredAnswers
  /**
   * How a repeated request is recognized (specification 3 §4.1). `key-or-content`: by its idempotency key, or without a
   * key by identical content; `key`: by its key only (reads); `content`: by identical content only (calls that support
   * no key); `none`: never.
   */
  readonly repeats: 'key-or-content' | 'key' | 'content' | 'none'
  /** Whether a concurrent call for the same collector is an error (specification 3 §4.2 rule 5). */
  readonly exclusive: boolean
  readonly headers?: z.ZodObject
  readonly refuse: (flaws: readonly Flaw[], body: unknown) => Answer
  readonly busy?: (body: unknown) => Answer
  readonly outage: OutageAnswer
  /** Executes the call; must be synchronous. Runs in a transaction if a key identifies the repeats of the call. */
  readonly perform: (ctx: Context, input: Input, caller: Caller) => Answer
}

const IDEMPOTENCY_KEY = header(
  'one value of 1 to 255 printable characters is expected',
  (value) => /^[\x21-\x7e]{1,255}$/.test(value),
  'A retry under the same key gets the identical answer; a key that was used with another request is refused',
).optional()
const NO_HEADERS = z.object({})

const takesKey = ({ repeats }: Pick<Call<never>, 'repeats'>): boolean =>
  repeats === 'key' || repeats === 'key-or-content'

export function addCall<Input>(app: FastifyInstance, ctx: Context, call: Call<Input>): void {
  const { headers = NO_HEADERS } = call
  app.post(
    call.path,
    {
      schema: {
        summary: call.summary,
        tags: [call.tag],
        security: PARTNER,
        headers: takesKey(call) ? headers.extend({ 'Idempotency-Key': IDEMPOTENCY_KEY }) : headers,
        body: call.input.meta({ examples: [call.example] }),
        response: call.answers,
      },
    },
    (request, reply) => serveCall(ctx, call, request, reply),
  )
}

/**
 * Serves one request in the order: token, shape of the request, idempotency key, lock, effect, answer; applies faults
 * between the steps.
 */
async function serveCall<Input>(
  ctx: Context,
  call: Call<Input>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const body = parseBody(bytes)
  const processed = ctx.requests.receive(request.method, call.path, request.headers, bytes, body)
  const fault = ctx.faults.strike(call.path, collectorOf(body), ctx.clock.now())
  if (applyBefore(fault, reply, call.outage)) return

  const token = fault?.kind === 'no-token' ? undefined : tokenOf(request)
  if (token !== undefined && fault?.kind === 'expire-token') ctx.artifacts.revoke(token)
  const bearer = token === undefined ? undefined : ctx.artifacts.findToken(token)
  if (bearer?.kind !== 'partner') {
    void reply.code(401).header('www-authenticate', 'Bearer error="invalid_token"').send(NO_TOKEN_BODY)
    return
  }
  const checked = check(call, request.headers, body)
  if ('flaws' in checked) {
    const refusal = call.refuse(checked.flaws, body)
    return sendBytes(reply, refusal.status, bytesOf(refusal))
  }
  const fingerprint = fingerprintOf(call.path, bytes)
  const arrived: Arrived<Input> = {
    ...checked,
    language: /^fr\b/i.test(request.headers['accept-language'] ?? '') ? 'fr' : 'en',
    clientId: bearer.clientId,
    fingerprint,
    key: repetitionKey(call.repeats, checked.header, fingerprint),
    body,
  }
  const delayMs = fault?.kind === 'delay' ? fault.ms : 0
  const first = decide(ctx, call, arrived, delayMs, async (decision) => {
    if (decision.effect) processed()
    const received = await sendAnswer(fault, reply, decision.status, decision.bytes)
    if (!received && decision.cancel) {
      await ctx.commit(decision.cancel)
      request.log.warn({ path: call.path }, 'the answer could not be returned: the redemption was cancelled')
    }
    if (fault?.kind === 'cancel-after') drop(reply)
  })
  if (fault?.kind === 'duplicate') await Promise.all([first, decide(ctx, call, arrived, 0, async () => undefined)])
  else await first
}

interface Arrived<Input> {
  readonly input: Input
  readonly header: string | undefined
  readonly language: Caller['language']
  readonly clientId: string
  readonly fingerprint: string
  readonly key: string | undefined
  readonly body: unknown
}

interface Decision {
  readonly status: number
  readonly bytes: Buffer
  /** False if the call was refused before its operation ran. */
  readonly effect: boolean
  readonly cancel?: () => void
}

/**
 * Processes the valid requests under one key one after another, with one effect. `conclude` runs before the lock of the
 * key is released, so that a cancellation is complete before a retry runs.
 */
function decide<Input>(
  ctx: Context,
  call: Call<Input>,
  arrived: Arrived<Input>,
  delayMs: number,
  conclude: (decision: Decision) => Promise<void>,
): Promise<void> {
  const work = (): Promise<void> => decideSerially(ctx, call, arrived, delayMs, conclude)
  return arrived.key === undefined ? work() : ctx.mutex.run(`${arrived.clientId} ${arrived.key}`, work)
}

async function decideSerially<Input>(
  ctx: Context,
  call: Call<Input>,
  { clientId, header, language, body, input, fingerprint, key }: Arrived<Input>,
  delayMs: number,
  conclude: (decision: Decision) => Promise<void>,
): Promise<void> {
  const refused = (answer: Answer): Promise<void> =>
    conclude({ status: answer.status, bytes: bytesOf(answer), effect: false })
  const stored = key === undefined ? undefined : ctx.answers.find(clientId, key)
  if (stored && stored.fingerprint !== fingerprint)
    return await refused(
      call.refuse([{ path: 'Idempotency-Key', message: 'was used before with another request' }], body),
    )
  if (stored) return await conclude({ status: stored.status, bytes: stored.body, effect: true })
  const collector = call.exclusive ? collectorOf(body) : undefined
  if (collector !== undefined && call.busy) {
    if (ctx.busyCollectors.has(collector)) return await refused(call.busy(body))
    ctx.busyCollectors.add(collector)
  }
  let answer: Answer
  let out: Buffer
  try {
    if (delayMs > 0) await delay(delayMs)
    const caller: Caller = { clientId, idempotencyKey: header ?? null, now: ctx.clock.now(), language }
    ;[answer, out] =
      key === undefined
        ? inBytes(call.perform(ctx, input, caller))
        : await ctx.commit(() => {
            const done = inBytes(call.perform(ctx, input, caller))
            if (done[0].final)
              ctx.answers.save(clientId, key, { fingerprint, status: done[0].status, body: done[1] }, caller.now)
            return done
          })
  } finally {
    if (collector !== undefined) ctx.busyCollectors.delete(collector)
  }
  const { cancel } = answer
  await conclude({
    status: answer.status,
    bytes: out,
    effect: true,
    ...(cancel && key !== undefined
      ? {
          cancel: () => {
            cancel()
            ctx.answers.forget(clientId, key)
          },
        }
      : {}),
  })
}

function check<Input>(
  call: Call<Input>,
  headers: IncomingHttpHeaders,
  body: unknown,
): { input: Input; header: string | undefined } | { flaws: readonly Flaw[] } {
  if (!JSON_TYPE.safeParse(headers['content-type']).success)
    return { flaws: [{ path: 'Content-Type', message: 'application/json is required' }] }
  const [flaw] = headerFlaws(call.headers ?? NO_HEADERS, headers)
  // Header names are in lower case, as in specification 3 §4.5.
  if (flaw) return { flaws: [{ ...flaw, path: flaw.path.toLowerCase() }] }
  const key = IDEMPOTENCY_KEY.safeParse(takesKey(call) ? headers['idempotency-key'] : undefined)
  if (!key.success) return { flaws: flawsOf(key.error).map(({ message }) => ({ path: 'Idempotency-Key', message })) }
  if (body === undefined) return { flaws: [{ path: '', message: 'the body is not JSON' }] }
  const parsed = call.input.safeParse(body)
  return parsed.success ? { input: parsed.data, header: key.data } : { flaws: flawsOf(parsed.error) }
}

const bytesOf = (answer: Answer): Buffer => Buffer.from(JSON.stringify(withoutEmpty(answer.body) ?? {}))
const inBytes = (answer: Answer): [Answer, Buffer] => [answer, bytesOf(answer)]

function collectorOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('collectorNumber' in body)) return undefined
  return typeof body.collectorNumber === 'string' ? body.collectorNumber : undefined
}

/** Parses a request body as JSON. Returns undefined for invalid JSON and for JSON nested too deeply. */
export function parseBody(bytes: unknown): unknown {
  try {
    const json = Buffer.isBuffer(bytes) ? bytes.toString('utf8') : ''
    return nestsTooDeep(json) ? undefined : (JSON.parse(json) as unknown)
  } catch {
    return undefined
  }
}

/** Returns the URL at which the server listens, e.g. https://127.0.0.1:8443. Throws while it does not listen. */
export function addressOf(app: FastifyInstance): string {
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  const scheme = app.initialConfig.https === undefined ? 'http' : 'https'
  return `${scheme}://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
