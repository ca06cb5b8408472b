import { isRepeated } from '../../../../backend/core/central/retry.ts'
import { afterAnswer, FIRST_HEARTBEAT, isSkipped, skipBeat } from '../../../../backend/core/central/heartbeat.ts'
import { isRejectedForNow, retryAfterOf, spread } from '../../../../backend/core/central/waits.ts'
import type { Answer } from '../../../../backend/core/central/transport.ts'
import { sendResultOf } from '../../../../backend/loyalty/calls/queue-pace.ts'
import {
  createQueueScheduler,
  type QueueScheduler,
  type ServeResult,
} from '../../../../backend/loyalty/calls/queue-scheduler.ts'
import type { SeededRng } from '../rng.ts'
import { endOfRedeem, isApproved, ISSUED, REDEEMED, OK_ANSWER, settlement } from './answers.ts'
import { ENDS_AFTER_MS, HOUR_MS, membersPerMs, PAYS_AFTER_MS, PREVIEWS, REDEEMS } from './demand.ts'
import { LaneTransport, type ServiceKind, type World } from './lane-transport.ts'
import { execute, isExecuted, type Queued } from './recorder.ts'

/** Timeouts of calls, the defaults of a profile (contracts/core/profile.ts). */
const CASH_TIMEOUT_MS = 8_000
const ISSUANCE_TIMEOUT_MS = 15_000
const ECHO_MS = 60_000
const OFFERS_MS = 900_000
const OFFERS_START_MS = 60_000
/** Number of offer calls after a start: the list in two languages, and the list by type. */
const OFFER_CALLS = 3

/**
 * A simulated lane without database, screens and devices: its customers, their calls, and the terminal’s own rules for
 * when to send each call.
 */
export class FleetLane {
  readonly queue: Queued[] = []
  head = 0
  done = 0
  hadToDrain = 0
  drainedAt: number | null = null
  leftToDrain = 0
  private drainsUntil = 0
  readonly turns: QueueScheduler
  private readonly transport: LaneTransport
  private readonly world: World
  private readonly rng: SeededRng
  private heartbeat = FIRST_HEARTBEAT
  private redeeming = 0

  constructor(world: World, rng: SeededRng) {
    this.world = world
    this.rng = rng
    const { timeline, policy } = world
    const clock = { now: () => timeline.now, monotonic: timeline.monotonic, after: timeline.after }
    this.transport = new LaneTransport(world, rng)
    this.turns = createQueueScheduler(
      { clock, rng },
      (id, ended) => {
        this.issue(Number(id), ended)
      },
      () => policy.isAdaptive && this.redeeming > 0,
      policy.pace,
    )
  }

  /** Marks the calls that are queued now as the backlog whose drain is measured. */
  drainFrom(): void {
    this.hadToDrain = this.queue.length - this.done
    this.leftToDrain = this.hadToDrain
    this.drainsUntil = this.queue.length
    if (this.hadToDrain === 0) this.drainedAt = this.world.timeline.now
  }

  /** Returns when the oldest waiting call was created; Infinity if none waits. */
  oldest(): number {
    return this.queue[this.head]?.bornAt ?? Infinity
  }

  /** Returns the number of calls that are neither finished nor queued, which must be 0. */
  missing(): number {
    const waiting = this.queue.filter(({ isDone }) => !isDone).length
    return waiting === this.turns.size() ? 0 : Math.abs(waiting - this.turns.size())
  }

  start(left = 0): void {
    for (let each = 0; each < left; each += 1) this.enqueue(false)
    this.turns.pump()
    // The offer lists that an adaptive lane has cached in an earlier run are still valid, so it fetches them later.
    if (this.world.policy.isAdaptive) this.later(this.rng.fraction() * OFFERS_START_MS, () => this.offers())
    else this.offers(true)
    this.later(this.interval(ECHO_MS), () => {
      this.echo()
    })
    this.nextMember()
  }

  private later(ms: number, work: () => void): void {
    this.world.timeline.plan(ms, work)
  }

  private nextMember(): void {
    const { timeline, startsAt } = this.world
    const at = startsAt + timeline.now
    const untilHour = HOUR_MS - (at % HOUR_MS)
    const rate = membersPerMs(at)
    const wait = rate === 0 ? Infinity : -Math.log(1 - this.rng.fraction()) / rate
    if (wait > untilHour) {
      this.later(untilHour, () => {
        this.nextMember()
      })
      return
    }
    this.later(wait, () => {
      this.member()
      this.nextMember()
    })
  }

  private member(): void {
    this.inquire()
    for (let each = 1; each <= PREVIEWS; each += 1)
      this.later((each * PAYS_AFTER_MS) / (PREVIEWS + 1), () => {
        this.calculate()
      })
    if (this.rng.fraction() < REDEEMS)
      this.later(PAYS_AFTER_MS, () => {
        this.redeem()
      })
    this.later(ENDS_AFTER_MS, () => {
      this.enqueue(true)
    })
  }

  private enqueue(goes: boolean): void {
    const { world } = this
    const queued: Queued = {
      id: (world.nextId += 1),
      key: (world.nextId += 1),
      bornAt: world.timeline.now,
      sends: 0,
      failures: 0,
      refusals: 0,
      isDone: false,
    }
    this.queue.push(queued)
    world.recorder.waiting += 1
    world.recorder.born += 1
    this.turns.add(String(this.queue.length - 1))
    if (goes) this.turns.pump()
  }

