import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { PushRequest } from '../../../contracts/store/protocol.ts'
import { openPostgres, type Postgres, type Querying } from '../db/postgres.ts'
import { contextOf } from './context.ts'
import { openSession, pushFacts } from '../lanes/lanes.sql.ts'
import { createLog } from '../log.ts'

/**
 * Program that prints the SQL statements of one push as [{ text, params }], for benchmarks of the database without a
 * server. Reads { database, store, lane, push: PushRequest } as JSON from standard input, and applies the push to a new
 * stream.
 */
const Asked = z.object({ database: z.string(), store: z.string(), lane: z.string(), push: PushRequest })
const { database, store, lane, push } = Asked.parse(JSON.parse(await text(process.stdin)))

const postgres = openPostgres({ url: database, log: createLog('silent') })
const statements: { text: string; params: readonly unknown[] }[] = []
const noting = (tx: Querying): Querying => ({
  query(statement, params = []) {
    statements.push({ text: statement, params })
    return tx.query(statement, params)
  },
})
const noted: Postgres = {
  ...postgres,
  ...noting(postgres),
  transaction: (work, options) => postgres.transaction((tx) => work(noting(tx)), options),
}

const ctx = contextOf(noted)
const { stream, facts, epoch } = push
await openSession(
  ctx,
  { store, lane },
  { protocol: push.protocol, version: 'bench', streams: [{ epoch, name: stream }] },
)
statements.length = 0
const pushed = await pushFacts(ctx, { store, lane }, stream, facts)
await postgres.close()
if (pushed.kind !== 'applied' || pushed.quarantined.length > 0)
  throw new Error(`the push was not applied: ${pushed.kind}`)
process.stdout.write(JSON.stringify(statements))
