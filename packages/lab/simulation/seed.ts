import { collectorOf } from '../../../backend/sales/collector.ts'
import type Database from 'better-sqlite3'
import { pino } from 'pino'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { IssuanceSettings, type Profile } from '../../../contracts/core/profile.ts'
import type { CentralCall } from '../../../backend/core/central/transport.ts'
import { createSeal } from '../../../backend/core/integrity/seal.ts'
import { describeForeignChanges } from '../../../backend/core/outbox/integrity-check.ts'
import { isFinal } from '../../../backend/core/outbox/states.ts'
import { serveCustomers } from './cashier.ts'
import { createModelCentral, type Collector, type Role } from './central.ts'
import { createSeededRng, type SeededRng } from './rng.ts'
import { ioError, type Disk } from './disk.ts'
import { NO_FAULTS, drawFaultRates, type FaultRates } from './faults.ts'
import { loadBaseline } from './baseline.ts'
import { INVARIANTS, wasProcessed, operations } from './invariants.ts'
import { createModelMembers } from './members.ts'
import { createNetwork, PARALLEL_ERROR } from './network.ts'
import { MASTER_KEY, startRun, type Run } from './terminal.ts'
import { createWorld } from './world.ts'

export interface Outcome {
  readonly seed: number
  readonly violations: readonly string[]
  /** Trace of the events, one per line with its time in seconds; recorded only with `recordTrace`. */
  readonly trace: readonly string[]
  readonly coverage: ReadonlyMap<string, number>
  /** Final state of every operation, so that two runs of a seed can be compared. */
  readonly ends: readonly string[]
  /** Whether a deadline affected the final state of any operation. */
  readonly deadlineDecided: boolean
}

export interface SimulationOptions {
  readonly recordTrace?: boolean
  readonly steadyClock?: boolean
}

/** Thrown at a commit when the simulated power is cut, which ends this run of the program. */
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
/**
 * Time to play after the last fault. Retries of reversals and of the queue back off to a minute at most, so an hour is
 * enough.
 */
const FINAL_WITHIN_MS = 60 * 60_000

function drawIssuance(rng: SeededRng): Profile['issuance'] {
  return IssuanceSettings.parse({
    mode: rng.onceIn(4) ? 'partner' : 'service',
    record: rng.weighed({ none: 3, 'non-members': 1, all: 1 }),
    parallelError: PARALLEL_ERROR,
    rules: [{ kind: 'base', offerCode: 'BASE', miles: 1, perDollars: 5, rounding: 'whole-steps' }],
  })
}

