import { runCommand } from '../../contracts/core/command-line.ts'
import { type Rng, count, createRng, clientOf, secondsSince } from './seeded-run.ts'
import { startCentral } from '../lab/rig/central.ts'
import type { Client } from './client.ts'
import { type Caller, createCaller } from './expect.ts'
import { type GoodCall, sendRaw, makeMalformed, findFlaw } from './malformed-requests.ts'

const USAGE = `Sends invalid requests to the reference services. Every answer must be a documented error without a
stack trace, and no service may crash.

  npm run lab -- conformance:fuzz [--requests 100000] [--seed 7] [--json]
`
/**
 * Each worker uses its own collector: a parallel transaction of the same collector is an error (specification 3 §4.2
 * rule 5).
 */
const ROLES = ['fine', 'second', 'suppressed', 'unable', 'poor', 'nearLimit', 'special', 'pending'] as const
const WORKERS = ROLES.length

const CALLS = [
  'echo',
  'inquire',
  'redeem',
  'calculate',
  'issue',
  'return',
  'record',
  'post',
  'postEvent',
  'reverse',
  'reverseEvent',
] as const

interface Run {
  readonly url: string
  readonly caller: Caller
  readonly client: Client
  readonly token: string
  readonly statuses: Map<string, number>
  readonly kinds: Map<string, number>
  readonly problems: string[]
  sent: number
  unanswered: number
  serviceEnd: number | string | undefined
}

const callsOf = (client: Client, collectorNumber: string): readonly GoodCall[] =>
  CALLS.map((call) => {
    const body = client.request(call)
    return { path: client.path(call), body: 'collectorNumber' in body ? { ...body, collectorNumber } : body }
  })

async function sendNoHttp({ url, kinds, statuses, problems }: Run, rng: Rng): Promise<void> {
  count(kinds, 'no HTTP')
  const received = await sendRaw(url, rng)
  count(statuses, received === '' ? 'closed' : received.slice(9, 12))
  if (/\n\s+at |node_modules/.test(received)) problems.push(`no HTTP: ${received.slice(0, 200)}`)
}

async function sendMalformed(run: Run, rng: Rng, calls: readonly GoodCall[]): Promise<void> {
  const { url, caller, token, kinds, statuses, problems } = run
  const malformed = makeMalformed(rng, calls, token)
  count(kinds, malformed.kind)
  try {
    const received = await caller.ask(url + malformed.path, malformed.asked)
    count(statuses, String(received.status))
    const wrong = findFlaw(malformed, received)
    if (wrong !== undefined)
      problems.push(
        `${malformed.kind}: ${malformed.asked.method} ${malformed.path}: ${wrong}; received ${received.status} ` +
          `${received.text.slice(0, 160)}; sent ${String(malformed.asked.body ?? '').slice(0, 160)}`,
      )
  } catch (error) {
    // The HTTP client refuses to send an invalid header, and the server closes the connection during a body that is too
    // large.
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (reason.startsWith('ERR_')) count(statuses, 'not sendable')
    else if (malformed.kind === 'huge' || malformed.kind.startsWith('deep')) count(statuses, 'cut off')
    else {
      run.unanswered += 1
      problems.push(`${malformed.kind}: ${malformed.asked.method} ${malformed.path}: ${reason}`)
    }
  }
}

async function work(run: Run, requests: number, seed: number, index: number): Promise<void> {
  const { client, problems } = run
  const calls = callsOf(client, client.collector(ROLES[index] ?? 'fine'))
  const rng = createRng(seed * 1_000 + index)
  while (run.sent < requests && run.serviceEnd === undefined && problems.length < 1_000) {
    run.sent += 1
    const nth = run.sent
    if (rng.below(200) === 0) await sendNoHttp(run, rng)
    else await sendMalformed(run, rng, calls)
    if (nth % 20_000 === 0) process.stderr.write(`${nth} requests, ${problems.length} problems\n`)
    if (nth % 5_000 === 0) await client.control('DELETE', '/requests')
  }
}

async function checkAfterwards({ client, serviceEnd, problems }: Run, log: string): Promise<void> {
  if (serviceEnd !== undefined) problems.push(`the services ended with ${serviceEnd}`)
  else {
    const alive = await client.cash('echo')
    if (alive.body.responseCode !== '0000') problems.push(`ECHO afterwards: ${alive.status} ${alive.text}`)
    const ledger = await client.control('GET', '/ledger/check')
    if (ledger.body.ok !== true) problems.push(`the ledger: ${ledger.text}`)
  }
  const logged = log.split('\n').filter((line) => line.includes('"level":50') || line.includes('"level":60'))
  if (logged.length > 0) problems.push(`${logged.length} errors in the log, the first: ${logged[0]?.slice(0, 300)}`)
}

function report(run: Run, seed: number, seconds: number, json: boolean): void {
  const { sent: requests, unanswered, problems, serviceEnd } = run
  const [statuses, kinds] = [Object.fromEntries(run.statuses), Object.fromEntries(run.kinds)]
  const first = problems.slice(0, 20)
  if (json) {
    const whole = { requests, seed, seconds, statuses, kinds, unanswered, problems: problems.length, first }
    process.stdout.write(`${JSON.stringify(whole)}\n`)
    return
  }
  for (const problem of first) process.stdout.write(`${problem}\n`)
  process.stdout.write(
    `statuses ${JSON.stringify(statuses)}\nways ${JSON.stringify(kinds)}\n${requests} bad ` +
      `requests with seed ${seed} in ${seconds} s: ${problems.length} not answered as documented; the ` +
      `services ${serviceEnd === undefined ? 'still answer and the ledger balances' : `ended with ${serviceEnd}`}\n`,
  )
}

async function start(requests: number, seed: number, json: boolean): Promise<number> {
  const central = await startCentral({ logLevel: 'error', more: ['--token-ttl', '3600'] })
  const caller = createCaller(WORKERS)
  try {
    const began = performance.now()
    const client = clientOf(central, caller)
    const token = await client.tokens.shared()
    const tallies = { statuses: new Map<string, number>(), kinds: new Map<string, number>() }
    const asked = { url: central.url, caller, client, token }
    const run: Run = { ...asked, ...tallies, problems: [], sent: 0, unanswered: 0, serviceEnd: undefined }
    void central.process.ended.then((code) => {
      run.serviceEnd = code
    })
    await Promise.all(Array.from({ length: WORKERS }, (_, index) => work(run, requests, seed, index)))
    await checkAfterwards(run, central.process.log())
    report(run, seed, secondsSince(began), json)
    return run.problems.length === 0 ? 0 : 1
  } finally {
    caller.close()
    await central.stop()
  }
}

await runCommand(
  process,
  USAGE,
  { numbers: { requests: [0, 999_999_999], seed: [0, 999_999_999] }, flags: 'json' },
  ({ values: { requests = 100_000, seed = 7, json } }) => start(requests, seed, json),
)
