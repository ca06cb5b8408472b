import { randomBytes } from 'node:crypto'
import { CODE_BYTES, codeOf, type EnrolmentCode } from '../../../contracts/operations/enrolment-code.ts'
import { EnrolmentPayload } from '../../../contracts/operations/enrolment.ts'
import { keysOf, sealWith } from '../../delivery/enrolment/sealing.ts'
import { aboutPayload } from '../../delivery/enrolment/proof.ts'
import { sha256 } from './enrolment.ts'
import type { Postgres } from '../db/postgres.ts'
import { type StoredCode, addCodes, listCodes } from './enrolment.sql.ts'

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

interface Validity {
  readonly now: Date
  readonly expiresAt: Date
}

/**
 * Creates an enrolment code for each lane, all or none, and revokes their unused codes. A lane's data is encrypted with
 * its code, which only the return value contains. Calls `print` first: when `print` throws, earlier codes stay valid.
 */
export async function issueCodes(
  db: Postgres,
  lanes: readonly LaneToEnrol[],
  validity: Validity,
  print: (issued: readonly IssuedCode[]) => void = () => undefined,
): Promise<IssuedCode[]> {
  const taken = new Set((await listCodes(db)).map(({ id }) => id))
  const made = await Promise.all(lanes.map((lane) => makeCode(lane, taken, validity)))
  const issued = made.map((one) => one.issued)
  print(issued)
  await addCodes(
    db,
    made.map(({ stored }) => stored),
  )
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

/**
 * Creates an enrolment code with an id not in `taken`, and encrypts the lane's data. Writes nothing to the database.
 */
export async function makeCode(
  lane: LaneToEnrol,
  taken: Set<string>,
  { now, expiresAt }: Validity,
): Promise<{ readonly issued: IssuedCode; readonly stored: StoredCode }> {
  const code = freshCode(taken)
  const deviceToken = randomBytes(32).toString('base64url')
  const { clientSecret, pins, storeServer } = lane
  const payload = EnrolmentPayload.parse({ format: 1, clientSecret, deviceToken, pins, storeServer })
  const { opens, proof } = await keysOf(code)
  const stored: StoredCode = {
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
  return { issued: { store: lane.store, lane: lane.lane, code, expiresAt }, stored }
}
