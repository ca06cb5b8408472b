import { setTimeout as rest } from 'node:timers/promises'
import { runCommand } from '../../../contracts/core/command-line.ts'
import { readBench } from '../bench.ts'
import { startCentral } from '../../lab/rig/central.ts'
import { type Rng, createLane, createRng } from '../lane.ts'
import { createCaller, type Received } from '../expect.ts'
import { KINDS, operate, pathOf, type Account, type Persist } from './account.ts'

const USAGE = `Random operations with faults against the reference services, then the proof: the ledger balances, and
every account holds what a caller reckons from the answers that it heard.

  npm run lab -- conformance:random [--operations 100000] [--seed 7] [--faults 5] [--json]

  --faults PERCENT   of the operations meet one
`
/** One lane each: its operations follow one another, as at a lane. */
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
  // The first arrives in time; of the second the caller hears a part and hangs up.
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
/** Patience with an answer that hangs. */
const PATIENCE_MS = 400
/** A rest before the next attempt where the services say that they are away, longer each time: an outage has an end. */
const REST_MS = 3
/**
 * The same request is asked this often at most: a fault strikes once or for milliseconds, so that more is a fault of
 * the services.
 */
const ATTEMPTS = 20

interface Wish {
  readonly operations: number
  readonly seed: number
  readonly percent: number
  readonly json: boolean
}

async function run({ operations, seed, percent, json }: Wish): Promise<number> {
  process.stderr.write(`seed ${seed}\n`)
  const central = await startCentral({ logLevel: 'error', more: ['--token-ttl', '3600'] })
  const caller = createCaller(ROLES.length * 2)
  const began = performance.now()
  const said = new Map<string, number>()
  const struck = new Map<string, number>()
  const problems: string[] = []
  let [done, attempts] = [0, 0]
  const count = (tally: Map<string, number>, name: string): void => {
    tally.set(name, (tally.get(name) ?? 0) + 1)
  }
  try {
    const lane = createLane(
      central.url,
      {
        ...readBench(undefined),
        tokenUrl: central.tokenUrl,
        controlUrl: central.controlUrl,
        clientId: central.clientId,
        clientSecret: central.clientSecret,
      },
      caller,
    )
    const holdings = async (collectorNumber: string): Promise<number> => {
      const { body } = await lane.control('GET', `/ledger?collectorNumber=${collectorNumber}`)
      const { cash, dream } = body.balances as { cash: number; dream: number }
      return cash + dream
    }
    const persistAs =
      (held: { token: string }): Persist =>
      async (path, bytes, key, [name, value]) => {
        for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
          attempts += 1
          const received: Received | undefined = await caller
            .ask(central.url + path, {
              method: 'POST',
              body: bytes,
              timeoutMs: PATIENCE_MS,
              headers: {
                'content-type': 'application/json',
                authorization: `Bearer ${held.token}`,
                'idempotency-key': key,
              },
            })
            .catch(() => undefined)
          // A refusal of shape echoes nothing; what echoes another's id, or says "later", decides nothing.
          const echoed = received?.body[name]
          const refused =
            received?.status === 401 && received.json !== undefined && received.body.responseCode === undefined
          if (refused) held.token = await lane.ownPartnerToken()
          const away = received !== undefined && received.status >= 500
          if (away) await rest(REST_MS * (attempt + 1))
          const later = refused || away || received === undefined || received.json === undefined
          if (
            received !== undefined &&
            !later &&
            (echoed === value || (echoed === undefined && received.status === 400))
          )
            return received
        }
        throw new Error(`${path} did not decide within ${ATTEMPTS} attempts: ${bytes}`)
      }
    const work = async (role: (typeof ROLES)[number], index: number): Promise<Account> => {
      const rng: Rng = createRng(seed * 1_000 + index)
      const collectorNumber = lane.collector(role)
      // A token of its own, asked for again when it is refused, as at a lane.
      const persist = persistAs({ token: await lane.ownPartnerToken() })
      const account: Account = {
        collectorNumber,
        expected: await holdings(collectorNumber),
        redemptions: [],
        issues: [],
      }
      for (let number = index; number < operations; number += ROLES.length) {
        const kind = rng.pick(KINDS)
        if (rng.below(100) < percent) {
          const { windowMs, ...action } = rng.pick(FAULTS)
          count(struck, windowMs === undefined ? action.kind : `${action.kind} window`)
          // By the services' clock, which is this machine's.
          const when =
            windowMs === undefined
              ? { path: pathOf(lane, kind), occurrence: 1 }
              : { path: '/checkout/*', window: { to: new Date(Date.now() + windowMs).toISOString() } }
          await lane.control('POST', '/faults', { rules: [{ id: `lane-${index}`, collectorNumber, ...when, action }] })
        }
        try {
          count(said, await operate(lane, rng, account, kind, `R${seed}-${number}`, persist))
        } catch (error) {
          problems.push(error instanceof Error ? error.message : String(error))
        }
        done += 1
        if (done % 20_000 === 0) process.stderr.write(`${done} operations\n`)
        if (done % 2_000 === 0) await lane.control('DELETE', '/requests')
      }
      return account
    }
    const accounts = await Promise.all(ROLES.map(work))
    for (const { collectorNumber, expected } of accounts) {
      const held = await holdings(collectorNumber)
      if (held !== expected)
        problems.push(
          `the account that ends in ${collectorNumber.slice(-4)} holds ${held}, the caller reckons ${expected}`,
        )
    }
    const operated = performance.now()
    const check = await lane.control('GET', '/ledger/check')
    if (check.body.ok !== true) problems.push(`the ledger does not balance: ${check.text.slice(0, 500)}`)
    const report = {
      operations: done,
      seed,
      seconds: Math.round((performance.now() - began) / 100) / 10,
      attempts,
      faults: Object.fromEntries(struck),
      said: Object.fromEntries([...said].toSorted(([a], [b]) => a.localeCompare(b))),
      ledger: check.json,
      ledgerSeconds: Math.round((performance.now() - operated) / 100) / 10,
      problems: problems.length,
      first: problems.slice(0, 20),
    }
    if (json) process.stdout.write(`${JSON.stringify(report)}\n`)
    else {
      for (const problem of report.first) process.stdout.write(`${problem}\n`)
      process.stdout.write(
        `said ${JSON.stringify(report.said)}\nfaults ${JSON.stringify(report.faults)}\nledger ` +
          `${check.text.slice(0, 200)}, proven in ${report.ledgerSeconds} s\n${done} operations in ${attempts} ` +
          `requests with seed ${seed} in ${report.seconds} s: ${problems.length} problems\n`,
      )
    }
    return problems.length === 0 ? 0 : 1
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
  ({ values: { operations = 100_000, seed = 7, faults: percent = 5, json } }) =>
    run({ operations, seed, percent, json }),
)
