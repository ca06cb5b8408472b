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
/** Wrong tries of codes that there are not are remembered for so long. */
const TRIES_MS = 30 * 24 * 3_600_000

/** The enrolment of lanes: a one-time code becomes what a lane needs to sell. */
export async function enrolmentRoutes(app: FastifyInstance, { db, now, settings }: StoreContext): Promise<void> {
  const expiredBefore = createPayloadExpiry()
  const sweep = (): Promise<void> =>
    sweepCodes(db, expiredBefore(now(), performance.now()), now() - AGAIN_MS, now() - TRIES_MS)
  const throttle = createThrottle()
  await sweep()
  const sweeper = setInterval(() => {
    sweep().catch((error: unknown) => app.log.error({ err: error }, 'what is over could not be cleared away'))
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
    else throttle.forgive(request.ip, id)
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
 * The lane whose token the call carries (`Authorization: Bearer`); null where there is none of it. The database is
 * asked each time, and nothing is remembered: who was revoked is nobody at the next call, at every server.
 */
export async function deviceOf(
  db: Querying,
  { headers: { authorization = '' } }: FastifyRequest,
): Promise<Device | null> {
  const [, token] = /^Bearer ([\w-]{43})$/.exec(authorization) ?? []
  const device = token === undefined ? null : await findDevice(db, sha256(token))
  return device?.revokedAt === null ? device : null
}

/** A lane that heard no answer may ask for it again for so long. */
export const AGAIN_MS = 10 * 60_000

export const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest()

/** What a lane asks for, as it came over the wire. */
export interface Ask {
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
/** Of a code that there is not: nobody has bytes of this hash. */
const NOBODYS = Buffer.alloc(32)

/**
 * Decides one try, without input or output. Whoever cannot prove to hold the code learns nothing of it, nor whether
 * there is one. Wrong proofs are counted for the owner; they end no code, which anybody could do who knows its id.
 */
export function decideExchange(code: StoredCode | null, { wrong }: Tries, ask: Ask, now: number): Decision {
  const proven = timingSafeEqual(sha256(ask.proof), code?.proofHash ?? NOBODYS)
  if (code === null || !proven) return refused('wrong', { wrong: wrong + 1 })
  const belongsTo = { store: code.store, lane: code.lane }
  if (code.store !== ask.store || code.lane !== ask.lane)
    return { change: NOTHING, outcome: { kind: 'refused', why: 'other-lane', belongsTo } }
  if (code.revokedAt !== null) return refused('revoked')
  if (code.exchangedAt !== null) return again(code, ask, now)
  if (code.expiresAt <= now || code.sealed === null) return refused('expired')
  return give(code, code.sealed, ask, now)
}

/** The lane whose answer was lost is told once more; anybody else, that the code is used. */
function again({ answer, exchangedAt, laneKey }: StoredCode, { key }: Ask, now: number): Decision {
  if (answer === null || laneKey !== key || now - (exchangedAt ?? 0) > AGAIN_MS) return refused('used')
  return { change: NOTHING, outcome: { kind: 'given', answer } }
}

function give(code: StoredCode, sealed: Buffer, { key }: Ask, now: number): Decision {
  const receiver = publicKeyOf(key)
  if (receiver === null) throw new Error('the lane’s key was not looked at')
  const answer = sealTo(receiver, aboutAnswer(code.id), sealed)
  const { id, store, lane, tokenHash } = code
  const device = { tokenHash, store, lane, laneKey: key, codeId: id, since: now, revokedAt: null }
  return {
    change: { device, code: { sealed: null, exchangedAt: now, laneKey: key, answer } },
    outcome: { kind: 'given', answer },
  }
}

/** The payload of an expired code is deleted after the server has run for so long beyond the expiry. */
export const KEEP_EXPIRED_MS = 24 * 3_600_000

/**
 * Returns, from the wall clock and the uptime in ms, the time of expiry before which payloads may be deleted; 0: none.
 * A server that was started with a fast clock must not delete the payloads of codes that are good by the right time.
 */
export function createPayloadExpiry(): (now: number, uptimeMs: number) => number {
  let since: { readonly now: number; readonly uptimeMs: number } | null = null
  let expiredBefore = 0
  return (now, uptimeMs) => {
    // A clock that is set back was ahead until now.
    since = since === null ? { now, uptimeMs } : { ...since, now: Math.min(since.now, now) }
    if (uptimeMs - since.uptimeMs >= KEEP_EXPIRED_MS) {
      expiredBefore = since.now
      since = { now, uptimeMs }
    }
    return Math.min(expiredBefore, now)
  }
}

/** Wrong proofs of one address for one code that cost nothing: somebody mistypes. */
const FREE_TRIES = 5
const FIRST_MS = 1_000
const LONGEST_MS = 10 * 60_000
/** An address that was quiet for so long begins anew, also where the clock was set back. */
const FORGET_MS = 60 * 60_000
const MOST_KEPT = 20_000

/**
 * Delays wrong proofs by address and code, twice as long each time. No one else is delayed: whoever knows the public
 * part of a code alone cannot keep its lane out. Kept in memory, by each server.
 */
export function createThrottle() {
  const kept = new Map<string, { tries: number; lastAt: number }>()
  const delayOf = (tries: number): number =>
    tries < FREE_TRIES ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - FREE_TRIES))
  return {
    /**
     * Counts a try as wrong until `forgive`, so that tries at the same time are counted too. Returns the milliseconds
     * to wait, and counts nothing, where it comes too early; else 0.
     */
    begin(address: string, code: string, now: number): number {
      const key = `${networkOf(address)} ${code}`
      const known = kept.get(key)
      const isFresh = known !== undefined && now >= known.lastAt && now - known.lastAt < FORGET_MS
      const { tries, lastAt } = isFresh ? known : { tries: 0, lastAt: now }
      const waitMs = lastAt + delayOf(tries) - now
      if (waitMs > 0) return waitMs
      kept.delete(key)
      kept.set(key, { tries: tries + 1, lastAt: now })
      // The oldest first.
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_KEPT) break
        kept.delete(oldest)
      }
      return 0
    },
    forgive(address: string, code: string): void {
      kept.delete(`${networkOf(address)} ${code}`)
    },
  }
}

/** Whoever has one address of IPv6 has a network of them. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::')
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''))
  const missing = tail === undefined ? 0 : 8 - (before?.length ?? 0) - (after?.length ?? 0)
  return [...(before ?? []), ...Array.from({ length: missing }, () => '0'), ...(after ?? [])].slice(0, 4).join(':')
}
