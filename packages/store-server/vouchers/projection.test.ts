import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { MAX_FACTS, type Fact } from '../../../contracts/store/protocol.ts'
import { migrate } from '../db/migrate.ts'
import { openPostgres, type Postgres, type Querying } from '../db/postgres.ts'
import { ENROLMENT_TABLES } from '../enrolment/enrolment.sql.ts'
import { giftCardSaleBody } from '../testing/fact-bodies.ts'
import { LANES_TABLES } from '../lanes/lanes.ts'
import { project } from '../lanes/projection.ts'
import { createLog } from '../log.ts'
import { usePostgres } from '../testing/postgres.ts'
import { VOUCHERS_TABLES } from './vouchers.ts'
import { VOUCHERS } from './projection.ts'

const postgres = usePostgres({ fsync: false })

const hashOf = (code: number): string => createHash('sha256').update(`${code}`).digest('hex')
const uuidOf = (transfer: number): string => `00000000-0000-4000-8000-${String(transfer).padStart(12, '0')}`
const about = (transfer: number) => ({ code: transfer % 3, cents: 1 + (transfer % 5) })
const stateOf = (transfer: number): string | null =>
  transfer < 20 ? 'granted' : transfer < 30 ? 'released' : transfer === 30 ? 'refused' : null

const PRICE_CENTS = 5

const Entry = fc.record({
  kind: fc.constantFrom('issued', 'redeemed', 'given-back'),
  code: fc.nat(2),
  cents: fc.constantFrom(1, 3, PRICE_CENTS),
  /**
   * A generated row may repeat an earlier row, or have the subject of an earlier row with other content and another
   * time.
   */
  subject: fc.nat(12),
})
const Transfer = fc.record({ kind: fc.constantFrom('drawn', 'handed-over'), transfer: fc.nat(400) })
const Drawn = fc.record({ kind: fc.constant('drawn'), transfer: fc.nat(31) })
const Movement = fc.oneof({ weight: 4, arbitrary: Entry }, Transfer, Drawn)
const Facts = fc.oneof(
  fc.array(Movement, { minLength: 1, maxLength: 3 }),
  fc.array(Movement, { minLength: 1, maxLength: 24 }),
)
type Movement = typeof Facts extends fc.Arbitrary<readonly (infer One)[]> ? One : never

function factOf(movement: Movement, index: number): Fact {
  const seq = index + 1
  const voucher = (code: number) => ({
    voucherId: `V${code}`,
    voucherKind: 'gift-card',
    last4: `${code}`.padStart(4, 'C'),
    codeHash: hashOf(code),
  })
  if ('transfer' in movement) {
    const { code, cents } = about(movement.transfer)
    const id = uuidOf(movement.transfer)
    const body = { ...voucher(code), id, direction: movement.kind, amountCents: cents, at: seq }
    return { seq, kind: 'voucher-transfer', subject: id, at: seq, body, sealed: 'c2VhbGVk' }
  }
  const { kind, code, subject } = movement
  const cents = kind === 'issued' && movement.cents > 1 ? PRICE_CENTS : movement.cents
  const at = 1 + cents + 10 * code + (kind === 'issued' ? 100 : kind === 'redeemed' ? 200 : 300)
  const ids = { returnId: null, operationId: null, saleId: 'S' }
  const body = { ...voucher(code), ...ids, id: subject, kind, amountCents: cents, at: seq }
  return { seq, kind: 'voucher-entry', subject: `${subject}`, at, body, sealed: 'c2VhbGVk' }
}

async function start(skip: TestContext['skip']) {
  const database = openPostgres({ url: await postgres.database(skip), log: createLog('silent') })
  onTestFinished(() => database.close())
  await migrate(database, [ENROLMENT_TABLES, LANES_TABLES, VOUCHERS_TABLES])
  return database
}

const streamOf = (store: string): string => createHash('md5').update(store).digest('hex')

async function begin(on: Querying, store: string, cards = 4): Promise<void> {
  await on.query("INSERT INTO lane (store, lane) VALUES ($1, '01')", [store])
  await on.query("INSERT INTO stream (name, store, lane, epoch) VALUES ($2, $1, '01', 1)", [store, streamOf(store)])
  const sale = giftCardSaleBody('S', PRICE_CENTS)
  const times = (list: string) => Array.from({ length: cards }, () => sale[list]).flat()
  const body = { ...sale, lines: times('lines'), tenders: times('tenders') }
  await on.query("INSERT INTO fact (stream, seq, kind, subject, at, body) VALUES ($1, 999, 'sale', 'S', 1, $2)", [
    streamOf(store),
    JSON.stringify(body),
  ])
  for (let code = 0; code < 3; code += 1) {
    await on.query(
      `INSERT INTO voucher_account (store, hash, kind, last4, issued_by, issued_at, sealed, about, held_cents)
        VALUES ($1, $2, 'gift-card', 'CCCC', '01', 1, '', '', 30)`,
      [store, hashOf(code)],
    )
    await on.query("INSERT INTO voucher_at_lane (store, hash, lane, cents, paid_cents) VALUES ($1, $2, '01', 30, 10)", [
      store,
      hashOf(code),
    ])
  }
  for (let transfer = 0; transfer < 40; transfer += 1) {
    const { code, cents } = about(transfer)
    const state = stateOf(transfer)
    if (state !== null)
      await on.query(
        `INSERT INTO voucher_ledger (store, id, hash, lane, direction, state, amount_cents)
          VALUES ($1, $2, $3, '01', 'out', $4, $5)`,
        [store, uuidOf(transfer), hashOf(code), state, cents],
      )
  }
  await on.query("INSERT INTO voucher_activation (store, hash, lane) VALUES ($1, $2, '01')", [store, hashOf(1)])
}

