import { createLoad, isTaken, type Load } from '../../../../backend/core/central/load.ts'
import { retryAfterOf } from '../../../../backend/core/central/waits.ts'
import {
  granted,
  isHeld,
  NO_TOKEN_YET,
  notGranted,
  isRenewalDue,
  type TokenLease,
} from '../../../../backend/core/central/token.ts'
import type { Answer, CentralService } from '../../../../backend/core/central/transport.ts'
import type { SeededRng } from '../rng.ts'
import { OK_ANSWER } from './answers.ts'
import { CLIENT_LIMIT, type Centre, type Client } from './central-services.ts'
import type { Timeline } from './event-queue.ts'
import type { Policy } from './policies.ts'
import type { Kind, Recorder } from './recorder.ts'

const TOKEN_SECONDS = 3_600
const TOKEN_TIMEOUT_MS = 8_000

export type ServiceKind = Exclude<Kind, 'token'>
const SERVICES: Readonly<Record<ServiceKind, CentralService>> = {
  issue: 'issuance',
  calculate: 'issuance',
  redeem: 'cash',
  inquire: 'cash',
  echo: 'cash',
  offers: 'offers',
}
/** Returns the host of a central service as in stores/example.yaml: the offer service has a host of its own. */
const hostOf = (service: CentralService): string => (service === 'offers' ? 'offers' : 'partners')

export interface World {
  readonly timeline: Timeline
  readonly centre: Centre
  readonly tokenService: Centre
  readonly recorder: Recorder
  readonly policy: Policy
  /** Time of day when the simulation starts, in milliseconds. */
  readonly startsAt: number
  nextId: number
}

/** A simulated lane’s transport: token, throttle and Retry-After, without database and HTTP. */
export class LaneTransport {
  private readonly client: Client = { allowance: CLIENT_LIMIT.burst, allowanceAt: 0 }
  private readonly load: Load
  private lease: TokenLease = NO_TOKEN_YET
  private isAskingToken = false
  private readonly waitForToken: ((hasToken: boolean) => void)[] = []
  /** Until when Retry-After asks to pause each kind of call. Only recorded, to count violations. */
  private readonly pausedUntil = new Map<Kind, number>()
  private readonly world: World
  private readonly rng: SeededRng

  constructor(world: World, rng: SeededRng) {
    this.world = world
    this.rng = rng
    const clock = { now: () => world.timeline.now, monotonic: world.timeline.monotonic }
    this.load = createLoad({ clock, rng, hostOf })
  }

  admits(kind: ServiceKind): boolean {
    return this.load.admits(SERVICES[kind], kind === 'calculate' ? 'preview' : 'background')
  }

  call(
    kind: ServiceKind,
    call: {
      readonly isFirst: boolean
      readonly timeoutMs: number
      readonly answer: Answer
      readonly sent?: () => void
      readonly execute?: () => void
      readonly answered: (answer: Answer) => void
    },
  ): void {
    const { timeline, recorder, centre } = this.world
    this.token((hasToken) => {
      if (!hasToken) return call.answered(NO_TOKEN)
      if (!call.isFirst) recorder.repeats += 1
      else recorder.firsts += 1
      if (call.isFirst && kind !== 'issue') recorder.live += 1
      // REDEEM and INQUIRE may be sent during the pause: a call for a new customer is no violation, and the
      // specification requires their one retry.
      const isOrdered = kind === 'redeem' || kind === 'inquire'
      if (!isOrdered && timeline.now < (this.pausedUntil.get(kind) ?? 0)) recorder.tooEarly += 1
      call.sent?.()
      centre.send({
        client: this.client,
        timeoutMs: call.timeoutMs,
        execute: call.execute ?? null,
        answer: call.answer,
        answered: (answer) => {
          this.onResponse(kind, answer)
          call.answered(answer)
        },
      })
    })
  }

  private onResponse(kind: ServiceKind, answer: Answer): void {
    const { timeline, recorder, policy } = this.world
    const retryAfterMs = retryAfterOf(answer, timeline.now)
    if (retryAfterMs !== null) {
      recorder.asked += 1
      this.pausedUntil.set(kind, timeline.now + retryAfterMs)
    }
    if (isTaken(answer) === true) recorder.useful += 1
    if (policy.isAdaptive) this.load.record(SERVICES[kind], answer)
  }

  private token(then: (hasToken: boolean) => void): void {
    const { policy, timeline } = this.world
    const isThere = isHeld(this.lease, timeline.now)
    const asks = policy.isAdaptive ? isRenewalDue(this.lease, timeline.now) : !isThere
    if (asks && !this.isAskingToken) this.requestToken()
    if (isThere) then(true)
    else if (this.isAskingToken) this.waitForToken.push(then)
    else then(false)
  }

  private requestToken(): void {
    const { timeline, tokenService, policy, recorder } = this.world
    this.isAskingToken = true
    recorder.tokenAsks += 1
    tokenService.send({
      client: { allowance: 1, allowanceAt: timeline.now },
      timeoutMs: TOKEN_TIMEOUT_MS,
      execute: null,
      answer: OK_ANSWER,
      answered: (answer) => {
        this.isAskingToken = false
        const now = timeline.now
        const isGiven = answer === OK_ANSWER
        if (isGiven) this.lease = granted(now, TOKEN_SECONDS, policy.isAdaptive ? this.rng.fraction() : 1)
        else this.lease = notGranted(this.lease, now, this.rng.fraction(), retryAfterOf(answer, now))
        const waiting = this.waitForToken.splice(0)
        for (const then of waiting) then(isHeld(this.lease, now))
      },
    })
  }
}

const NO_TOKEN: Answer = { kind: 'no-token', cause: 'unreachable', reason: 'no token' }
