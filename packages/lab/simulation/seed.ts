import { collectorOf } from '../../../backend/sales/collector.ts'
import type Database from 'better-sqlite3'
import { pino } from 'pino'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { IssuanceSettings, type Profile } from '../../../contracts/core/profile.ts'
import type { CentralCall } from '../../../backend/core/central/transport.ts'
import { createSeal } from '../../../backend/core/integrity/seal.ts'
import { changedPastTheProgram } from '../../../backend/core/outbox/integrity-check.ts'
import { isFinal } from '../../../backend/core/outbox/states.ts'
import { serveCustomers } from './cashier.ts'
import { createModelCentral, type Collector, type Role } from './central.ts'
import { createSeededRng, type SeededRng } from './rng.ts'
import { ioError, type Disk } from './disk.ts'
import { CALM, drawWeather, type Weather } from './faults.ts'
import { theGround } from './ground.ts'
import { INVARIANTS, looked, operations } from './invariants.ts'
import { createModelMembers } from './members.ts'
import { createNetwork, PARALLEL_ERROR } from './network.ts'
import { MASTER_KEY, startRun, type Run } from './terminal.ts'
import { createWorld } from './world.ts'

/** What one seed came to. */
export interface Outcome {
  readonly seed: number
  /** Empty when every invariant held. */
  readonly violations: readonly string[]
  /** What happened, a line each with its time in seconds. Only kept when asked for. */
  readonly trace: readonly string[]
  /** How often each thing was met, by what it is: state, transition, code, fault, crash. */
  readonly coverage: ReadonlyMap<string, number>
  /** The end of every operation, for comparing two runs of a seed. */
  readonly ends: readonly string[]
  /** Whether a deadline had a say in any of them. */
  readonly deadlineDecided: boolean
}

export interface SimulationOptions {
  readonly keepTrace?: boolean
  /** The wall clock is left alone, whatever the seed says. */
  readonly steadyClock?: boolean
}

/** The power is cut: nothing after this counts. */
class PowerCut extends Error {
  override name = 'PowerCut'
}

const ROLES: Readonly<Record<Role, number>> = {
  fine: 18,
  private: 8,
  'no-prompt': 1,
  'not-allowed': 1,
  inactive: 1,
  unknown: 1,
  poor: 1,
  'near-limit': 2,
  later: 1,
  closed: 1,
  pending: 2,
  rejecting: 1,
  mixed: 2,
}
const STARTS_AT = Date.parse('2026-11-20T15:00:00Z')
const DAY_MS = 86_400_000
/** Reversals and the queue back off to a minute; after faults stop, an hour is more than anything may take. */
const SETTLES_WITHIN_MS = 60 * 60_000

/** Most stores let the program calculate; some do it themselves, and some tell the program of more. */
function drawIssuance(rng: SeededRng): Profile['issuance'] {
  return IssuanceSettings.parse({
    mode: rng.onceIn(4) ? 'partner' : 'service',
    record: rng.weighed({ none: 3, 'non-members': 1, all: 1 }),
    parallelError: PARALLEL_ERROR,
    rules: [{ kind: 'base', offerCode: 'BASE', miles: 1, perDollars: 5, rounding: 'whole-steps' }],
  })
}

