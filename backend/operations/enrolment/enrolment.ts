import type {
  EnrolmentDone,
  EnrolmentRequest,
  EnrolmentStatus,
  EnrolmentPayload,
} from '../../../contracts/operations/enrolment.ts'
import {
  type EnrolmentTicket,
  parseCode,
  parseFingerprint,
  parseService,
  parseTicket,
  isTicket,
} from '../../../contracts/operations/enrolment-code.ts'
import { type NotEnrolled, type Refused, confirm, exchange } from '../../../packages/delivery/enrolment/exchange.ts'
import type { Clock } from '../../core/clock.ts'
import { ProblemError } from '../../core/problem.ts'
import type { Logger } from '../../core/log.ts'
import type { AuditEntry } from '../../core/audit.ts'
import { type StaffService, staffOf } from '../../staff/sign-in.ts'
import { type LaneStore, ticketHashOf, laneStoreOf } from './lane-store.ts'
import type { App } from '../../core/http/app.ts'
import { enrolmentContract } from '../../../contracts/operations/operations.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { recordOf } from '../../core/record.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { programOf } from '../../core/program/lane-program.ts'

/** Error of the clock from which the enrolment reports it, because tokens and prices depend on the clock. */
const CLOCK_MS = 5 * 60_000
/** Time in ms for which the enrolment service repeats an answer that the lane did not receive. */
const AGAIN_MS = 10 * 60_000
/** After one of these refusals the code can never be used, not even to finish an enrolment that was started. */
const OVER: readonly NotEnrolled[] = ['used', 'expired', 'revoked', 'locked']
/** After these errors it is unknown whether the service has received the request. */
const UNKNOWN: readonly NotEnrolled[] = ['no-network', 'busy']
/** Delay in ms before the terminal stops, in which the answer reaches the window. */
const RESTART_MS = 500

export interface EnrolmentOptions {
  readonly store: LaneStore
  readonly identity: { readonly store: string; readonly lane: string }
  /** Training creates its own secret and PINs, so there a code only brings the connection to the store server. */
  readonly training: boolean
  readonly hasSecret: boolean
  readonly staff: Pick<StaffService, 'setPin' | 'locks'>
  readonly record: (entry: AuditEntry) => void
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Logger
  readonly restart?: (() => void) | undefined
  readonly pausesMs?: readonly number[]
}

export type Enrolment = ReturnType<typeof createEnrolment>

export function createEnrolment(options: EnrolmentOptions) {
  const { store, identity, staff, clock, log } = options
  let step: EnrolmentStatus['step'] = null
  let { hasSecret } = options

  const hasNoPins = (): boolean => staff.locks().every(({ pin }) => pin === 'none')
  const isBare = (): boolean => hasNoPins() && (!hasSecret || store.pending() !== null)
  /**
   * Hash of the request (service, code, certificate) of an interrupted enrolment, for as long as the service repeats
   * its answer; otherwise null.
   */
  function unfinished(): string | null {
    const begun = store.pending()
    return begun !== null && Math.abs(clock.now() - begun.at) < AGAIN_MS ? begun.order : null
  }
  /**
   * Whether anyone may enrol here without a sign-in: on a lane without PINs and client secret, or to finish an
   * interrupted enrolment, but never in training. Otherwise only the installer's CLI command enrols.
   */
  const isOffered = (): boolean => !options.training && (isBare() || unfinished() !== null)

  // The enrolment that was started here was completed manually. It is dropped: otherwise it would be offered again when
  // all staff are new.
  if (hasSecret && !hasNoPins() && unfinished() === null) store.giveUp()

  /** Enrols the lane with a parsed request. Throws ProblemError. */
  async function enrol(ticket: EnrolmentTicket): Promise<EnrolmentDone> {
    if (step !== null) throw new ProblemError('enrolment-not-now')
    step = 'asking'
    try {
      return await ask(ticket)
    } finally {
      step = null
    }
  }

  async function ask(ticket: EnrolmentTicket): Promise<EnrolmentDone> {
    const begun = store.pending()?.codeId === ticket.code.id
    const now = (): number => clock.now()
    const key = store.keyFor(ticket, now())
    const { pausesMs } = options
    const answer = await exchange({ ticket, key, now, ...identity, ...(pausesMs === undefined ? {} : { pausesMs }) })
    if (answer.kind === 'refused') {
      log.warn({ code: ticket.code.id, why: answer.why }, 'this lane was not enrolled')
      if (OVER.includes(answer.why) || (!begun && !UNKNOWN.includes(answer.why))) store.giveUp()
      throw problemOf(answer, ticket)
    }
    step = 'storing'
    const payload = options.training ? { ...answer.payload, clientSecret: null, pins: [] } : answer.payload
    store.store(payload, ticket, key)
    const people = await setPins(options, payload.pins)
    const { clientSecret, deviceToken } = payload
    options.record({
      kind: 'lane-enrolled',
      actorId: null,
      subject: ticket.code.id,
      detail: { service: ticket.service, secret: clientSecret !== null, people },
    })
    store.giveUp()
    hasSecret ||= clientSecret !== null
    // If this confirmation fails, the service deletes its stored answer when it expires.
    const isConfirmed = await confirm({ ticket, key }, deviceToken)
    log.info({ code: ticket.code.id, confirmed: isConfirmed }, 'this lane is enrolled')
    return {
      codeId: ticket.code.id,
      secret: clientSecret !== null,
      people,
      clockAheadMinutes: minutesOff(answer.clockAheadMs),
      restarts: restartSoon(),
    }
  }

  function restartSoon(): boolean {
    const { restart } = options
    if (restart === undefined) return false
    clock.after(RESTART_MS, restart)
    return true
  }

  return {
    isOffered,
    status: (): EnrolmentStatus => ({ offered: isOffered(), step, interrupted: store.pending()?.codeId ?? null }),
    /** Enrols at the lane without a sign-in, only while it is offered. Throws ProblemError. */
    async enrolHere(request: EnrolmentRequest): Promise<EnrolmentDone> {
      if (!isOffered()) throw new ProblemError('enrolment-not-now')
      const ticket = ticketOf(request)
      // Require the service, code and certificate of the interrupted enrolment: otherwise a passer-by could enrol the
      // lane with another code and service while an installer is at work.
      if (!isBare() && ticketHashOf(ticket) !== unfinished()) throw new ProblemError('enrolment-not-now')
      return enrol(ticket)
    },
    /** Enrols by the installer's CLI command, even a lane that was enrolled before. Rejects with ProblemError. */
    enrol: async (request: EnrolmentRequest): Promise<EnrolmentDone> => enrol(ticketOf(request)),
  }
}

