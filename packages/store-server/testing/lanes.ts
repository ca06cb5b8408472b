import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { EnrolmentPayload } from '../../../contracts/operations/enrolment.ts'
import { exchange, type Exchanged } from '../../delivery/enrolment/exchange.ts'
import type { Postgres } from '../db/postgres.ts'
import type { LaneCredentials } from '../../delivery/enrolment/proof.ts'
import { makeLaneKey, type LaneKey } from '../../delivery/enrolment/sealing.ts'
import { sha256 } from '../enrolment/enrolment.ts'
import { decideCode } from '../enrolment/enrolment.sql.ts'
import { issueCodes, type IssuedCode } from '../enrolment/issue.ts'
import type { ServerProcess } from './server-process.ts'

export async function enrolDevice(db: Postgres, store: string, lane: string): Promise<LaneCredentials> {
  const [token, key, codeId] = [randomBytes(32).toString('base64url'), makeLaneKey(), randomBytes(5).toString('hex')]
  const one = { tokenHash: sha256(token), store, lane, laneKey: key.publicKey, codeId }
  const device = { ...one, since: Date.now(), revokedAt: null }
  await decideCode(db, codeId, Date.now(), () => ({ change: { device }, outcome: null }))
  return { token, key }
}

export const issueFor = (postgres: Postgres, lanes: number): Promise<IssuedCode[]> =>
  issueCodes(
    postgres,
    Array.from({ length: lanes }, (_, at) => ({
      store: '1001',
      lane: String(at + 1).padStart(2, '0'),
      clientSecret: `secret of ${at + 1}`,
      pins: [],
      storeServer: null,
    })),
    { now: new Date(), expiresAt: new Date(Date.now() + 3_600_000) },
  )

export const requestOnce = (
  { url, fingerprint }: Pick<ServerProcess, 'url' | 'fingerprint'>,
  { code, store, lane }: IssuedCode,
  key: LaneKey = makeLaneKey(),
): Promise<Exchanged> =>
  exchange({ ticket: { service: url, code, certificate: fingerprint }, store, lane, key, now: Date.now, pausesMs: [] })

const TRY_MS = 250
const UNANSWERED: readonly string[] = ['busy', 'no-network']

export async function requestUntilAnswered(
  server: ServerProcess,
  code: IssuedCode,
  key: LaneKey = makeLaneKey(),
): Promise<EnrolmentPayload> {
  for (;;) {
    const answer = await requestOnce(server, code, key)
    if (answer.kind === 'given') return answer.payload
    if (!UNANSWERED.includes(answer.why)) throw new Error(`lane ${code.lane} was refused: ${answer.why}`)
    await pause(TRY_MS)
  }
}
