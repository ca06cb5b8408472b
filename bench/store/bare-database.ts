import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import pg from 'pg'
import { z } from 'zod'
import { STORE_PROTOCOL, type PushRequest } from '../../contracts/store/protocol.ts'
import { saleFact } from './sale-facts.ts'

const VERSIONS = '/usr/lib/postgresql'

function findPgbench(): string | null {
  const folders = [
    ...(process.env['PATH'] ?? '').split(path.delimiter),
    ...(existsSync(VERSIONS) ? readdirSync(VERSIONS).toSorted().toReversed() : []).map((name) =>
      path.join(VERSIONS, name, 'bin'),
    ),
  ]
  return folders.map((folder) => path.join(folder, 'pgbench')).find((file) => existsSync(file)) ?? null
}

export interface BareOptions {
  readonly database: string
  readonly folder: string
  readonly clients: number
  readonly batch: number
  readonly seconds: number
}

/**
 * Facts per second of the database alone: the statements of the store server’s pushes into the same tables, with the
 * same commits, number of clients and batch size. Null without pgbench.
 */
export async function measureBareDatabase(options: BareOptions): Promise<number | null> {
  const { database, folder, clients, batch, seconds } = options
  const pgbench = findPgbench()
  if (pgbench === null) return null
  const round = roundOf(randomBytes(12).toString('hex'))
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  try {
    const statements = await pushStatements(database, round, batch)
    for (let at = 0; at < clients; at += 1) {
      const name = round.stream(at.toString(16).padStart(8, '0'))
      await client.query('INSERT INTO stream (name, store, lane, epoch) VALUES ($1, $2, $3, 1)', [
        name,
        round.store,
        LANE,
      ])
    }
    const script = path.join(folder, 'push.sql')
    writeFileSync(script, scriptOf(statements, round, batch))
    const args = ['-n', '-c', String(clients), '-j', '2', '-T', String(seconds), '-D', 'push=0', '-f', script, database]
    await promisify(execFile)(pgbench, args, { maxBuffer: 16 * 1024 * 1024 })
    const { rows } = await client.query<{ receipts: string; facts: string }>(
      `SELECT (SELECT count(*) FROM receipt WHERE store = $1) AS receipts, (SELECT count(*) FROM fact
        WHERE stream IN (SELECT name FROM stream WHERE store = $1)) AS facts`,
      [round.store],
    )
    const [counted] = rows
    if (!counted || counted.receipts !== counted.facts) throw new Error('pgbench did not do the same as a push')
    return (Number(counted.facts) - batch) / seconds
  } finally {
    await client.end()
  }
}

const LANE = '1'

interface Round {
  readonly store: string
  stream(digits: string): string
  readonly streamOfClient: string
}
const roundOf = (name: string): Round => ({
  store: `BARE${name}`,
  stream: (digits) => name + digits,
  streamOfClient: `'${name}' || lpad(to_hex(:client_id), 8, '0')`,
})
const NOTED = 'f'.repeat(8)

const Statements = z.array(z.object({ text: z.string(), params: z.array(z.unknown()) }))
type Statements = z.infer<typeof Statements>

async function pushStatements(database: string, { store, stream }: Round, batch: number): Promise<Statements> {
  const facts = Array.from({ length: batch }, (_, index) => saleFact(`${store}-${index}`, index + 1, 1_790_000_000_000))
  const push: PushRequest = { protocol: STORE_PROTOCOL, stream: stream(NOTED), epoch: 1, facts }
  const child = spawn(process.execPath, ['packages/store-server/testing/push-statements.ts'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify({ database, store, lane: LANE, push }))
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return Statements.parse(JSON.parse(printed))
}

/**
 * Returns the script that each client of pgbench repeats: the statements of one push, and those of its request before
 * and after the transaction. The pgbench variable `push` counts the repetitions; the numbers and names of the facts are
 * derived from it.
 */
function scriptOf(statements: Statements, round: Round, batch: number): string {
  const numbers = Array.from({ length: batch }, (_, index) => `\\set fact${index + 1} :push * ${batch} + ${index + 1}`)
  return [
    ...numbers,
    `SELECT token_hash, store, lane FROM device WHERE token_hash = '\\x00';`,
    'BEGIN ISOLATION LEVEL read committed;',
    ...statements.map((statement) => `${withValues(statement, round, batch)};`),
    'COMMIT;',
    `SELECT pg_notify('bare', '${round.store}');`,
    '\\set push :push + 1',
  ]
    .map((statement) => statement.replaceAll(/\s*\n\s*/g, ' '))
    .join('\n')
}

function withValues({ text: statement, params }: Statements[number], round: Round, batch: number): string {
  const ids = new RegExp(`${round.store}-(\\d+)`, 'g')
  function literal(value: string): string {
    // The space after each colon of the JSON keeps pgbench from parsing it as a variable, which takes time.
    const spaced = value.replaceAll('":', '": ').replaceAll(/"seq": (\d+)/g, '"seq": :fact$1')
    return pg.escapeLiteral(spaced.replaceAll(ids, `${round.store}-:client_id-:push-$1`))
  }
  return statement.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const value = params[Number(number) - 1]
    if (value === round.stream(NOTED)) return round.streamOfClient
    if (value === batch) return `:fact${batch}`
    const texts = z.array(z.string()).safeParse(value).data
    if (texts) return `ARRAY[${texts.map(literal).join(', ')}]::text[]`
    if (typeof value !== 'string') throw new Error(`a statement of a push has a value that is not text: ${statement}`)
    return literal(value)
  })
}
