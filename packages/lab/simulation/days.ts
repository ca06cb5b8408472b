import type { Database } from 'better-sqlite3'
import { pino } from 'pino'
import type { ProblemError } from '../../../backend/core/problem.ts'
import { clockChanges, localDateTimeAt } from '../../../backend/core/zone.ts'
import { createModelCentral, type Collector, type Role } from './central.ts'
import { brokenDayEnd, frozenShifts, notInOneZ } from './day-end-invariants.ts'
import { createDayCashier } from './days-cashier.ts'
import { coverRows } from './days-coverage.ts'
import { drawStore } from './days-store.ts'
import type { Disk } from './disk.ts'
import { brokenEmpties, brokenRequests, brokenReturns } from './goods-invariants.ts'
import { loadBaseline } from './baseline.ts'
import { createWindowDriver, type TERMINAL_ENDED, type Command } from './window-driver.ts'
import { createNetwork } from './network.ts'
import { createSeededRng, type SeededRng } from './rng.ts'
import { startRun, type Run } from './terminal.ts'
import { createWorld } from './world.ts'

export interface DaysOutcome {
  readonly seed: number
  readonly days: number
  readonly violations: readonly string[]
  /** Trace of the events, one per line with its time in seconds; recorded only with `recordTrace`. */
  readonly trace: readonly string[]
  readonly coverage: ReadonlyMap<string, number>
}

export const DAYS_OF_A_SEED = 25

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NEVER = 1_000_000_000
const ROLES: Readonly<Record<Role, number>> = {
  fine: 12,
  private: 4,
  'no-prompt': 0,
  'not-allowed': 0,
  inactive: 0,
  unknown: 1,
  poor: 1,
  'near-limit': 1,
  later: 1,
  closed: 0,
  pending: 1,
  rejecting: 1,
  mixed: 1,
}
/** Thrown at a commit when the simulated power is cut, which ends this run of the program. */
class PowerCut extends Error {
  override name = 'PowerCut'
}

/**
 * Chooses the start date at random: the beginning of daylight saving time is within the days for even seeds, its end
 * for odd ones.
 */
function drawStart(rng: SeededRng, timeZone: string, days: number, seed: number): number {
  const from = Date.UTC(2026 + rng.below(3), 0, 10)
  const change = clockChanges(timeZone, from, from + 365 * DAY_MS)[1 + (seed % 2)]
  return (change?.from ?? from) - rng.below(days) * DAY_MS - rng.below(DAY_MS)
}

