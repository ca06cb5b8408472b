import { setTimeout as rest } from 'node:timers/promises'
import { runCommand } from '../../contracts/core/command-line.ts'
import type { Role } from './bench.ts'
import { type Rng, count, createRng, clientOf, secondsSince } from './seeded-run.ts'
import { startCentral } from '../lab/rig/central.ts'
import type { Client } from './client.ts'
import { type Caller, createCaller, type Received } from './expect.ts'
import { KINDS, operate, pathOf, type Account, type Kind, type Persist } from './account.ts'

const USAGE = `Performs random operations with faults against the reference services, then checks that the ledger
balances and that every account matches the balance computed from the caller's answers.

  npm run lab -- conformance:random [--operations 100000] [--seed 7] [--faults 5] [--json]

  --faults PERCENT   share of operations with a fault
`
const ROLES = ['fine', 'second', 'suppressed', 'special', 'nearLimit', 'poor', 'unable', 'unavailable'] as const
const FAULTS: readonly Fault[] = [
  { kind: 'drop-before' },
  { kind: 'drop-after' },
  { kind: 'truncate' },
  { kind: 'garble' },
  { kind: 'wrong-echo' },
  { kind: 'cancel-after' },
  { kind: 'no-token' },
  { kind: 'expire-token' },
  { kind: 'hang-before' },
  { kind: 'hang-after' },
  { kind: 'delay', ms: 5 },
  { kind: 'duplicate' },
  { kind: 'outage' },
  { kind: 'outage', windowMs: 30 },
  // The second of these slow answers takes seconds, but no pause between its bytes is longer than the timeout, so the
  // whole answer is read.
  { kind: 'slow-drip', bytes: 64, ms: 1 },
  { kind: 'slow-drip', bytes: 1, ms: 5 },
  { kind: 'answer', status: 500, body: 'not even JSON' },
  { kind: 'answer', status: 503, body: { responseCode: '0092', message: 'Scheduled outage' } },
]
interface Fault {
  readonly kind: string
  readonly windowMs?: number
  readonly [field: string]: unknown
}
const TIMEOUT_MS = 400
/** Milliseconds before the next attempt after a status of 500 or above, multiplied by the number of attempts so far. */
const REST_MS = 3
/**
 * Maximum attempts per request. A fault applies once or for milliseconds, so more attempts would mean an error of the
 * services.
 */
const ATTEMPTS = 20

interface Run {
  readonly operations: number
  readonly seed: number
  readonly percent: number
  readonly url: string
  readonly caller: Caller
  readonly client: Client
  readonly outcomes: Map<string, number>
  readonly struck: Map<string, number>
  readonly problems: string[]
  done: number
  attempts: number
}

async function holdings({ client }: Run, collectorNumber: string): Promise<number> {
  const { body } = await client.control('GET', `/ledger?collectorNumber=${collectorNumber}`)
  const { cash, dream } = body.balances as { cash: number; dream: number }
  return cash + dream
}

/** Makes calls with its own token, and requests a new token when this one is refused, as a lane does. */
async function persistentCaller(run: Run): Promise<Persist> {
  const { client, caller, url } = run
  let token = await client.tokens.own()
  return async (path, bytes, key, [name, value]) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      run.attempts += 1
      const received: Received | undefined = await caller
        .ask(url + path, {
          method: 'POST',
          body: bytes,
          timeoutMs: TIMEOUT_MS,
          headers: {
            'content-type': 'application/json',
            authorization: `Bearer ${token}`,
            'idempotency-key': key,
          },
        })
        .catch(() => undefined)
      // The answer to a malformed request repeats no id. An answer with another id, or one that asks for a retry, is
      // inconclusive.
      const echoed = received?.body[name]
      const refused =
        received?.status === 401 && received.json !== undefined && received.body.responseCode === undefined
      if (refused) token = await client.tokens.own()
      const hasFailed = received !== undefined && received.status >= 500
      if (hasFailed) await rest(REST_MS * (attempt + 1))
      const later = refused || hasFailed || received === undefined || received.json === undefined
      if (received !== undefined && !later && (echoed === value || (echoed === undefined && received.status === 400)))
        return received
    }
    throw new Error(`${path} had no conclusive answer within ${ATTEMPTS} attempts: ${bytes}`)
  }
}