async function books(database: Postgres, store: string): Promise<unknown> {
  const all = async (columns: string, table: string) =>
    (await database.query(`SELECT ${columns} FROM ${table} WHERE store = $1 ORDER BY ${columns}`, [store])).rows
  return {
    accounts: await all(
      'hash, kind, last4, issued_by, held_cents, issued_cents, redeemed_cents, given_back_cents, issues',
      'voucher_account',
    ),
    lanes: await all('hash, lane, cents, paid_cents', 'voucher_at_lane'),
    ledger: await all('id, hash, lane, direction, state, amount_cents', 'voucher_ledger'),
    issues: await all('hash, lane, amount_cents, at, subject, source', 'voucher_issue'),
    counted: await all('lane, kind, subject, at', 'voucher_counted'),
    selling: await all('hash, lane', 'voucher_activation'),
  }
}

test('pushing facts together has the result of pushing them one by one, and quarantines the same facts', async ({
  skip,
}) => {
  const database = await start(skip)
  let runs = 0
  const outcomes = { whole: 0, poisoned: 0 }
  const push = async (store: string, pushes: readonly (readonly Fact[])[]): Promise<number[]> =>
    database.transaction(async (tx) => {
      await begin(tx, store)
      const quarantined: number[] = []
      for (const facts of pushes) {
        for (const { seq, kind, subject, at, body, sealed } of facts)
          await tx.query(
            'INSERT INTO fact (stream, seq, kind, subject, at, body, sealed) VALUES ($1, $2, $3, $4, $5, $6, $7)',
            [streamOf(store), seq, kind, subject, at, JSON.stringify(body), sealed],
          )
        await project(tx, [VOUCHERS], facts, { store, lane: '01', stream: streamOf(store) })
      }
      const { rows } = await tx.query<{ seq: number }>('SELECT seq FROM fact_aside WHERE stream = $1 ORDER BY seq', [
        streamOf(store),
      ])
      quarantined.push(...rows.map(({ seq }) => seq))
      return quarantined
    })
  await fc.assert(
    fc.asyncProperty(Facts, async (movement) => {
      runs += 1
      const facts = movement.map(factOf)
      const apart = await push(
        `APART-${runs}`,
        facts.map((fact) => [fact]),
      )
      expect(await push(`AT-ONCE-${runs}`, [facts])).toEqual(apart)
      expect(await books(database, `AT-ONCE-${runs}`)).toEqual(await books(database, `APART-${runs}`))
      outcomes[apart.length === 0 ? 'whole' : 'poisoned'] += 1
    }),
    { numRuns: 16, seed: 20_261_126 },
  )
  expect(Math.min(...Object.values(outcomes)), 'there are runs of either kind').toBeGreaterThan(2)
}, 60_000)

test('applying the largest push of voucher facts takes at most twelve statements', async ({ skip }) => {
  const database = await start(skip)
  const facts = Array.from({ length: MAX_FACTS }, (_, index) => {
    const handedOver = { kind: 'handed-over', transfer: 1_000 + (index % 7) * 400 + index } as const
    const drawn = { kind: 'drawn', transfer: 5_000 + index } as const
    const issued = { kind: 'issued', code: index % 3, cents: PRICE_CENTS, subject: index } as const
    const redeemed = { kind: 'redeemed', code: index % 3, cents: 1, subject: index } as const
    return factOf([issued, redeemed, handedOver, drawn][index % 4] ?? issued, index)
  })
  await database.transaction((tx) => begin(tx, 'STORE', MAX_FACTS))
  await database.query('UPDATE voucher_account SET held_cents = 100000')
  await database.query('UPDATE voucher_at_lane SET cents = 100000')
  let statements = 0
  await database.transaction(async (tx) => {
    const counting: Querying = {
      query(text, params) {
        statements += 1
        return tx.query(text, params)
      },
    }
    await VOUCHERS.apply(counting, facts, { store: 'STORE', lane: '01', stream: streamOf('STORE') })
  })
  expect(statements).toBeLessThanOrEqual(12)
  expect((await database.query('SELECT 1 FROM voucher_counted')).count).toBe(MAX_FACTS)
})
