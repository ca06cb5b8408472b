import { onTestFinished } from 'vitest'
import { exchange, type Exchanged } from '../../delivery/enrolment/exchange.ts'
import { makeLaneKey, type LaneKey } from '../../delivery/enrolment/sealing.ts'
import { startStoreServer, type StoreServer } from '../app.ts'
import { makeSelfSigned } from '../certificate/self-signed.ts'
import type { StoreSettings } from '../context.ts'
import { issueCodes, type IssuedCode, type LaneToEnrol } from '../enrolment/issue.ts'
import type { Postgres } from '../db/postgres.ts'
import { contextOf } from './context.ts'

export const HOUR = 3_600_000
export const SECRET = 'secret-of-the-lane-5b1e'

export interface EnrolmentServer extends StoreServer {
  readonly certificate: string
  readonly postgres: Postgres
  wait(ms: number): void
  issue(...lanes: readonly Partial<LaneToEnrol>[]): Promise<IssuedCode[]>
  ask(issued: IssuedCode, change?: Partial<LaneAsk>): Promise<Exchanged>
}
interface LaneAsk {
  readonly key: LaneKey
  readonly store: string
  readonly lane: string
  readonly certificate: string | null
  readonly service: string
  readonly secret: string
  readonly id: string
  readonly now: () => number
}

export async function startEnrolmentServer(
  postgres: Postgres,
  { clock = Date.now, ...settings }: Partial<StoreSettings> & { readonly clock?: () => number } = {},
): Promise<EnrolmentServer> {
  let ahead = 0
  const now = (): number => clock() + ahead
  const certificate = await makeSelfSigned(['localhost', '127.0.0.1'], new Date(), 1)
  const limits = { enrolmentCallsPerMinute: 10_000, missesPerTenMinutes: 10_000 }
  const ctx = contextOf(postgres, { now, settings: { enrolment: true, ...limits, ...settings } })
  const server = await startStoreServer(ctx, certificate, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close())
  return {
    ...server,
    certificate: certificate.certificate,
    postgres,
    wait: (ms) => (ahead += ms),
    issue: (...lanes) =>
      issueCodes(
        postgres,
        lanes.map((lane) => ({
          store: '1001',
          lane: '01',
          clientSecret: SECRET,
          pins: [],
          storeServer: null,
          ...lane,
        })),
        { now: new Date(now()), expiresAt: new Date(now() + 72 * HOUR) },
      ),
    ask: ({ code, store, lane }, change = {}) => {
      const { certificate = server.fingerprint, service = server.url, id, secret, ...rest } = change
      const asked = { id: id ?? code.id, secret: secret ?? code.secret }
      return exchange({
        ticket: { service, code: asked, certificate },
        store,
        lane,
        key: makeLaneKey(),
        now: Date.now,
        pausesMs: [],
        ...rest,
      })
    },
  }
}

export const mistyped = ({ code }: IssuedCode): { secret: string } => ({
  secret: code.secret.startsWith('0') ? `1${code.secret.slice(1)}` : `0${code.secret.slice(1)}`,
})