/** Plays one seed to its end and checks the invariants. The same seed gives the same result. */
export async function simulate(seed: number, options: SimulationOptions = {}): Promise<Outcome> {
  const { image, profile: store, lane, items } = await loadBaseline()
  const rng = createSeededRng(seed)
  const profile: Profile = {
    ...store,
    issuance: seed === 0 ? IssuanceSettings.parse({}) : drawIssuance(rng.for('issuance')),
  }
  const rates: FaultRates = seed === 0 ? NO_FAULTS : drawFaultRates(rng.for('weather'))
  const world = createWorld(STARTS_AT + rng.for('date').below(365) * DAY_MS + rng.for('time').below(DAY_MS))
  const coverage = new Map<string, number>()
  const trace: string[] = []
  const violations: string[] = []
  const outputs: string[] = []
  const shownApplied = new Set<string>()
  const shownNotApplied = new Set<string>()
  const met = (kind: string, name: string): void => {
    coverage.set(`${kind} ${name}`, (coverage.get(`${kind} ${name}`) ?? 0) + 1)
  }
  const note = (line: string): void => {
    if (options.recordTrace) trace.push(`${(world.now / 1000).toFixed(3).padStart(10)} ${line}`)
  }
  const violate = (number: number, details: string): void => {
    violations.push(`(${number}) ${details}`)
    note(`!! (${number}) ${details}`)
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
    faultOnceIn: rates.network,
    noTokenOnceIn: rates.token,
    repeated: rates.repeated,
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
    // A crash at a call that moves no miles matters least, so it is chosen less often.
    const isMinor = /other$|inquire$|calculate$/.test(step)
    if (faultsStopped || !crashes.onceIn(isMinor ? rates.crash * 12 : rates.crash)) return false
    met('crash', step)
    return true
  }

  const clocks = rng.for('clock')
  const flights = rng.for('clock in flight')
  /**
   * Sometimes changes the wall clock. Uses random values even with a steady clock, so that both runs of a seed use the
   * same ones.
   */
  function setClockNow(by: SeededRng): void {
    if (faultsStopped || !by.onceIn(rates.clock)) return
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
            outputs.push(line)
            if (options.recordTrace) note(`log: ${(JSON.parse(line) as { msg: string }).msg}`)
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
          if (!faultsStopped && disks.onceIn(rates.disk) && disks.onceIn(2)) {
            met('fault', 'commit-lost')
            note(`the disk loses the commit of ${what}`)
            throw ioError()
          }
        },
        rolledBack() {
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
          if (!faultsStopped && disks.onceIn(rates.disk) && disks.onceIn(2)) {
            met('fault', 'commit-misreported')
            note(`the disk reports the commit of ${what} as lost, but has it`)
            throw ioError()
          }
        },
      },
      async exchange(from, call) {
        const name = nameOf(call)
        const key = call.headers?.['idempotency-key'] ?? null
        if (!from.alive) return new Promise(() => undefined)
        if (key !== null) {
          // Invariant 2: the journal is on disk before a byte is sent.
          const stored = from.watch.db
            .prepare<[string], { sends: number }>(
              `SELECT sends FROM operation
                WHERE id = (SELECT operation_id FROM operation_call WHERE idempotency_key = ?)`,
            )
            .get(key)
          const wired = network.deliveries.filter((sent) => sent.key === key && wasProcessed(sent)).length
          // A reversal that has no outcome after two sends in this run must be in the manager’s exceptions queue before
          // the third send.
          const sentHere = network.deliveries.filter(
            (sent) => sent.key === key && sent.run === runNumber && wasProcessed(sent),
          ).length
          if (!faultsStopped && name.endsWith('loyaltycash/reverse') && sentHere >= 2 && !isListed(from.watch.db, key))
            violate(4, `${name} is sent for the ${sentHere + 1}. time, but is not on the manager’s list`)
          if (from.watch.db.inTransaction) violate(2, `${name} is sent inside a transaction`)
          if (!stored || stored.sends < wired + 1)
            violate(
              2,
              `${name} is sent for the ${wired + 1}. time, but the journal has ${stored?.sends ?? 'no such call'}`,
            )
        }
        if (call.method === 'PUT' && !isSending(from.watch.db, call.headers?.['x-correlation-id'] ?? ''))
          violate(2, `${name} is sent, but the journal has no record of it`)
        if (crashHere(`before send: ${name}`)) {
          endRun(`the power is cut before ${name} is sent`)
          return new Promise(() => undefined)
        }
        const collector = bodyOf(call.body)['collectorNumber']
        const collectorNumber = typeof collector === 'string' ? collector : ''
        // Calls of one collector run one after the other, except INQUIRE, which moves no miles, and a RECORD without a
        // collector.
        const isSerial = collectorNumber !== '' && !name.endsWith('inquire')
        // Invariant 7: one call in flight per collector.
        const otherCall = inFlight.get(from)?.get(collectorNumber)
        if (isSerial && otherCall !== undefined)
          violate(7, `${name} is sent while ${otherCall} of the same collector is in flight`)
        if (isSerial) inFlight.set(from, (inFlight.get(from) ?? new Map()).set(collectorNumber, name))
        setClockNow(flights)
        note(`${name} leaves${key === null ? '' : ` under ${key.slice(0, 8)}`}`)
        const answer = await network.exchange(call, runNumber)
        if (isSerial) inFlight.get(from)?.delete(collectorNumber)
        if (!from.alive) return new Promise(() => undefined)
        const result =
          answer.kind === 'answer' ? `${answer.status} ${codeIn(answer.bytes)}` : `${answer.kind}, ${answer.reason}`
        note(`${name}: ${result}`)
        if (crashHere(`before the answer: ${name}`)) {
          endRun(`the power is cut before the response to ${name} is processed`)
          return new Promise(() => undefined)
        }
        return answer
      },
      onEvent: checkEvent,
    })
    run = started
    const missing = started.outbox.chain.entriesMissing()
    if (missing)
      violate(6, `the journal has lost entries: ${missing.expected} were recorded, but only ${missing.found} exist`)
    // An error of the start is a violation only if no simulated crash or disk fault has ended or stopped this run.
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

  /** Checks that a state shown on a screen is already on disk (invariant 5 in docs/reliability.md). */
  function checkEvent(from: Run, event: TerminalEvent): void {
    // Omit the digits of revisions, which count from a clock and could equal a balance by chance.
    outputs.push(JSON.stringify(event, (key, value: unknown) => (key === 'revision' ? undefined : value)))
    const { db } = from.watch
    if (event.type !== 'stopped' && db.inTransaction) violate(5, `${event.type} was published inside a transaction`)
    if (event.type !== 'sale-changed' || !event.sale.redemption) return
    const { id, state } = event.sale.redemption
    const stored = db.prepare<[string], { state: string }>('SELECT state FROM operation WHERE id = ?').get(id)
    if (stored?.state !== state)
      violate(5, `the screen showed ${state} of ${id}, but the disk has ${stored?.state ?? 'nothing'}`)
    if (state === 'approved') shownApplied.add(id)
    if (state === 'declined' || state === 'escalated') shownNotApplied.add(id)
    if (
      event.sale.state === 'open' &&
      shownNotApplied.has(id) &&
      event.sale.tenders.some(({ kind }) => kind === 'miles')
    )
      violate(5, `${id} was shown as not applied, but pays`)
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
    onResponse(key, body) {
      const before = answers.get(key) ?? body
      answers.set(key, before)
      if (before !== body) violate(13, `the command ${key} got two different responses`)
    },
    restart: () => {
      endRun('the terminal is restarted from fail-stop')
    },
    between() {
      if (between.onceIn(rates.outage)) {
        const ms = between.below(between.onceIn(4) ? 3 * DAY_MS : 300_000)
        met('fault', 'outage')
        note(`the network is down for ${Math.round(ms / 1000)} s`)
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
      violate(10, `the cashier failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    },
  )
  await world.until(() => closed, 60 * DAY_MS)
  if (!closed) violate(10, 'the cashier waits forever')

  faultsStopped = true
  network.heal()
  if (run === null) start()
  // A terminal that has stopped after a disk error needs a restart first.
  if (currentRun()?.outbox.failStop.reason) endRun('the terminal is restarted from fail-stop')
  await world.until(() => currentRun() !== null, FINAL_WITHIN_MS)
  const areOperationsFinal = await world.until(() => {
    const { db } = currentRun()?.watch ?? {}
    return db !== undefined && operations(db).every(({ kind, state }) => state === 'approved' || isFinal(kind, state))
  }, FINAL_WITHIN_MS)
  if (areOperationsFinal) await sendEscalatedAgain()
  await failed
  const last = currentRun()
  if (!last) throw new Error('the terminal is not running at the end')
  const { db } = last.watch
  const privateCollectors = collectors.filter(({ role }) => role === 'private').map(({ number }) => number)
  for (const { number, broken } of INVARIANTS) {
    for (const words of broken({
      db,
      central,
      deliveries: network.deliveries,
      runs,
      shownApplied: shownApplied,
      shownNotApplied: shownNotApplied,
      areOperationsFinal,
      outputs: outputs,
      answers,
      privateCollectors,
      members,
    }))
      violate(number, words)
  }
  const brokenEntry = last.outbox.chain.firstBrokenEntry()
  if (brokenEntry !== null) violate(6, `the chain breaks at entry ${brokenEntry}`)
  const changed = describeForeignChanges(db, createSeal(MASTER_KEY))
  if (changed !== null) violate(6, changed)
  const days = db.prepare<[], number>('SELECT count(*) FROM z_report').pluck().get() ?? 0
  met('day', days === 0 ? 'not closed' : days === 1 ? 'closed once' : 'closed more than once')
  const ends = operations(db)
  for (const { type, state } of ends) met('state', `${type} ${state}`)
  // The refund of a sale paid with miles depends on the reversal window. After a restart, a deadline decides whether an
  // intent is retried; within one run it does not.
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

  /** The manager sends all escalated operations again once the loyalty service has recovered. */
  async function sendEscalatedAgain(): Promise<void> {
    const { checkout, outbox, watch } = currentRun() ?? {}
    if (!checkout || !outbox || !watch) return
    for (const { id, kind, state, type } of operations(watch.db)) {
      if (kind === 'issuance' && state === 'escalated')
        outbox.transact((tx) => checkout.issuances.sendAgain(tx, id, 'alex'))
      else if (state === 'reversal-escalated') outbox.transact((tx) => checkout.reversals.resend(tx, id, 'alex'))
      else continue
      note(`the manager sends ${type} ${id.slice(0, 8)} again`)
    }
    const done = await world.until(
      () => operations(watch.db).every(({ kind, state }) => state === 'approved' || isFinal(kind, state)),
      FINAL_WITHIN_MS,
    )
    if (!done) violate(10, 'operations sent again by a manager do not become final')
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

const nameOf = ({ path }: CentralCall): string =>
  path
    .replace(/\?.*$/, '')
    .replace(/^\/checkout\//, '')
    .replace(/^\/offers\/[0-9a-f-]{36}\//, 'offers/')
    .replace(/^\//, '')

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
