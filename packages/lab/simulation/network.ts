import { createHash } from 'node:crypto'
import { CASH_PATHS, CASH_RESPONSE_CODES } from '../../../contracts/central/cash.ts'
import type { Answer, CentralCall } from '../../../backend/core/central/transport.ts'
import type { ModelMembers } from './members.ts'
import type { ModelCentral, Reply } from './central.ts'
import type { SeededRng } from './rng.ts'
import { NETWORK_FAULTS, type NetworkFault, type RepeatedFault } from './faults.ts'
import type { World } from './world.ts'

export interface Delivery {
  /** Number of the program’s run that sent the call, counted from 1. */
  readonly run: number
  readonly path: string
  readonly key: string | null
  readonly bodyHash: string
  readonly body: Record<string, unknown>
  readonly sentAt: number
  endedAt: number | null
  readonly fault: NetworkFault | 'outage' | null
  answer: Answer | null
}

export interface Network {
  /** Delivers a call once. Never throws; resolves when the terminal gets the result. */
  exchange(call: CentralCall, run: number): Promise<Answer>
  readonly deliveries: readonly Delivery[]
  outage(ms: number): void
  heal(): void
  /** Returns a fresh token; throws if the identity provider fails. */
  grant(): Promise<string>
}

export interface NetworkOptions {
  readonly world: World
  readonly central: ModelCentral
  readonly members?: Pick<ModelMembers, 'handle'>
  readonly rng: SeededRng
  /** Average number of calls per fault. */
  readonly faultOnceIn: number
  readonly noTokenOnceIn: number
  readonly repeated: RepeatedFault | null
  readonly met: (what: 'fault' | 'code', name: string) => void
}

/**
 * The error with which the simulated service refuses a collector who has another transaction in progress; the profile
 * has the same setting.
 */
export const PARALLEL_ERROR = { status: 409, code: 'BUSY' } as const
const REFUSALS = ['0067', '0092'] as const
const AMBIGUOUS_CODES = ['0008', '0096'] as const
const FOREIGN_RESPONSE = {
  traceId: 'another',
  deviceId: 'another',
  checkoutTransactionId: 'another',
  collectorNumber: '80000009999',
  responseCode: '0000',
  transactionId: 'T-another',
  txnConfirmationNumber: 'C-another',
  unitsRedeemed: '1',
  milesRedeemed: '95',
  unitValueDollars: '10.00',
  unitValueLoyaltyCash: '95',
  issuances: [{ issuanceOfferCode: 'BASE', offerId: 'BASE', milesAmount: 999, status: 'CONFIRMED' }],
}
const json = (body: unknown): Uint8Array => Buffer.from(JSON.stringify(body), 'utf8')

const isOfMembers = ({ service }: CentralCall): boolean => service === 'offers' || service === 'offerState'

