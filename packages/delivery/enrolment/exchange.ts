import { setTimeout as delay } from 'node:timers/promises'
import type { EnrolmentTicket } from '../../../contracts/operations/enrolment-code.ts'
import {
  confirmation,
  ENROLMENT_PATHS,
  ExchangeAnswer,
  ExchangeRefusal,
  RefusalAnswer,
  type EnrolmentPayload,
  type ExchangeRequest,
} from '../../../contracts/operations/enrolment.ts'
import { openAnswer } from './proof.ts'
import { keysOf, signAs, type LaneKey } from './sealing.ts'
import { callSecurely, UnreachedError, type Answer, type Unreached } from './secure-call.ts'

export type NotEnrolled = ExchangeRefusal | Unreached | 'busy' | 'not-a-service' | 'not-opened'

export interface Refused {
  readonly kind: 'refused'
  readonly why: NotEnrolled
  readonly triesLeft?: number
  readonly belongsTo?: { readonly store: string; readonly lane: string }
  /** How far this machine's clock is ahead of the server's; null if the answer had no time. */
  readonly clockAheadMs: number | null
}
export type Exchanged =
  | { readonly kind: 'given'; readonly payload: EnrolmentPayload; readonly clockAheadMs: number }
  | Refused

export interface RequestingLane {
  readonly ticket: EnrolmentTicket
  readonly store: string
  readonly lane: string
  readonly key: LaneKey
  readonly now: () => number
  readonly pausesMs?: readonly number[]
}

/** Exchanges an enrolment code. A retry with the same lane key gets the same answer for several minutes. */
export async function exchange(asking: RequestingLane): Promise<Exchanged> {
  const { ticket, store, lane, key, now } = asking
  const { proof } = await keysOf(ticket.code)
  const body: ExchangeRequest = {
    format: 1,
    code: ticket.code.id,
    proof: proof.toString('base64'),
    store,
    lane,
    key: key.publicKey,
  }
  try {
    const answer = await persistently(asking, body)
    const given = answer.status === 200 ? ExchangeAnswer.safeParse(answer.body) : null
    if (!given?.success) return refusalIn(answer, now())
    const clockAheadMs = now() - Date.parse(given.data.serverTime)
    const sealed = Buffer.from(given.data.answer, 'base64')
    const payload = await openAnswer(sealed, { store, lane, code: ticket.code, key })
    return payload === null
      ? { kind: 'refused', why: 'not-opened', clockAheadMs }
      : { kind: 'given', payload, clockAheadMs }
  } catch (error) {
    if (!(error instanceof UnreachedError)) throw error
    return { kind: 'refused', why: error.why, clockAheadMs: null }
  }
}

async function persistently({ ticket, pausesMs = [1_000, 3_000] }: RequestingLane, body: unknown): Promise<Answer> {
  const { service, certificate: expected } = ticket
  for (const pauseMs of [...pausesMs, null]) {
    try {
      return await callSecurely({ service, path: ENROLMENT_PATHS.exchange, body, expected })
    } catch (error) {
      if (!(error instanceof UnreachedError) || error.why !== 'no-network' || pauseMs === null) throw error
      await delay(pauseMs)
    }
  }
  throw new Error('there is always a last try')
}

function refusalIn({ status, body }: Answer, now: number): Refused {
  const parsed = RefusalAnswer.safeParse(body)
  const clockAheadMs = parsed.success ? now - Date.parse(parsed.data.serverTime) : null
  if (status === 429 || status >= 500) return { kind: 'refused', why: 'busy', clockAheadMs }
  const why = ExchangeRefusal.safeParse(parsed.data?.refused)
  if (!parsed.success || !why.success) return { kind: 'refused', why: 'not-a-service', clockAheadMs }
  const { triesLeft, belongsTo } = parsed.data
  return {
    kind: 'refused',
    why: why.data,
    clockAheadMs,
    ...(triesLeft === undefined ? {} : { triesLeft }),
    ...(belongsTo === undefined ? {} : { belongsTo }),
  }
}

/**
 * Confirms that the lane has stored everything, so that the server deletes the answer at once. If the confirmation
 * fails, the answer expires by itself.
 */
export async function confirm(
  { ticket, key }: Pick<RequestingLane, 'ticket' | 'key'>,
  deviceToken: string,
): Promise<'confirmed' | 'unconfirmed'> {
  const { service, code, certificate: expected } = ticket
  try {
    const { status } = await callSecurely({
      service,
      path: ENROLMENT_PATHS.confirm,
      expected,
      headers: { authorization: `Bearer ${deviceToken}` },
      body: { format: 1, code: code.id, signature: signAs(key, confirmation(code.id)) },
    })
    return status === 204 ? 'confirmed' : 'unconfirmed'
  } catch {
    return 'unconfirmed'
  }
}
