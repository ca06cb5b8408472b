import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ConfirmRequest, confirmation, ENROLMENT_PATHS, ExchangeRequest } from '../../contracts/enrolment.ts'
import { isSignedByLane, publicKeyOf } from '../../delivery/enrolment/sealing.ts'
import { refusal, type Feature } from '../http/server.ts'
import { AGAIN_MS, decideExchange, sha256, type Outcome } from './exchange.ts'
import { createPayloadExpiry } from './payload-expiry.ts'
import type { Device, EnrolmentRepository } from './repository.ts'
import { createThrottle } from './throttle.ts'

export interface EnrolmentFeatureOptions {
  readonly repository: EnrolmentRepository
  readonly now?: () => number
  /** Calls of one address in a minute; a store's lanes may all come from one. */
  readonly callsPerMinute?: number
  /** Wrong codes of one address in ten minutes. */
  readonly missesPerTenMinutes?: number
}

const SWEEP_MS = 60_000
/** Wrong tries of codes that there are not are remembered for so long. */
const TRIES_MS = 30 * 24 * 3_600_000

/** The enrolment of lanes: a one-time code becomes what a lane needs to sell. */
export function enrolment(options: EnrolmentFeatureOptions): Feature {
  const { repository, now = Date.now, callsPerMinute = 120, missesPerTenMinutes = 60 } = options
  const expiredBefore = createPayloadExpiry()
  const sweep = (): Promise<void> =>
    repository.sweep(expiredBefore(now(), performance.now()), now() - AGAIN_MS, now() - TRIES_MS)
  const throttle = createThrottle()
  let sweeper: NodeJS.Timeout | undefined

  async function routes(app: FastifyInstance): Promise<void> {
    await sweep()
    sweeper = setInterval(() => {
      sweep().catch((error: unknown) => app.log.error({ err: error }, 'what is over could not be cleared away'))
    }, SWEEP_MS).unref()
    await app.register(rateLimit, { max: callsPerMinute, timeWindow: '1 minute' })
    const misses = app.createRateLimit({ max: missesPerTenMinutes, timeWindow: '10 minutes' })

    app.post(ENROLMENT_PATHS.exchange, async (request, reply) => {
      const asked = ExchangeRequest.safeParse(request.body)
      if (!asked.success || publicKeyOf(asked.data.key) === null) return reply.code(400).send(refusal('unreadable'))
      const { code: id, proof, ...rest } = asked.data
      const before = await misses(request, { increment: false })
      if (!before.isAllowed && before.remaining === 0) return busy(reply, before.ttlInSeconds)
      const waitMs = throttle.begin(request.ip, id, now())
      if (waitMs > 0) return busy(reply, Math.ceil(waitMs / 1_000))
      const ask = { ...rest, id, proof: Buffer.from(proof, 'base64') }
      const outcome = await repository.decide(id, now(), (code, tries) => decideExchange(code, tries, ask, now()))
      if (outcome.kind === 'refused' && outcome.why === 'wrong') await misses(request)
      else throttle.forgive(request.ip, id)
      request.log.info({ code: id, outcome: outcome.kind === 'given' ? 'given' : outcome.why }, 'exchange')
      return answer(reply, outcome)
    })

    app.post(ENROLMENT_PATHS.confirm, async (request, reply) => {
      const asked = ConfirmRequest.safeParse(request.body)
      if (!asked.success) return reply.code(400).send(refusal('unreadable'))
      const { code: id, signature } = asked.data
      const device = await deviceOf(request, repository)
      if (device?.codeId !== id || !isSignedByLane(device.laneKey, confirmation(id), signature))
        return reply.code(401).send(refusal('unknown-device'))
      await repository.decide(id, now(), (code) => ({
        change: { code: { answer: null, confirmedAt: code?.confirmedAt ?? now() } },
        outcome: null,
      }))
      return reply.code(204).send()
    })
  }

  return {
    name: 'enrolment',
    routes,
    close: () => clearInterval(sweeper),
  }
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
  { headers: { authorization = '' } }: FastifyRequest,
  repository: EnrolmentRepository,
): Promise<Device | null> {
  const [, token] = /^Bearer ([\w-]{43})$/.exec(authorization) ?? []
  const device = token === undefined ? null : await repository.device(sha256(token))
  return device?.revokedAt === null ? device : null
}