async function setPins({ staff, log }: EnrolmentOptions, pins: EnrolmentPayload['pins']): Promise<number> {
  let set = 0
  for (const { staff: id, pin } of pins) {
    try {
      await staff.setPin(id, pin)
      set += 1
    } catch (error) {
      // The person may have left, or the profile may require longer PINs: that PIN is skipped.
      if (!(error instanceof ProblemError)) throw error
      log.warn({ staff: id, reason: error.code }, 'a PIN of the enrolment was rejected')
    }
  }
  return set
}

const minutesOff = (aheadMs: number | null): number | null =>
  aheadMs !== null && Math.abs(aheadMs) > CLOCK_MS ? Math.round(aheadMs / 60_000) : null

function problemOf(refused: Refused, { certificate }: EnrolmentTicket): ProblemError {
  const { why, triesLeft, belongsTo, clockAheadMs } = refused
  const off = minutesOff(clockAheadMs)
  // If the sheet was typed without its certificate, the refusal does not mean that another server answered.
  const isCheckMissing = why === 'certificate' && certificate === null
  return new ProblemError(isCheckMissing ? 'enrolment-check-needed' : `enrolment-${why}`, [
    ...(triesLeft === undefined ? [] : [{ path: 'triesLeft', message: String(triesLeft) }]),
    ...(belongsTo === undefined
      ? []
      : [
          { path: 'store', message: belongsTo.store },
          { path: 'lane', message: belongsTo.lane },
        ]),
    ...(off === null ? [] : [{ path: 'clockAheadMinutes', message: String(off) }]),
  ])
}

export function enrolmentRoutes(ctx: Ctx, app: App): void {
  const enrolment = enrolmentOf(ctx)
  serve(app, enrolmentContract['GET /enrolment'], () => enrolment.status())
  serve(app, enrolmentContract['POST /enrolment'], (request) => enrolment.enrolHere(request.body))
}

/**
 * Parses what a person typed or scanned from an enrolment sheet. Throws ProblemError for invalid input without calling
 * the service.
 */
export function ticketOf({
  code: typed,
  service: address = '',
  certificate: print = '',
}: EnrolmentRequest): EnrolmentTicket {
  if (isTicket(typed.trim())) {
    const ticket = parseTicket(typed.trim())
    if (ticket === null) throw new ProblemError('enrolment-code-invalid')
    return ticket
  }
  const code = parseCode(typed)
  if ('mistake' in code) throw new ProblemError('enrolment-code-invalid')
  const service = parseService(address)
  if (service === null) throw new ProblemError('enrolment-service-invalid')
  const certificate = print.trim() === '' ? null : parseFingerprint(print)
  if (print.trim() !== '' && certificate === null) throw new ProblemError('enrolment-certificate-invalid')
  return { service, code, certificate }
}

export const enrolmentOf = perLane((ctx) => {
  const { clientSecret, restart } = programOf(ctx)
  return createEnrolment({
    ...ctx,
    store: laneStoreOf(ctx),
    identity: { store: ctx.profile.store.id, lane: ctx.lane.id },
    training: ctx.profile.mode === 'training',
    hasSecret: clientSecret !== null,
    staff: staffOf(ctx),
    record: recordOf(ctx),
    restart,
  })
})