/** Plays the days of one seed and checks the invariants. The same seed gives the same days. */
export async function playDays(
  seed: number,
  { days = DAYS_OF_A_SEED, recordTrace = false }: { readonly days?: number; readonly recordTrace?: boolean } = {},
): Promise<DaysOutcome> {
  const { image, profile: training, lane, items: usual } = await loadBaseline()
  const rng = createSeededRng('days', seed)
  const { profile, items } = drawStore(rng.for('store'), training, usual)
  const startsAt = drawStart(rng.for('start'), profile.timeZone, days, seed)
  const world = createWorld(startsAt)
  const coverage = new Map<string, number>()
  const trace: string[] = []
  const violations: string[] = []
  const met = (name: string, times = 1): void => {
    if (times > 0) coverage.set(name, (coverage.get(name) ?? 0) + times)
  }
  const note = (line: string): void => {
    if (recordTrace) trace.push(`${(world.now / 1000).toFixed(3).padStart(12)} ${line}`)
  }
  const wall = world.clock(() => true)
  const dateOf = (at: number): string => localDateTimeAt(at, profile.timeZone).toPlainDate().toString()

  const rates = rng.for('weather')
  const [crash, clock, outage] = [
    rates.pick([30, 60, 120, 240]),
    rates.pick([10, 40, 100, NEVER]),
    rates.pick([30, 100, NEVER]),
  ]
  const cast = rng.for('collectors')
  const collectors = Array.from({ length: 8 }, (_, index): Collector => ({
    number: `8000000001${index}`,
    role: cast.weighed(ROLES),
  }))
  const central = createModelCentral({
    collectors,
    now: () => wall.now() - world.jumped,
    timeZone: profile.timeZone,
    rng: rng.for('central'),
  })
  const network = createNetwork({
    world,
    central,
    rng: rng.for('network'),
    faultOnceIn: rates.pick([5, 15, NEVER]),
    noTokenOnceIn: NEVER,
    repeated: null,
    met: () => undefined,
  })

  const disk: Disk = { image, mark: null }
  const crashes = rng.for('crash')
  let faultsStopped = false
  let run: Run | null = null
  let runs = 0
  let waiting: ((run: Run) => void)[] = []

  function endRun(why: string): void {
    if (!run) return
    note(why)
    run.end()
    run = null
    cashier.gone()
    world.plan(500 + crashes.below(crashes.onceIn(8) ? 8 * HOUR_MS : 150_000), start)
  }

  function killHere(step: string): boolean {
    if (faultsStopped || !crashes.onceIn(crash)) return false
    met(`kill ${step}`)
    return true
  }

  function start(): void {
    if (run) return
    runs += 1
    note('the terminal starts')
    const runNumber = runs
    let cutting = false
    const started = startRun({
      world,
      disk,
      rng: terminalRng,
      profile,
      lane,
      items,
      log: pino({ level: 'silent' }),
      grant: network.grant,
      onTransition: () => undefined,
      onEvent: () => undefined,
      signedIn: () => cashier.signedIn(),
      steps: {
        before() {
          if (!killHere('before a commit')) return
          cutting = true
          throw new PowerCut()
        },
        rolledBack() {
          if (cutting) endRun('the power is cut before the commit')
        },
        after() {
          if (!killHere('after a commit')) return
          endRun('the power is cut after the commit')
          throw new PowerCut()
        },
      },
      async exchange(from, call) {
        const gone = new Promise<never>(() => undefined)
        if (!from.alive) return gone
        if (killHere('before a send')) {
          endRun(`the power is cut before ${call.path} is sent`)
          return gone
        }
        const answer = await network.exchange(call, runNumber)
        if (!from.alive) return gone
        if (killHere('before a response')) {
          endRun(`the power is cut before the response to ${call.path} is processed`)
          return gone
        }
        return answer
      },
    })
    run = started
    try {
      void started.checkout.recover()
      started.checkout.start()
    } catch (error) {
      if (started.alive) violations.push(`the start failed: ${String(error)}`)
    }
    if (!started.alive) return
    const woken = waiting
    waiting = []
    for (const wake of woken) wake(started)
  }
  const terminalRng = rng.for('terminal')

  const hours = rng.for('hours')
  const cashierRng = rng.for('cashier')
  const drawer = rng.for('drawer')
  const setting = rng.for('clock')
  const outages = rng.for('sky')
  const driver = createWindowDriver({
    world,
    rng: cashierRng,
    note,
    running: () =>
      run
        ? Promise.resolve(run)
        : new Promise((resolve) => {
            waiting.push(resolve)
          }),
    restart: () => endRun('the terminal is restarted'),
    onResponse: () => undefined,
    pauseMs: () =>
      hours.onceIn(60)
        ? hours.below(5 * HOUR_MS)
        : hours.onceIn(8)
          ? hours.below(HOUR_MS / 2)
          : 100 + hours.below(30_000),
    between() {
      if (faultsStopped) return
      if (outages.onceIn(outage)) network.outage(outages.below(outages.onceIn(3) ? 12 * HOUR_MS : 300_000))
      if (!setting.onceIn(clock)) return
      const ms = setting.pick([-DAY_MS, -HOUR_MS, -90_000, 90_000, HOUR_MS, 2 * DAY_MS])
      met(ms < 0 ? 'clock set back' : 'clock set ahead')
      note(`the clock is set by ${ms / 1000} s`)
      world.jump(ms)
    },
  })

  const frozen = new Map<number, string>()

  /** Runs one command and checks that the sums of counted shifts are unchanged. */
  async function ask<Result>(
    what: string,
    plan: (run: Run) => Command<Result> | null,
  ): Promise<Result | null | typeof TERMINAL_ENDED | ProblemError> {
    const done = await driver.ask(what, plan)
    if (run && !run.watch.db.inTransaction) violations.push(...frozenShifts(run.watch.db, frozen))
    return done
  }
  const cashier = createDayCashier({
    world,
    act: driver.act,
    ask,
    cashier: cashierRng,
    drawer,
    hours,
    items,
    collectors,
    wallNow: wall.now,
    dateOf,
    met,
    violate: (words) => violations.push(words),
  })
  const checkInvariants = (shown: Run): void => {
    const { db } = shown.watch
    violations.push(...brokenDayEnd(db), ...brokenReturns(db), ...brokenEmpties(db, profile.deposits.empties))
  }

  async function playAllDays(): Promise<void> {
    for (let day = 1; day <= days && violations.length === 0; day += 1) {
      note(`day ${day}, ${new Date(wall.now()).toISOString()}`)
      for (let left = 2 + hours.below(7); left > 0; left -= 1) await cashier.goOn()
      // Some stores close late at night, and some forget to close.
      if (hours.onceIn(3)) await world.sleep(hours.below(14 * HOUR_MS))
      if (day === days || !hours.onceIn(15)) await cashier.endDay()
      await driver.act('judge', checkInvariants)
      met('day')
      const opens = day * DAY_MS - hours.below(12 * HOUR_MS)
      if (world.now < opens) await world.sleep(opens - world.now)
    }
    // At the end everything is closed, and there are no more faults.
    faultsStopped = true
    network.heal()
    for (let tries = 0; tries < 100 && violations.length === 0; tries += 1) {
      const seen = { over: false }
      await cashier.clear()
      await cashier.endDay()
      await driver.act('check whether all is closed', ({ watch: { db } }) => {
        seen.over = db.prepare(OPEN).get() === undefined
      })
      if (seen.over) break
    }
    await driver.act('judge', checkInvariants)
    await driver.act('check everything', ({ watch: { db } }) => {
      // A run that stopped at a violation still has open shifts, so these checks would fail too.
      if (violations.length === 0) violations.push(...notInOneZ(db), ...missing(db, cashier.acknowledged))
      violations.push(...brokenRequests(network.deliveries))
    })
  }

  start()
  let over = false
  const playing = playAllDays().then(
    () => {
      over = true
    },
    (error: unknown) => {
      over = true
      violations.push(`the run failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    },
  )
  await world.until(() => over, 100 * days * DAY_MS)
  if (!over) violations.push('the cashier waits forever')
  else await playing
  const last = run as Run | null
  if (last) {
    coverRows(last.watch.db, {
      met,
      dateOf,
      began: cashier.began,
      timeZone: profile.timeZone,
      from: startsAt,
      to: startsAt + world.now,
    })
    last.checkout.stop()
    last.end()
  }
  met('kill', runs - 1)
  return { seed, days: coverage.get('day') ?? 0, violations: [...new Set(violations)], trace, coverage }
}

const OPEN = `SELECT 1 WHERE EXISTS (SELECT 1 FROM sale WHERE state = 'open')
  OR EXISTS (SELECT 1 FROM shift WHERE z_number IS NULL)`

function missing(db: Database, acknowledged: ReadonlyMap<string, number>): string[] {
  const rows = db
    .prepare<
      [],
      { name: string; cents: number }
    >(`SELECT 'sale ' || id AS name, totals ->> '$.totalCents' AS cents FROM sale WHERE state = 'completed'
      UNION ALL SELECT 'return ' || id, total_cents FROM sale_return
      UNION ALL SELECT 'movement ' || id, abs(amount_cents) FROM cash_movement
      UNION ALL SELECT 'Z ' || number, report ->> '$.totals.sales.totalCents' FROM z_report`)
    .all()
  const there = new Map(rows.map(({ name, cents: amount }) => [name, amount]))
  return [...acknowledged].flatMap(([name, amount]) =>
    there.get(name) === amount
      ? []
      : [`${name} was acknowledged with ${amount}, but is stored with ${there.get(name) ?? 'nothing'}`],
  )
}