export function createNetwork({
  world,
  central,
  members,
  rng,
  faultOnceIn,
  noTokenOnceIn,
  repeated,
  met,
}: NetworkOptions): Network {
  const deliveries: Delivery[] = []
  let isHealed = false
  let downUntil = 0
  let tokens = 0
  let repeats = 0

  const answerOf = (status: number, bytes: Uint8Array): Answer => ({
    kind: 'answer',
    status,
    headers: new Headers(),
    bytes,
    latencyMs: 1,
    requestHeaders: {},
  })
  const plain = (reply: Reply): Answer => {
    met('code', typeof reply.body['responseCode'] === 'string' ? reply.body['responseCode'] : String(reply.status))
    return answerOf(reply.status, reply.status === 204 ? new Uint8Array() : json(reply.body))
  }
  const bare = (code: keyof typeof CASH_RESPONSE_CODES, body: Record<string, unknown>): Answer => {
    met('code', code)
    return answerOf(
      CASH_RESPONSE_CODES[code].status,
      json({ ...body, responseCode: code, message: CASH_RESPONSE_CODES[code].message }),
    )
  }

  async function applyFault(
    fault: NetworkFault,
    call: CentralCall,
    body: Record<string, unknown>,
    deliver: () => Reply,
  ): Promise<Answer> {
    const never = async (): Promise<Answer> => {
      await world.sleep(call.timeoutMs)
      return { kind: 'unknown', reason: `no answer within ${call.timeoutMs} ms` }
    }
    const key = call.headers?.['idempotency-key'] ?? null
    switch (fault) {
      case 'no-connection':
        return { kind: 'never-sent', reason: 'ECONNREFUSED' }
      case 'drop-before':
        return never()
      case 'drop-after':
        deliver()
        return never()
      case 'reset-before':
        return { kind: 'unknown', reason: 'ECONNRESET' }
      case 'reset-after':
        deliver()
        return { kind: 'unknown', reason: 'ECONNRESET' }
      case 'late':
        world.plan(call.timeoutMs + rng.below(60_000), deliver)
        return never()
      case 'slow': {
        await world.sleep(rng.below(call.timeoutMs - 1))
        const reply = deliver()
        return plain(reply)
      }
      case 'drip':
        deliver()
        return never()
      case 'duplicate': {
        const reply = deliver()
        world.plan(rng.below(90_000), deliver)
        return plain(reply)
      }
      case 'truncate': {
        const bytes = json(deliver().body)
        return answerOf(200, bytes.subarray(0, rng.below(bytes.byteLength)))
      }
      case 'garble': {
        const bytes = Buffer.from(json(deliver().body))
        bytes[rng.below(Math.max(1, bytes.byteLength))] = 0
        return answerOf(200, bytes)
      }
      case 'wrong-echo': {
        // The service sends the response to another request. It has processed this one, or not.
        if (rng.onceIn(2)) deliver()
        return answerOf(200, json({ ...body, ...FOREIGN_RESPONSE }))
      }
      case 'wrong-amount': {
        const reply = deliver()
        return answerOf(
          reply.status,
          json({
            ...reply.body,
            ...(reply.body['unitsRedeemed'] ? { unitsRedeemed: String(Number(reply.body['unitsRedeemed']) + 1) } : {}),
          }),
        )
      }
      case 'ambiguous-before':
        return bare(rng.pick(AMBIGUOUS_CODES), body)
      case 'ambiguous-after':
        deliver()
        return bare(rng.pick(AMBIGUOUS_CODES), body)
      case 'refuse':
        return bare(rng.pick(REFUSALS), body)
      case 'server-error':
        return answerOf(500, json({ message: 'it broke' }))
      case 'server-error-after':
        deliver()
        return answerOf(500, json({ message: 'it broke' }))
      case 'gateway':
        return answerOf(rng.pick([502, 503, 504, 429]), Buffer.from('<html>try later</html>'))
      case 'cancel-after':
        deliver()
        if (key !== null && call.path === CASH_PATHS.redeem) central.cancelEffectOf(key)
        return rng.onceIn(2) ? bare('0096', body) : never()
      case 'busy':
        return call.path.startsWith('/checkout/issuance')
          ? answerOf(
              409,
              json({
                ...body,
                responseCode: PARALLEL_ERROR.code,
                message: 'another transaction of this collector is being processed',
              }),
            )
          : bare('0096', body)
      case 'token-refused':
        return answerOf(rng.pick([401, 403]), json({ message: 'Missing or invalid bearer token' }))
      case 'bare-refusal':
        return answerOf(rng.pick([400, 404, 409, 421, 422]), json({ message: 'refused' }))
      case 'bare-refusal-after':
        deliver()
        return answerOf(rng.pick([404, 409, 421, 422]), json({ message: 'refused' }))
    }
  }

  return {
    deliveries,
    async exchange(call, run) {
      const bytes = call.body ?? new Uint8Array()
      const body = (call.body ? JSON.parse(Buffer.from(bytes).toString('utf8')) : {}) as Record<string, unknown>
      const key = call.headers?.['idempotency-key'] ?? null
      const isDown = !isHealed && world.now < downUntil
      const again = !isHealed && repeated !== null && call.path.endsWith(repeated.path) && repeats < repeated.times
      if (again) repeats += 1
      const fault = isDown
        ? 'outage'
        : again
          ? repeated.fault
          : !isHealed && rng.onceIn(faultOnceIn)
            ? rng.weighed(NETWORK_FAULTS)
            : null
      const wired: Delivery = {
        run,
        path: call.path,
        key,
        bodyHash: createHash('sha256').update(bytes).digest('hex'),
        body,
        sentAt: world.now,
        endedAt: null,
        fault,
        answer: null,
      }
      deliveries.push(wired)
      if (fault) met('fault', fault)
      await world.sleep(1 + rng.below(40))
      const deliver = (): Reply =>
        members && isOfMembers(call) ? members.handle(call) : central.handle({ path: call.path, key, body: bytes })
      const answer: Answer =
        fault === 'outage'
          ? { kind: 'never-sent', reason: 'ENETUNREACH' }
          : fault
            ? await applyFault(fault, call, body, deliver)
            : plain(deliver())
      wired.answer = answer
      wired.endedAt = world.now
      return answer
    },
    outage(ms) {
      downUntil = world.now + ms
    },
    heal() {
      isHealed = true
    },
    async grant() {
      if (!isHealed && rng.onceIn(noTokenOnceIn)) {
        met('fault', 'no-token')
        await world.sleep(rng.below(3_000))
        throw new Error('the identity provider is unavailable')
      }
      await world.sleep(5)
      return `token-${(tokens += 1)}`
    },
  }
}
