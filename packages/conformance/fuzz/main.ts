import { runCommand } from '../../../contracts/core/command-line.ts'
import { readBench } from '../bench.ts'
import { startCentral } from '../../lab/rig/central.ts'
import { type Rng, createLane, createRng } from '../lane.ts'
import { createCaller } from '../expect.ts'
import { type GoodCall, sayRaw, spoil, wrongWith } from './spoiled.ts'

const USAGE = `Says bad requests to the reference services and looks at every answer: a documented error, no stack, no
crash.

  npm run lab -- conformance:fuzz [--requests 100000] [--seed 7] [--json]
`
/**
 * One lane at a time for each: a parallel transaction of the same collector is an error of its own (specification 3
 * §4.2 rule 5).
 */
const ROLES = ['fine', 'second', 'suppressed', 'unable', 'poor', 'nearLimit', 'special', 'pending'] as const
const LANES = ROLES.length

async function run(requests: number, seed: number, json: boolean): Promise<number> {
  const central = await startCentral({ logLevel: 'error', more: ['--token-ttl', '3600'] })
  let died: number | string | undefined
  void central.process.ended.then((code) => {
    died = code
  })
  const caller = createCaller(LANES)
  const began = performance.now()
  const statuses = new Map<string, number>()
  const kinds = new Map<string, number>()
  const problems: string[] = []
  let unanswered = 0
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
    const token = await lane.partnerToken()
    const callsOf = (collectorNumber: string): readonly GoodCall[] =>
      (
        [
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
      ).map((call) => {
        const body = lane.request(call)
        return { path: lane.path(call), body: 'collectorNumber' in body ? { ...body, collectorNumber } : body }
      })
    let said = 0
    const one = async (rng: Rng, calls: readonly GoodCall[]): Promise<void> => {
      if (rng.below(200) === 0) {
        count(kinds, 'no HTTP')
        const received = await sayRaw(central.url, rng)
        count(statuses, received === '' ? 'closed' : received.slice(9, 12))
        if (/\n\s+at |node_modules/.test(received)) problems.push(`no HTTP: ${received.slice(0, 200)}`)
        return
      }
      const spoiled = spoil(rng, calls, token)
      count(kinds, spoiled.kind)
      try {
        const received = await caller.ask(central.url + spoiled.path, spoiled.asked)
        count(statuses, String(received.status))
        const wrong = wrongWith(spoiled, received)
        if (wrong !== undefined)
          problems.push(
            `${spoiled.kind}: ${spoiled.asked.method} ${spoiled.path}: ${wrong}; heard ${received.status} ` +
              `${received.text.slice(0, 160)}; said ${String(spoiled.asked.body ?? '').slice(0, 160)}`,
          )
      } catch (error) {
        // A header that cannot be written at all never leaves; a body too large is cut off while it is sent.
        const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
        if (reason.startsWith('ERR_')) count(statuses, 'not sendable')
        else if (spoiled.kind === 'huge' || spoiled.kind.startsWith('deep')) count(statuses, 'cut off')
        else {
          unanswered += 1
          problems.push(`${spoiled.kind}: ${spoiled.asked.method} ${spoiled.path}: ${reason}`)
        }
      }
    }
    const work = async (index: number): Promise<void> => {
      const calls = callsOf(lane.collector(ROLES[index] ?? 'fine'))
      const rng = createRng(seed * 1_000 + index)
      while (said < requests && died === undefined && problems.length < 1_000) {
        said += 1
        const nth = said
        await one(rng, calls)
        if (nth % 20_000 === 0) process.stderr.write(`${nth} requests, ${problems.length} problems\n`)
        if (nth % 5_000 === 0) await lane.control('DELETE', '/requests')
      }
    }
    await Promise.all(Array.from({ length: LANES }, (_, index) => work(index)))
    if (died !== undefined) problems.push(`the services ended with ${died}`)
    else {
      const alive = await lane.cash('echo')
      if (alive.body.responseCode !== '0000') problems.push(`ECHO afterwards: ${alive.status} ${alive.text}`)
      const ledger = await lane.control('GET', '/ledger/check')
      if (ledger.body.ok !== true) problems.push(`the ledger: ${ledger.text}`)
    }
    const logged = central.process
      .log()
      .split('\n')
      .filter((line) => line.includes('"level":50') || line.includes('"level":60'))
    if (logged.length > 0) problems.push(`${logged.length} errors in the log, the first: ${logged[0]?.slice(0, 300)}`)
    const report = {
      requests: said,
      seed,
      seconds: Math.round((performance.now() - began) / 100) / 10,
      statuses: Object.fromEntries(statuses),
      kinds: Object.fromEntries(kinds),
      unanswered,
      problems: problems.length,
      first: problems.slice(0, 20),
    }
    if (json) process.stdout.write(`${JSON.stringify(report)}\n`)
    else {
      for (const problem of report.first) process.stdout.write(`${problem}\n`)
      process.stdout.write(
        `statuses ${JSON.stringify(report.statuses)}\nways ${JSON.stringify(report.kinds)}\n${said} bad ` +
          `requests with seed ${seed} in ${report.seconds} s: ${problems.length} not answered as documented; the ` +
          `services ${died === undefined ? 'still answer and the ledger balances' : `ended with ${died}`}\n`,
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
  { numbers: { requests: [0, 999_999_999], seed: [0, 999_999_999] }, flags: 'json' },
  ({ values: { requests = 100_000, seed = 7, json } }) => run(requests, seed, json),
)
