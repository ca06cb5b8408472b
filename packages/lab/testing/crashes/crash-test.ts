import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type CommandLine, runCommand } from '../../../../contracts/core/command-line.ts'
import { CASH_PATHS } from '../../../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../../../contracts/central/issuance.ts'
import { createSeededRng, type SeededRng } from '../../simulation/rng.ts'
import type { FaultRule } from '../../rig/central.ts'
import { whenIdle, customer, serve } from './cashier.ts'
import { createLossyLink, retryAcrossCrashes, type LinkTally } from './lossy-link.ts'
import { prepareLane, type CrashingLane } from './lane.ts'
import { compareLedgers, type Comparison } from './ledgers.ts'
import { openShop, type Collector, type Shop } from './crash-store.ts'

const USAGE = `npm run lab -- crash [options]

Sells at terminals connected to central services while faults strike and responses to windows are lost, kills
the processes at random moments (SIGKILL, from outside), and compares the two ledgers at the end.

  --count N   number of kills (default 500); one in six is of the central services
  --seed S    draws the moments, the faults and the customers (default: a new one, printed)
  --lanes N   number of terminals at once (default 2)
  --help      this text

Exits with 1 if the ledgers disagree. A seed repeats its draws, but not the timing of the processes.`

const COLLECTORS_A_LANE = 60
/** Longest time between two kills of a lane: enough for a start, its recovery, and one or two sales. */
const LANE_LIFETIME_MS = 2_500
const START_KILLED_ONCE_IN = 4
const START_LIFETIME_MS = 1_500
const CENTRAL_LIFETIME_MS = 8_000
const RULES = 10
const PROGRESS_EVERY = 50
/** Time limit for all operations to become final after the last kill and fault. */
const FINAL_TIMEOUT_MS = 240_000

const PATHS = [
  CASH_PATHS.redeem,
  CASH_PATHS.redeem,
  CASH_PATHS.reverse,
  ISSUANCE_PATHS.issue,
  ISSUANCE_PATHS.issue,
  CASH_PATHS.inquire,
] as const
const FAULTS: readonly FaultRule['action'][] = [
  { kind: 'drop-before' },
  { kind: 'drop-after' },
  { kind: 'drop-after' },
  { kind: 'hang-before' },
  { kind: 'hang-after' },
  { kind: 'cancel-after' },
  { kind: 'truncate' },
  { kind: 'garble' },
  { kind: 'wrong-echo' },
  { kind: 'outage' },
  { kind: 'duplicate' },
  { kind: 'expire-token' },
  { kind: 'delay', ms: 400 },
  { kind: 'answer', status: 500, body: { message: 'internal error' } },
  { kind: 'answer', status: 503, body: { message: 'unavailable' } },
]

const drawRules = (rng: SeededRng): FaultRule[] =>
  Array.from({ length: RULES }, (_, index) => ({
    id: `rule-${index}`,
    path: rng.pick(PATHS),
    occurrence: 1 + rng.below(12),
    times: 1 + rng.below(3),
    action: rng.pick(FAULTS),
  }))

interface Tally extends LinkTally {
  backend: number
  central: number
  sales: number
}

async function runKills(
  shop: Shop,
  lanes: readonly CrashingLane[],
  count: number,
  rng: SeededRng,
  tally: Tally,
): Promise<void> {
  const crashes = (): number => tally.backend + tally.central
  const more = (): boolean => crashes() < count
  let broken: Error | undefined
  let reported = 0
  const isRunning = (): boolean => more() && broken === undefined
  const fail = (error: unknown): void => {
    broken ??= error instanceof Error ? error : new Error(String(error))
  }

  async function cashier(lane: CrashingLane, collectors: readonly Collector[], own: SeededRng): Promise<void> {
    const link = createLossyLink(own, tally)
    while (isRunning()) {
      const next = customer(
        own.pick(collectors),
        own.weighed({ partial: 5, whole: 3, cancel: 4, cash: 2, 'miles back': 2, 'miles again': 2 }),
      )
      await retryAcrossCrashes(lane, link, async (window) => {
        await serve(window, next)
      })
      tally.sales += 1
    }
  }

  async function crashesOf(lane: CrashingLane, own: SeededRng): Promise<void> {
    while (isRunning()) {
      await delay(own.below(LANE_LIFETIME_MS))
      await lane.kill()
      tally.backend += 1
      if (crashes() >= reported + PROGRESS_EVERY) {
        reported = crashes()
        console.log(`${reported} kills, ${tally.sales} sales`)
      }
      if (own.onceIn(START_KILLED_ONCE_IN) && isRunning()) {
        // `kill` verifies that the process ended by the signal; errors of the interrupted start do not matter.
        const starting = lane.start().catch(() => undefined)
        await delay(own.below(START_LIFETIME_MS))
        await lane.kill()
        await starting
        tally.backend += 1
      }
      await lane.start()
    }
  }

  async function crashesOfCentral(own: SeededRng): Promise<void> {
    while (isRunning()) {
      await shop.central.faults(...drawRules(own))
      await delay(own.below(CENTRAL_LIFETIME_MS))
      if (!isRunning()) return
      await shop.central.kill()
      tally.central += 1
      await shop.central.start()
    }
  }

  const share = <Entry>(all: readonly Entry[], index: number): Entry[] =>
    all.filter((_, at) => at % lanes.length === index)
  const collectors = Array.from({ length: COLLECTORS_A_LANE * lanes.length }, () => shop.newCollector())
  const crashing = [
    crashesOfCentral(rng.for('central')),
    ...lanes.map((lane, index) => crashesOf(lane, rng.for(`kills of lane ${index}`))),
  ]
  const selling = lanes.map((lane, index) => cashier(lane, share(collectors, index), rng.for(`cashier ${index}`)))
  await Promise.all(crashing.map((loop) => loop.catch(fail)))
  // The last customers are served without faults of the services.
  await shop.central.clearFaults()
  await Promise.race([
    Promise.all(selling.map((loop) => loop.catch(fail))),
    delay(FINAL_TIMEOUT_MS, undefined, { ref: false }).then(async () => {
      fail(new Error(`a cashier waits forever: ${JSON.stringify(await Promise.all(lanes.map(statusOf)))}`))
    }),
  ])
  if (broken !== undefined) throw broken
  await compare(shop, lanes, collectors)
}

