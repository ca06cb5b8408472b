import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  ConfirmRequest,
  ENROLMENT_PATHS,
  type ExchangeRefusal,
  ExchangeRequest,
  confirmation,
} from '../../../contracts/operations/enrolment.ts'
import { isSignedByLane, publicKeyOf, sealTo } from '../../delivery/enrolment/sealing.ts'
import { refusal } from '../server.ts'
import type { StoreContext } from '../context.ts'
import type { Querying } from '../db/postgres.ts'
import {
  type CodeChange,
  type Device,
  type StoredCode,
  type Tries,
  decideCode,
  findDevice,
  sweepCodes,
} from './enrolment.sql.ts'
import { createHash, timingSafeEqual } from 'node:crypto'
import { aboutAnswer } from '../../delivery/enrolment/proof.ts'
import { isIPv6 } from 'node:net'

const SWEEP_MS = 60_000
/** How long wrong attempts on unknown enrolment codes are stored. */
const TRIES_MS = 30 * 24 * 3_600_000

export async function enrolmentRoutes(app: FastifyInstance, { db, now, settings }: StoreContext): Promise<void> {
  const expiredBefore = createPayloadExpiry()
  const sweep = (): Promise<void> =>
    sweepCodes(db, expiredBefore(now(), performance.now()), now() - REPEAT_MS, now() - TRIES_MS)
  const throttle = createThrottle()
  await sweep()
  const sweeper = setInterval(() => {
    sweep().catch((error: unknown) => app.log.error({ err: error }, 'expired enrolment data could not be deleted'))
  }, SWEEP_MS).unref()
  app.addHook('onClose', async () => clearInterval(sweeper))
  await app.register(rateLimit, { max: settings.enrolmentCallsPerMinute, timeWindow: '1 minute' })
  const misses = app.createRateLimit({ max: settings.missesPerTenMinutes, timeWindow: '10 minutes' })

  app.post(ENROLMENT_PATHS.exchange, async (request, reply) => {
    const asked = ExchangeRequest.safeParse(request.body)
    if (!asked.success || publicKeyOf(asked.data.key) === null) return reply.code(400).send(refusal('unreadable'))
    const { code: id, proof, ...rest } = asked.data
    const before = await misses(request, { increment: false })
    if (!before.isAllowed && before.remaining === 0) return busy(reply, before.ttlInSeconds)
    const waitMs = throttle.begin(request.ip, id, now())
    if (waitMs > 0) return busy(reply, Math.ceil(waitMs / 1_000))
    const ask = { ...rest, id, proof: Buffer.from(proof, 'base64') }
    const outcome = await decideCode(db, id, now(), (code, tries) => decideExchange(code, tries, ask, now()))
    if (outcome.kind === 'refused' && outcome.why === 'wrong') await misses(request)
    else throttle.clearAttempts(request.ip, id)
    request.log.info({ code: id, outcome: outcome.kind === 'given' ? 'given' : outcome.why }, 'exchange')
    return answer(reply, outcome)
  })

  app.post(ENROLMENT_PATHS.confirm, async (request, reply) => {
    const asked = ConfirmRequest.safeParse(request.body)
    if (!asked.success) return reply.code(400).send(refusal('unreadable'))
    const { code: id, signature } = asked.data
    const device = await deviceOf(db, request)
    if (device?.codeId !== id || !isSignedByLane(device.laneKey, confirmation(id), signature))
      return reply.code(401).send(refusal('unknown-device'))
    await decideCode(db, id, now(), (code) => ({
      change: { code: { answer: null, confirmedAt: code?.confirmedAt ?? now() } },
      outcome: null,
    }))
    return reply.code(204).send()
  })
}

const answer = (reply: FastifyReply, outcome: Outcome): FastifyReply => {
  const serverTime = new Date().toISOString()
  if (outcome.kind === 'given') return reply.send({ answer: outcome.answer.toString('base64'), serverTime })
  const { kind: _kind, why, ...facts } = outcome
  return reply.code(403).send({ ...refusal(why), ...facts })
}

const busy = (reply: FastifyReply, seconds: number): FastifyReply =>
  reply.code(429).header('retry-after', String(seconds)).send(refusal('busy'))

/**
 * Returns the lane of the bearer token; null for no token or an invalid one. Queries the database each time, so that a
 * revocation applies to the next request at every server.
 */
export async function deviceOf(
  db: Querying,
  { headers: { authorization = '' } }: FastifyRequest,
): Promise<Device | null> {
  const [, token] = /^Bearer ([\w-]{43})$/.exec(authorization) ?? []
  const device = token === undefined ? null : await findDevice(db, sha256(token))
  return device?.revokedAt === null ? device : null
}

/** How long a lane that lost the answer to its enrolment may request the same answer again. */
export const REPEAT_MS = 10 * 60_000

export const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest()

export interface EnrolmentCall {
  readonly id: string
  readonly proof: Uint8Array
  readonly store: string
  readonly lane: string
  readonly key: string
}

export type Outcome =
  | { readonly kind: 'given'; readonly answer: Buffer }
  | { readonly kind: 'refused'; readonly why: Exclude<ExchangeRefusal, 'other-lane'> }
  | { readonly kind: 'refused'; readonly why: 'other-lane'; readonly belongsTo: { store: string; lane: string } }

interface Decision {
  readonly change: CodeChange
  readonly outcome: Outcome
}
const NOTHING: CodeChange = {}
const refused = (why: Exclude<ExchangeRefusal, 'other-lane'>, change = NOTHING): Decision => ({
  change,
  outcome: { kind: 'refused', why },
})
/** Hash with which the proof for an unknown code is compared: no proof has this hash. */
const UNKNOWN_HASH = Buffer.alloc(32)

