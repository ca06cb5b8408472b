import { randomBytes } from 'node:crypto'
import { CODE_BYTES, codeOf, type EnrolmentCode } from '../../../contracts/operations/enrolment-code.ts'
import { EnrolmentPayload } from '../../../contracts/operations/enrolment.ts'
import { keysOf, sealWith } from '../../delivery/enrolment/sealing.ts'
import { aboutPayload } from '../../delivery/enrolment/proof.ts'
import { sha256 } from './enrolment.ts'
import type { EnrolmentRepository, StoredCode } from './repository.ts'

/** One lane that is to be enrolled. */
export interface LaneToEnrol {
  readonly store: string
  readonly lane: string
  readonly clientSecret: string | null
  readonly pins: EnrolmentPayload['pins']
  readonly storeServer: EnrolmentPayload['storeServer']
}

export interface IssuedCode {
  readonly store: string
  readonly lane: string
  readonly code: EnrolmentCode
  readonly expiresAt: Date
}

/**
 * Makes a code for each lane, all or none. What a lane will get is sealed by its own code, which is in the answer and
 * nowhere else; codes of these lanes that still wait are revoked. `print` puts them on paper before that: where it
 * throws, what was handed out stays good.
 */
export async function issueCodes(
  repository: EnrolmentRepository,
  lanes: readonly LaneToEnrol[],
  { now, expiresAt }: { readonly now: Date; readonly expiresAt: Date },
  print: (issued: readonly IssuedCode[]) => void = () => undefined,
): Promise<IssuedCode[]> {
  const taken = new Set((await repository.list()).map(({ id }) => id))
  const codes = lanes.map(() => freshCode(taken))
  const rows = await Promise.all(
    lanes.map(async (lane, at): Promise<StoredCode> => {
      const code = codes[at]
      if (code === undefined) throw new Error('a lane without a code')
      return sealed(lane, code, now, expiresAt)
    }),
  )
  const issued = lanes.flatMap(({ store, lane }, at) => {
    const code = codes[at]
    return code === undefined ? [] : [{ store, lane, code, expiresAt }]
  })
  print(issued)
  await repository.add(rows)
  return issued
}

function freshCode(taken: Set<string>): EnrolmentCode {
  for (;;) {
    const code = codeOf(randomBytes(CODE_BYTES))
    if (taken.has(code.id)) continue
    taken.add(code.id)
    return code
  }
}

async function sealed(lane: LaneToEnrol, code: EnrolmentCode, now: Date, expiresAt: Date): Promise<StoredCode> {
  const deviceToken = randomBytes(32).toString('base64url')
  const { clientSecret, pins, storeServer } = lane
  const payload = EnrolmentPayload.parse({ format: 1, clientSecret, deviceToken, pins, storeServer })
  const { opens, proof } = await keysOf(code)
  return {
    id: code.id,
    store: lane.store,
    lane: lane.lane,
    madeAt: now.getTime(),
    expiresAt: expiresAt.getTime(),
    proofHash: sha256(proof),
    tokenHash: sha256(deviceToken),
    sealed: sealWith(opens, aboutPayload(code.id, lane), Buffer.from(JSON.stringify(payload))),
    revokedAt: null,
    exchangedAt: null,
    laneKey: null,
    answer: null,
    confirmedAt: null,
  }
}