async function statusOf({ window }: CrashingLane): Promise<object> {
  const answer = async (path: string): Promise<unknown> =>
    window.call('GET', path).then(
      ({ body }) => body,
      (error: unknown) => String(error),
    )
  return {
    sale: await answer('/api/sales/current'),
    queue: await answer('/api/queue/summary'),
    events: window.events().slice(-5),
  }
}

let result: Comparison | undefined

async function compare(shop: Shop, lanes: readonly CrashingLane[], collectors: readonly Collector[]): Promise<void> {
  // The lane is restarted, because a started lane sends queued calls without waiting for a retry interval.
  await Promise.all(
    lanes.map(async (lane) => {
      await lane.kill()
      await lane.start()
    }),
  )
  const idle = Promise.all(lanes.map((lane) => whenIdle(lane.window, null))).then(() => true)
  const inTime = await Promise.race([idle, delay(FINAL_TIMEOUT_MS, false, { ref: false })])
  result = await compareLedgers(
    shop.central,
    collectors.map(({ number }) => number),
    lanes.map(({ data }) => ({ data, since: 0 })),
  )
  if (!inTime)
    result = {
      ...result,
      wrong: [...result.wrong, `not everything was final ${FINAL_TIMEOUT_MS / 1000} s after the faults had stopped`],
    }
}

const COUNT = [0, 999_999_999] as const
const DECLARED = { numbers: { count: COUNT, seed: COUNT, lanes: COUNT } } as const

async function run({ values }: CommandLine<never, never, never, keyof typeof DECLARED.numbers>): Promise<number> {
  const { count = 500, seed = randomInt(1, 1_000_000_000), lanes: asked = 2 } = values
  const wanted = Math.max(1, asked)
  console.log(`seed ${seed}`)
  const beganAt = performance.now()
  const tally: Tally = { backend: 0, central: 0, sales: 0, lost: 0, doubled: 0, afterRestart: 0 }
  const shop = await openShop({
    collectors: COLLECTORS_A_LANE * wanted,
    limits: { cashTimeoutMs: 800, issuanceTimeoutMs: 1_000, echoIntervalMs: 1_000 },
  })
  const lanes = Array.from({ length: wanted }, (_, index) => prepareLane(shop, `lane-${index + 1}`))
  try {
    for (const lane of lanes) await lane.start()
    await runKills(shop, lanes, count, createSeededRng(seed), tally)
  } finally {
    await Promise.all(lanes.map((lane) => lane.stop()))
    await shop.close()
  }
  const { wrong = ['no ledger was compared'], ends = [], onTheList = [] } = result ?? {}
  for (const [end, { length }] of Map.groupBy(ends, (each) => each))
    console.log(`  ${String(length).padStart(6)}  ${end}`)
  for (const what of wrong) console.log(`wrong: ${what}`)
  const seconds = Math.round((performance.now() - beganAt) / 1000)
  console.log(
    `${tally.backend + tally.central} kills (${tally.backend} of the backend, ${tally.central} of the central ` +
      `services) over ${tally.sales} sales (${tally.lost} responses lost, ${tally.doubled} commands sent twice, ` +
      `${tally.afterRestart} commands repeated after a restart) and ${ends.length} operations in ${seconds} ` +
      `s, seed ${seed}: ${onTheList.length} on the manager’s list, ${wrong.length} errors`,
  )
  return wrong.length === 0 ? 0 : 1
}

await runCommand(process, `${USAGE}\n`, DECLARED, run)