/**
 * Decides the exchange of a code, without I/O. A client without the proof cannot learn whether the code exists. Wrong
 * proofs never lock a code, because everyone who knows its id could lock it.
 */
export function decideExchange(code: StoredCode | null, { wrong }: Tries, ask: EnrolmentCall, now: number): Decision {
  const proven = timingSafeEqual(sha256(ask.proof), code?.proofHash ?? UNKNOWN_HASH)
  if (code === null || !proven) return refused('wrong', { wrong: wrong + 1 })
  const belongsTo = { store: code.store, lane: code.lane }
  if (code.store !== ask.store || code.lane !== ask.lane)
    return { change: NOTHING, outcome: { kind: 'refused', why: 'other-lane', belongsTo } }
  if (code.revokedAt !== null) return refused('revoked')
  if (code.exchangedAt !== null) return repeatAnswer(code, ask, now)
  if (code.expiresAt <= now || code.sealed === null) return refused('expired')
  return give(code, code.sealed, ask, now)
}

/** Returns the answer again, only to the lane whose answer was lost; other clients get `used`. */
function repeatAnswer({ answer, exchangedAt, laneKey }: StoredCode, { key }: EnrolmentCall, now: number): Decision {
  if (answer === null || laneKey !== key || now - (exchangedAt ?? 0) > REPEAT_MS) return refused('used')
  return { change: NOTHING, outcome: { kind: 'given', answer } }
}

function give(code: StoredCode, sealed: Buffer, { key }: EnrolmentCall, now: number): Decision {
  const receiver = publicKeyOf(key)
  if (receiver === null) throw new Error('the lane’s key was not checked')
  const answer = sealTo(receiver, aboutAnswer(code.id), sealed)
  const { id, store, lane, tokenHash } = code
  const device = { tokenHash, store, lane, laneKey: key, codeId: id, since: now, revokedAt: null }
  return {
    change: { device, code: { sealed: null, exchangedAt: now, laneKey: key, answer } },
    outcome: { kind: 'given', answer },
  }
}

/** Payloads of expired codes are deleted after the server has run for at least this long since the codes expired. */
export const KEEP_EXPIRED_MS = 24 * 3_600_000

/**
 * Creates a function that returns the expiry before which payloads may be deleted; 0 for none. It also uses the uptime
 * (ms): a server started with a fast clock must not delete payloads that are still valid.
 */
export function createPayloadExpiry(): (now: number, uptimeMs: number) => number {
  let since: { readonly now: number; readonly uptimeMs: number } | null = null
  let expiredBefore = 0
  return (now, uptimeMs) => {
    // If the clock was set back since then, it was ahead when the stored time was read: use the current time instead.
    since = since === null ? { now, uptimeMs } : { ...since, now: Math.min(since.now, now) }
    if (uptimeMs - since.uptimeMs >= KEEP_EXPIRED_MS) {
      expiredBefore = since.now
      since = { now, uptimeMs }
    }
    return Math.min(expiredBefore, now)
  }
}

/** Number of wrong attempts for which no wait is required, because a person may mistype a code. */
const FREE_TRIES = 5
const FIRST_MS = 1_000
const LONGEST_MS = 10 * 60_000
/**
 * After this time without attempts, the wrong attempts of an IP address on a code are forgotten; also when the clock
 * was set back.
 */
const FORGET_MS = 60 * 60_000
const MAX_ENTRIES = 20_000

/**
 * Refuses attempts that come too soon after wrong proofs, per IP address and code; the required wait doubles with each
 * wrong proof. Other addresses need not wait, so knowing a code's public part does not lock out its lane. Each server
 * stores its counts in memory.
 */
export function createThrottle() {
  const attempts = new Map<string, { tries: number; lastAt: number }>()
  const delayOf = (tries: number): number =>
    tries < FREE_TRIES ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - FREE_TRIES))
  return {
    /**
     * Counts an attempt as wrong until `clearAttempts`, so that concurrent attempts count too. Returns 0; if the
     * attempt comes too early, it is not counted, and the milliseconds to wait are returned.
     */
    begin(address: string, code: string, now: number): number {
      const key = `${networkOf(address)} ${code}`
      const known = attempts.get(key)
      const isFresh = known !== undefined && now >= known.lastAt && now - known.lastAt < FORGET_MS
      const { tries, lastAt } = isFresh ? known : { tries: 0, lastAt: now }
      const waitMs = lastAt + delayOf(tries) - now
      if (waitMs > 0) return waitMs
      attempts.delete(key)
      attempts.set(key, { tries: tries + 1, lastAt: now })
      // Delete the oldest attempts, which come first: the map is in order of insertion.
      for (const oldest of attempts.keys()) {
        if (attempts.size <= MAX_ENTRIES) break
        attempts.delete(oldest)
      }
      return 0
    },
    clearAttempts(address: string, code: string): void {
      attempts.delete(`${networkOf(address)} ${code}`)
    },
  }
}

/**
 * Returns the IP address under which attempts are counted: for IPv6 the /64 network, because a client usually has all
 * its addresses.
 */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::')
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''))
  const missing = tail === undefined ? 0 : 8 - (before?.length ?? 0) - (after?.length ?? 0)
  return [...(before ?? []), ...Array.from({ length: missing }, () => '0'), ...(after ?? [])].slice(0, 4).join(':')
}