  private issue(place: number, ended: (turn: ServeResult) => void): void {
    const queued = this.queue[place]
    if (!queued) throw new Error('the call is not in the queue')
    const { recorder, timeline } = this.world
    const isFirst = queued.sends === 0
    this.transport.call('issue', {
      isFirst,
      timeoutMs: ISSUANCE_TIMEOUT_MS,
      answer: ISSUED,
      sent: () => {
        queued.sends += 1
      },
      execute: () => {
        execute(recorder, queued.id, queued.key)
      },
      answered: (answer) => {
        const { to, facts, next } = settlement(queued, answer)
        this.turns.recordResult(sendResultOf(next, answer, timeline.now))
        if (next === 'no-central') return ended('go-on')
        queued.failures = facts.failures ?? queued.failures
        queued.refusals = facts.refusals ?? queued.refusals
        if (next === 'rest') return ended({ pauseMs: this.turns.restAfter(queued.failures + queued.refusals) })
        if (to === 'escalated') recorder.escalatedIssues += 1
        else if (!isExecuted(recorder, queued.id)) recorder.lost += 1
        queued.isDone = true
        this.done += 1
        if (place < this.drainsUntil && (this.leftToDrain -= 1) === 0) this.drainedAt = timeline.now
        recorder.waiting -= 1
        while (this.queue[this.head]?.isDone) this.head += 1
        ended('nothing-left')
      },
    })
  }

  private inquire(): void {
    this.withRepeat('inquire', CASH_TIMEOUT_MS, (answer) => {
      this.world.recorder.inquiries += 1
      if (answer !== OK_ANSWER) this.world.recorder.inquiriesFailed += 1
    })
  }

  private withRepeat(kind: 'inquire' | 'echo', timeoutMs: number, done: (answer: Answer) => void): void {
    const send = (isFirst: boolean, then: (answer: Answer) => void): void => {
      this.transport.call(kind, { isFirst, timeoutMs, answer: OK_ANSWER, answered: then })
    }
    send(true, (first) => {
      const goesAgain = this.world.policy.isAdaptive
        ? isRepeated(first, isDoubtful)
        : first.kind === 'unknown' || (first.kind === 'answer' && isDoubtful(first))
      if (goesAgain) send(false, done)
      else done(first)
    })
  }

  private calculate(): void {
    if (!this.mayAsk('calculate')) return
    this.transport.call('calculate', {
      isFirst: true,
      timeoutMs: ISSUANCE_TIMEOUT_MS,
      answer: OK_ANSWER,
      answered: () => undefined,
    })
  }

  private mayAsk(kind: ServiceKind): boolean {
    if (!this.world.policy.isAdaptive || this.transport.admits(kind)) return true
    this.world.recorder.heldBack += 1
    return false
  }

  private redeem(): void {
    const { recorder, timeline } = this.world
    const at = timeline.now
    const [id, key] = [(this.world.nextId += 1), (this.world.nextId += 1)]
    this.redeeming += 1
    const end = (how: 'approved' | 'declined' | 'escalated'): void => {
      this.redeeming -= 1
      recorder.redemptions.push({ at, ms: timeline.now - at, end: how })
      if (how === 'approved' && !isExecuted(recorder, id)) recorder.lost += 1
      this.turns.pump()
    }
    const send = (isFirst: boolean, answered: (answer: Answer) => void): void => {
      this.transport.call('redeem', {
        isFirst,
        timeoutMs: CASH_TIMEOUT_MS,
        answer: REDEEMED,
        execute: () => {
          execute(recorder, id, key)
        },
        answered,
      })
    }
    send(true, (first) => {
      const ended = endOfRedeem(first)
      if (ended !== 'retry') return end(ended)
      if (retryAfterOf(first, timeline.now) !== null) recorder.ordered += 1
      send(false, (second) => {
        end(isApproved(second) ? 'approved' : 'escalated')
      })
    })
  }

  private echo(): void {
    this.later(this.interval(ECHO_MS), () => {
      this.echo()
    })
    if (isSkipped(this.heartbeat)) {
      this.heartbeat = skipBeat(this.heartbeat)
      this.world.recorder.heldBack += 1
      return
    }
    if (!this.mayAsk('echo')) return
    const { timeline, policy } = this.world
    const askedAt = timeline.now
    this.withRepeat('echo', CASH_TIMEOUT_MS, (answer) => {
      if (answer.kind !== 'answer' || !policy.isAdaptive) return
      const latencyMs = timeline.now - askedAt
      const beat = { isThrottled: isRejectedForNow(answer), latencyMs }
      this.heartbeat = afterAnswer(this.heartbeat, beat, this.rng.fraction())
    })
  }

  private interval = (ms: number): number => (this.world.policy.isAdaptive ? spread(ms, this.rng.fraction()) : ms)

  private offers(isStart = false): void {
    this.later(this.interval(OFFERS_MS), () => {
      this.offers()
    })
    if (!isStart && !this.mayAsk('offers')) return
    for (let each = 0; each < OFFER_CALLS; each += 1)
      this.transport.call('offers', {
        isFirst: true,
        timeoutMs: CASH_TIMEOUT_MS,
        answer: OK_ANSWER,
        answered: () => undefined,
      })
  }
}

/** Whether a response is ambiguous: in the model, only a response with status 200 has a response code. */
const isDoubtful = (answer: Extract<Answer, { kind: 'answer' }>): boolean => answer.status !== 200