async function injectFault(
  { client, struck }: Run,
  rng: Rng,
  index: number,
  account: Account,
  kind: Kind,
): Promise<void> {
  const { windowMs, ...action } = rng.pick(FAULTS)
  count(struck, windowMs === undefined ? action.kind : `${action.kind} window`)
  const when =
    windowMs === undefined
      ? { path: pathOf(client, kind), occurrence: 1 }
      : { path: '/checkout/*', window: { to: new Date(Date.now() + windowMs).toISOString() } }
  const { collectorNumber } = account
  await client.control('POST', '/faults', { rules: [{ id: `worker-${index}`, collectorNumber, ...when, action }] })
}

async function work(run: Run, role: Role, index: number): Promise<Account> {
  const { client, seed, outcomes, problems } = run
  const rng: Rng = createRng(seed * 1_000 + index)
  const collectorNumber = client.collector(role)
  const persist = await persistentCaller(run)
  const expected = await holdings(run, collectorNumber)
  const account: Account = { collectorNumber, expected, redemptions: [], issues: [] }
  for (let number = index; number < run.operations; number += ROLES.length) {
    const kind = rng.pick(KINDS)
    if (rng.below(100) < run.percent) await injectFault(run, rng, index, account, kind)
    try {
      count(outcomes, await operate(kind, { client, rng, account, id: `R${seed}-${number}`, persist }))
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
    }
    run.done += 1
    if (run.done % 20_000 === 0) process.stderr.write(`${run.done} operations\n`)
    if (run.done % 2_000 === 0) await client.control('DELETE', '/requests')
  }
  return account
}

async function compare(run: Run, accounts: readonly Account[]): Promise<void> {
  for (const { collectorNumber, expected } of accounts) {
    const balance = await holdings(run, collectorNumber)
    if (balance !== expected)
      run.problems.push(
        `the account that ends in ${collectorNumber.slice(-4)} has ${balance}, the caller computed ${expected}`,
      )
  }
}

async function play(run: Run, json: boolean): Promise<number> {
  const began = performance.now()
  const { client, problems, seed } = run
  await compare(run, await Promise.all(ROLES.map((role, index) => work(run, role, index))))
  const operated = performance.now()
  const check = await client.control('GET', '/ledger/check')
  if (check.body.ok !== true) problems.push(`the ledger does not balance: ${check.text.slice(0, 500)}`)
  const report = {
    operations: run.done,
    seed,
    seconds: secondsSince(began),
    attempts: run.attempts,
    faults: Object.fromEntries(run.struck),
    outcomes: Object.fromEntries([...run.outcomes].toSorted(([a], [b]) => a.localeCompare(b))),
    ledger: check.json,
    ledgerSeconds: secondsSince(operated),
    problems: problems.length,
    first: problems.slice(0, 20),
  }
  if (json) process.stdout.write(`${JSON.stringify(report)}\n`)
  else {
    for (const problem of report.first) process.stdout.write(`${problem}\n`)
    process.stdout.write(
      `outcomes ${JSON.stringify(report.outcomes)}\nfaults ${JSON.stringify(report.faults)}\nledger ` +
        `${check.text.slice(0, 200)}, checked in ${report.ledgerSeconds} s\n${run.done} operations in ` +
        `${run.attempts} requests with seed ${seed} in ${report.seconds} s: ${problems.length} problems\n`,
    )
  }
  return problems.length === 0 ? 0 : 1
}

async function start(operations: number, seed: number, percent: number, json: boolean): Promise<number> {
  process.stderr.write(`seed ${seed}\n`)
  const central = await startCentral({ logLevel: 'error', more: ['--token-ttl', '3600'] })
  const caller = createCaller(ROLES.length * 2)
  try {
    const client = clientOf(central, caller)
    const tallies = { outcomes: new Map<string, number>(), struck: new Map<string, number>() }
    const asked = { operations, seed, percent, url: central.url, caller, client }
    return await play({ ...asked, ...tallies, problems: [], done: 0, attempts: 0 }, json)
  } finally {
    caller.close()
    await central.stop()
  }
}

await runCommand(
  process,
  USAGE,
  {
    numbers: { operations: [0, 999_999_999], seed: [0, 999_999_999], faults: [0, 999_999_999] },
    flags: 'json',
  },
  ({ values: { operations = 100_000, seed = 7, faults: percent = 5, json } }) => start(operations, seed, percent, json),
)