/** Plays one seed to its end and judges it. The same seed gives the same outcome. */
export async function simulate(seed: number, options: SimulationOptions = {}): Promise<Outcome> {
  const { image, profile: store, lane, items } = await theGround()
  const rng = createSeededRng(seed)
  const profile: Profile = {
    ...store,
    issuance: seed === 0 ? IssuanceSettings.parse({}) : drawIssuance(rng.for('issuance')),
  }
  const weather: Weather = seed === 0 ? CALM : drawWeather(rng.for('weather'))
  const world = createWorld(STARTS_AT + rng.for('date').below(365) * DAY_MS + rng.for('time').below(DAY_MS))
  const coverage = new Map<string, number>()
  const trace: string[] = []
  const violations: string[] = []
  const told: string[] = []
  const saidApplied = new Set<string>()
  const saidNotApplied = new Set<string>()
  const met = (kind: string, name: string): void => {
    coverage.set(`${kind} ${name}`, (coverage.get(`${kind} ${name}`) ?? 0) + 1)
  }
  const note = (line: string): void => {
    if (options.keepTrace) trace.push(`${(world.now / 1000).toFixed(3).padStart(10)} ${line}`)
  }
  const violate = (number: number, words: string): void => {
    violations.push(`(${number}) ${words}`)
    note(`!! (${number}) ${words}`)
  }

  const cast = rng.for('collectors')
  const collectors = Array.from({ length: 1 + cast.below(3) }, (_, index): Collector => ({
    number: `8000000001${index}`,
    role: cast.weighed(ROLES),
  }))
  const reality = world.clock(() => true)
  const central = createModelCentral({
    collectors,
    now: () => reality.now() - world.jumped,
    timeZone: profile.timeZone,
    rng: rng.for('central'),
  })
  const members = createModelMembers({
    world,
    collectors,
    partnerId: profile.program.partnerId ?? '',
    rng: rng.for('members'),
    atLane: () => collectorAtLane(currentRun()),
    met,
  })
  const network = createNetwork({
    world,
    central,
    members,
    rng: rng.for('network'),
    faultOnceIn: weather.network,
    noTokenOnceIn: weather.token,
    stubborn: weather.stubborn,
    met: (what, name) => {
      met(what, name)
      if (what === 'fault') note(`network: ${name}`)
    },
  })
  const crashes = rng.for('crash')
  const disks = rng.for('disk')
  const terminalRng = rng.for('terminal')
  const disk: Disk = { image, mark: null }
  let faultsStopped = false
  let run: Run | null = null
  let runs = 0
  let waitingForRun: ((run: Run) => void)[] = []
  let transitions: string[] = []

  function endRun(why: string): void {
    if (!run) return
    note(why)
    run.end()
    run = null
    world.plan(faultsStopped ? 100 : 500 + crashes.below(crashes.onceIn(6) ? 8 * 3_600_000 : 150_000), start)
  }

  function crashHere(step: string): boolean {
    // What moves no miles is where a crash does least: it is drawn there less often.
    const dull = /other$|inquire$|calculate$/.test(step)
    if (faultsStopped || !crashes.onceIn(dull ? weather.crash * 12 : weather.crash)) return false
    met('crash', step)
    return true
  }

  const clocks = rng.for('clock')
  const flights = rng.for('clock in flight')
  /**
   * The wall clock may be set now. The random numbers fall in a differential run with a steady clock too, so that the
   * two can be compared.
   */
  function setClockNow(by: SeededRng): void {
    if (faultsStopped || !by.onceIn(weather.clock)) return
    const ms = by.pick([-DAY_MS, -3_600_000, -90_000, 90_000, 3_600_000, 2 * DAY_MS])
    if (options.steadyClock) return
    met('fault', ms < 0 ? 'clock set back' : 'clock set ahead')
    note(`the clock is set by ${ms / 1000} s`)
    world.jump(ms)
  }

  function start(): void {
    if (run) return
    note('the terminal starts')
    let cutting = false
    runs += 1
    const runNumber = runs
    const started = startRun({
      world,
      disk,
      rng: terminalRng,
      profile,
      lane,
      items,
      log: pino(
        { level: 'warn' },
        {
          write: (line: string) => {
            told.push(line)
            if (options.keepTrace) note(`log: ${(JSON.parse(line) as { msg: string }).msg}`)
          },
        },
      ),
      grant: network.grant,
      members,
      onTransition: (transition) => {
        transitions.push(transition)
        met('transition', transition)
      },
      steps: {
        before() {
          const what = transitions.join(' + ') || 'other'
          if (crashHere(`before commit: ${what}`)) {
            cutting = true
            throw new PowerCut()
          }
          if (!faultsStopped && disks.onceIn(weather.disk) && disks.onceIn(2)) {
            met('fault', 'commit-lost')
            note(`the disk loses the commit of ${what}`)
            throw ioError()
          }
        },
        lost() {
          transitions = []
          if (cutting) endRun('the power is cut before the commit')
        },
        after() {
          const what = transitions.join(' + ') || 'other'
          if (transitions.length > 0) note(`committed ${what}`)
          transitions = []
          if (crashHere(`after commit: ${what}`)) {
            endRun('the power is cut after the commit')
            throw new PowerCut()
          }
          if (!faultsStopped && disks.onceIn(weather.disk) && disks.onceIn(2)) {
            met('fault', 'commit-kept')
            note(`the disk says that it lost the commit of ${what}, and has it`)
            throw ioError()
          }
        },
      },
      async exchange(from, call) {
        const name = nameOf(call)
        const key = call.headers?.['idempotency-key'] ?? null
        if (!from.alive) return new Promise(() => undefined)
        if (key !== null) {
          // (2) The log is on disk before the socket is written.
          const stored = from.watch.db
            .prepare<[string], { sends: number }>(
              `SELECT sends FROM operation
                WHERE id = (SELECT operation_id FROM operation_call WHERE idempotency_key = ?)`,
            )
            .get(key)
          const wired = network.wire.filter((sent) => sent.key === key && looked(sent)).length
          // A reversal that two sends of this run have not ended is on the manager's list before the third leaves.
          const sentHere = network.wire.filter(
            (sent) => sent.key === key && sent.run === runNumber && looked(sent),
          ).length
          if (!faultsStopped && name.endsWith('loyaltycash/reverse') && sentHere >= 2 && !isListed(from.watch.db, key))
            violate(4, `${name} leaves for the ${sentHere + 1}. time, and no manager sees it`)
          if (from.watch.db.inTransaction) violate(2, `${name} leaves inside a transaction`)
          if (!stored || stored.sends < wired + 1)
            violate(
              2,
              `${name} leaves for the ${wired + 1}. time, and the journal knows of ${stored?.sends ?? 'no such call'}`,
            )
        }
        if (call.method === 'PUT' && !isSending(from.watch.db, call.headers?.['x-correlation-id'] ?? ''))
          violate(2, `${name} leaves, and the journal does not say so`)
        if (crashHere(`before send: ${name}`)) {
          endRun(`the power is cut before ${name} leaves`)
          return new Promise(() => undefined)
        }
        const collector = bodyOf(call.body)['collectorNumber']
        const lane = typeof collector === 'string' ? collector : ''
        // INQUIRE moves nothing and waits for nobody; a RECORD of a sale without a collector has no lane to share.
        const takesLane = lane !== '' && !name.endsWith('inquire')
        // (7) One call in flight per collector.
        if (takesLane && inFlight.get(from)?.has(lane))
          violate(7, `${name} leaves while ${inFlight.get(from)?.get(lane) ?? ''} of the same collector is in flight`)
        if (takesLane) inFlight.set(from, (inFlight.get(from) ?? new Map()).set(lane, name))
        setClockNow(flights)
        note(`${name} leaves${key === null ? '' : ` under ${key.slice(0, 8)}`}`)
        const answer = await network.exchange(call, runNumber)
        if (takesLane) inFlight.get(from)?.delete(lane)
        if (!from.alive) return new Promise(() => undefined)
        const said =
          answer.kind === 'answer' ? `${answer.status} ${codeIn(answer.bytes)}` : `${answer.kind}, ${answer.reason}`
        note(`${name}: ${said}`)
        if (crashHere(`before the answer: ${name}`)) {
          endRun(`the power is cut before the answer to ${name} is looked at`)
          return new Promise(() => undefined)
        }
        return answer
      },
      onEvent: hear,
    })
    run = started
    const missing = started.outbox.chain.entriesMissing()
    if (missing)
      violate(6, `the journal has lost entries: ${missing.expected} were recorded, ${missing.found} are there`)
    // A crash in the first commit of the start itself ends the run before it can serve.
    try {
      void started.checkout.recover()
      started.checkout.start()
    } catch (error) {
      if (started.alive && started.outbox.failStop.reason === null) violate(10, `the start failed: ${String(error)}`)
    }
    if (!started.alive) return
    const woken = waitingForRun
    waitingForRun = []
    for (const wake of woken) wake(started)
  }

  const inFlight = new Map<Run, Map<string, string>>()

  /** What a screen hears must be durable already (5). */
  function hear(from: Run, event: TerminalEvent): void {
    // A revision counts up from the machine's own clock: its digits are nobody's balance, and no two runs have the
    // same.
    told.push(JSON.stringify(event, (key, value: unknown) => (key === 'revision' ? undefined : value)))
    const { db } = from.watch
    if (event.type !== 'stopped' && db.inTransaction) violate(5, `${event.type} was said inside a transaction`)
    if (event.type !== 'sale-changed' || !event.sale.redemption) return
    const { id, state } = event.sale.redemption
    const kept = db.prepare<[string], { state: string }>('SELECT state FROM operation WHERE id = ?').get(id)
    if (kept?.state !== state)
      violate(5, `the screen was told ${state} of ${id}, and the disk says ${kept?.state ?? 'nothing'}`)
    if (state === 'approved') saidApplied.add(id)
    if (state === 'declined' || state === 'escalated') saidNotApplied.add(id)
    if (
      event.sale.state === 'open' &&
      saidNotApplied.has(id) &&
      event.sale.tenders.some(({ kind }) => kind === 'miles')
    )
      violate(5, `${id} was said not to be applied, and pays`)
  }

  const between = rng.for('between')
  const answers = new Map<string, string>()
  start()
  const closing = serveCustomers(1 + rng.for('customers').below(3), {
    world,
    rng: rng.for('cashier'),
    drawer: rng.for('drawer'),
    collectors,
    skus: items.map(({ sku }) => sku),
    note,
    running: () =>
      run
        ? Promise.resolve(run)
        : new Promise((resolve) => {
            waitingForRun.push(resolve)
          }),
    answered(key, body) {
      const before = answers.get(key) ?? body
      answers.set(key, before)
      if (before !== body) violate(13, `the command ${key} was answered in two ways`)
    },
    restart: () => {
      endRun('the terminal is restarted, since it takes no money')
    },
    between() {
      if (between.onceIn(weather.outage)) {
        const ms = between.below(between.onceIn(4) ? 3 * DAY_MS : 300_000)
        met('fault', 'outage')
        note(`the line is dead for ${Math.round(ms / 1000)} s`)
        network.outage(ms)
      }
      setClockNow(clocks)
    },
  })
  let closed = false
  const failed = closing.then(
    () => {
      closed = true
    },
    (error: unknown) => {
      closed = true
      violate(
        10,
        `the cashier could not go on: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      )
    },
  )
  await world.until(() => closed, 60 * DAY_MS)
  if (!closed) violate(10, 'the cashier waits for ever')

  faultsStopped = true
  network.heal()
  if (run === null) start()
  // A terminal that has stopped taking money needs its restart first.
  if (currentRun()?.outbox.failStop.reason) endRun('the terminal is restarted, since it takes no money')
  await world.until(() => currentRun() !== null, SETTLES_WITHIN_MS)
  const settled = await world.until(() => {
    const { db } = currentRun()?.watch ?? {}
    return db !== undefined && operations(db).every(({ kind, state }) => state === 'approved' || isFinal(kind, state))
  }, SETTLES_WITHIN_MS)
  if (settled) await orderWhatWasGivenUp()
  await failed
  const last = currentRun()
  if (!last) throw new Error('the terminal must be running at the end')
  const { db } = last.watch
  const privateCollectors = collectors.filter(({ role }) => role === 'private').map(({ number }) => number)
  for (const { number, broken } of INVARIANTS) {
    for (const words of broken({
      db,
      central,
      wire: network.wire,
      runs,
      saidApplied,
      saidNotApplied,
      settled,
      told,
      answers,
      privateCollectors,
      members,
    }))
      violate(number, words)
  }
  const brokenEntry = last.outbox.chain.firstBrokenEntry()
  if (brokenEntry !== null) violate(6, `the chain breaks at entry ${brokenEntry}`)
  const changed = changedPastTheProgram(db, createSeal(MASTER_KEY))
  if (changed !== null) violate(6, changed)
  const days = db.prepare<[], number>('SELECT count(*) FROM z_report').pluck().get() ?? 0
  met('day', days === 0 ? 'not closed' : days === 1 ? 'closed once' : 'closed more than once')
  const ends = operations(db)
  for (const { type, state } of ends) met('state', `${type} ${state}`)
  // What a redeemed sale gives back depends on the reversal window. After a restart the deadline decides whether there
  // is a retry; within one run it has no say.
  const retried = runs > 1 ? "OR EXISTS (SELECT 1 FROM journal_entry WHERE to_state = 'retry')" : ''
  const deadlineDecided =
    db
      .prepare(`SELECT 1 WHERE EXISTS (SELECT 1 FROM operation WHERE detail LIKE '%time to retry has passed%'
        OR state = 'reversal-expired')
    OR EXISTS (SELECT 1 FROM sale_return JOIN operation ON operation.sale_id = sale_return.sale_id
    WHERE kind = 'redemption') ${retried}`)
      .get() !== undefined
  const outcome: Outcome = {
    seed,
    violations,
    trace,
    coverage,
    ends: ends.map(({ type, state, approvedOnAttempt }) => `${type} ${state} ${approvedOnAttempt ?? ''}`),
    deadlineDecided,
  }
  last.checkout.stop()
  last.end()
  return outcome

  /**
   * A manager who hears that the loyalty service is well again has everything sent once more that the machine gave up
   * on.
   */
  async function orderWhatWasGivenUp(): Promise<void> {
    const { checkout, outbox, watch } = currentRun() ?? {}
    if (!checkout || !outbox || !watch) return
    for (const { id, kind, state, type } of operations(watch.db)) {
      if (kind === 'issuance' && state === 'escalated')
        outbox.transact((tx) => checkout.issuances.sendAgain(tx, id, 'alex'))
      else if (state === 'reversal-escalated') outbox.transact((tx) => checkout.reversals.again(tx, id, 'alex'))
      else continue
      note(`the manager has ${type} ${id.slice(0, 8)} sent again`)
    }
    const done = await world.until(
      () => operations(watch.db).every(({ kind, state }) => state === 'approved' || isFinal(kind, state)),
      SETTLES_WITHIN_MS,
    )
    if (!done) violate(10, 'what a manager had sent again does not become final')
  }

  function currentRun(): Run | null {
    return run
  }
}

const isListed = (db: Database.Database, key: string): boolean =>
  db
    .prepare(
      `SELECT 1 FROM operation JOIN operation_call ON operation_id = operation.id WHERE idempotency_key = ?
        AND outcome = 'reversal-unanswered'`,
    )
    .get(key) !== undefined

/** A read has an address that is its own; a change of an offer is called by what it does. */
const nameOf = ({ path }: CentralCall): string =>
  path
    .replace(/\?.*$/, '')
    .replace(/^\/checkout\//, '')
    .replace(/^\/offers\/[0-9a-f-]{36}\//, 'offers/')
    .replace(/^\//, '')

/** Whether a change of offer states that leaves now is recorded as one that does. */
const isSending = (db: Database.Database, traceId: string): boolean =>
  db
    .prepare(
      `SELECT 1 FROM operation JOIN operation_call ON operation_id = operation.id
        WHERE trace_id = ? AND kind = 'offer-state' AND state = 'sent' AND sends > 0`,
    )
    .get(traceId) !== undefined

function collectorAtLane(run: Run | null): string | null {
  const sale = run?.alive ? run.checkout.sales.currentId() : null
  const row = sale === null || sale === undefined ? undefined : run?.checkout.saleOf(sale)
  return row === undefined ? null : run ? collectorOf(run.checkout.ctx, row) : null
}

const bodyOf = (body: Uint8Array | undefined): Record<string, unknown> =>
  body ? (JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>) : {}

function codeIn(bytes: Uint8Array): string {
  return /"(?:responseCode|errorCode)":"(\w+)"/.exec(Buffer.from(bytes).toString('latin1'))?.[1] ?? ''
}
