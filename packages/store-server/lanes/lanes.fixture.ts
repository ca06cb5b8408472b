import { onTestFinished, type TestContext } from 'vitest'
import { STORE_PATHS, STORE_PROTOCOL, type Fact, type LaneHealth } from '../../../contracts/store/protocol.ts'
import { migrate } from '../db/migrate.ts'
import { openPostgres, type Postgres } from '../db/postgres.ts'
import { ENROLMENT_TABLES } from '../enrolment/enrolment.sql.ts'
import { createLog } from '../log.ts'
import { contextOf, openRoutes } from '../testing/context.ts'
import type { PostgresOfTests } from '../testing/postgres.ts'
import { laneRoutes, LANES_TABLES } from './lanes.ts'
import type { Projection } from './projection.ts'
import { createStreamProofs } from './key-files.ts'

export const STREAM = 'a'.repeat(32)
export const PUT_BACK = "UPDATE database_identity SET identity = 'of the lost one'"
export const OTHER = 'b'.repeat(32)
export const HEALTH: LaneHealth = {
  version: '1.0.0',
  mode: 'training',
  untold: 0,
  queue: { waiting: 0, attention: 0, oldestAt: null },
  central: 'online',
  drawer: { open: false, since: null },
  lastSaleAt: null,
  troubles: [],
  stopped: null,
}
export const fact = (seq: number, fields: Partial<Fact> = {}): Fact => ({
  seq,
  kind: 'note',
  subject: `S${seq}`,
  at: 1_790_000_000_000 + seq,
  body: { text: `${seq}` },
  sealed: null,
  ...fields,
})
const NOTES: Projection = {
  kinds: ['note'],
  async apply(tx, facts, { lane }) {
    for (const { body, seq } of facts) {
      await tx.query('INSERT INTO note (lane, seq) VALUES ($1, $2)', [lane, seq])
      if (body['text'] === 'poison') throw new Error('no text\0')
      if (typeof body['name'] === 'string') await tx.query('SELECT $1::text::jsonb', [JSON.stringify(body['name'])])
    }
  },
}

const PROOF_KEY = Buffer.alloc(32, 8)
export const PROOFS = createStreamProofs(PROOF_KEY)
export const provenVector = (vector: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(vector).map(([name, seq]) => [name, { seq, proof: PROOFS.of('STORE', name, seq) }]))

export async function startLanes(cluster: PostgresOfTests, skip: TestContext['skip'], url?: string) {
  const on = url ?? (await cluster.database(skip))
  const log = createLog('silent')
  const database = openPostgres({ url: on, log })
  await migrate(database, [ENROLMENT_TABLES, LANES_TABLES])
  await database.query('CREATE TABLE IF NOT EXISTS note (lane text, seq integer, PRIMARY KEY (lane, seq))')
  let transactions = 0
  const counted: Postgres = {
    ...database,
    query(text, params) {
      transactions += 1
      return database.query(text, params)
    },
    transaction(work, options) {
      transactions += 1
      return database.transaction(work, options)
    },
  }
  const ctx = contextOf(counted, { log, projections: [NOTES], settings: { proofKey: PROOF_KEY } })
  const app = await openRoutes(ctx, [laneRoutes], ({ headers }) => {
    const lane = headers.authorization?.slice('Bearer '.length)
    return lane === undefined ? null : { store: lane === '03' ? 'OTHER' : 'STORE', lane }
  })
  onTestFinished(async () => {
    await app.close()
    await database.close()
  })
  const call = async (lane: string | null, path: keyof typeof STORE_PATHS, body: object) => {
    const headers = lane === null ? {} : { authorization: `Bearer ${lane}` }
    const payload = { protocol: STORE_PROTOCOL, ...body }
    const answer = await app.inject({ method: 'POST', url: STORE_PATHS[path], headers, payload })
    return { status: answer.statusCode, body: answer.json() }
  }
  const hello = (lane: string, name = STREAM) =>
    call(lane, 'hello', { version: '1.0.0', streams: [{ epoch: 1, name }] })
  const push = (lane: string, facts: readonly Fact[], stream = STREAM) =>
    call(lane, 'facts', { stream, epoch: 1, facts })
  const count = async (table: string) =>
    Number((await database.query(`SELECT count(*) FROM ${table}`)).rows[0]?.['count'])
  const spent = (): number => {
    const sum = transactions
    transactions = 0
    return sum
  }
  return { url: on, call, hello, push, count, spent, database }
}
