import { createHash, timingSafeEqual } from 'node:crypto'
import type { ExchangeRefusal } from '../../contracts/enrolment.ts'
import { aboutAnswer } from '../../delivery/enrolment/payload.ts'
import { publicKeyOf, sealTo } from '../../delivery/enrolment/sealing.ts'
import type { CodeChange, StoredCode, Tries } from './repository.ts'

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
