import type {
  EnrolmentDone,
  EnrolmentOrder,
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
import { type NotEnrolled, type Refused, confirm, exchange } from '../../../packages/delivery/enrolment/ask.ts'
import type { Clock } from '../../core/clock.ts'
import { ProblemError } from '../../core/problem.ts'
import type { Logger } from '../../core/log.ts'
import type { AuditEntry } from '../../core/audit.ts'
import { type StaffService, staffOf } from '../../staff/sign-in.ts'
import { type LaneStore, orderOf, laneStoreOf } from './lane-store.ts'
import type { App } from '../../core/http/app.ts'
import { enrolmentContract } from '../../../contracts/operations/operations.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { recordOf } from '../../core/record.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { programOf } from '../../core/program/lane-program.ts'

/** A clock that is further off than this is said so: tokens and prices go by it. */
const CLOCK_MS = 5 * 60_000
/** So long the service tells a lane once more what it did not hear. */
const AGAIN_MS = 10 * 60_000
/** Of a code for which this was said nothing will come any more, whatever was begun with it. */
const OVER: readonly NotEnrolled[] = ['used', 'expired', 'revoked', 'locked']
/** Nobody knows whether the service has heard. */
const UNKNOWN: readonly NotEnrolled[] = ['no-network', 'busy']
/** The answer reaches the window before the terminal ends. */
const RESTART_MS = 500

export interface EnrolmentOptions {
  readonly store: LaneStore
  readonly identity: { readonly store: string; readonly lane: string }
  /** Training has secrets and PINs of its own: a code brings it the way to its store’s server, and nothing else. */
  readonly training: boolean
  /** Whether this start found a client secret. */
  readonly hasSecret: boolean
  readonly staff: Pick<StaffService, 'setPin' | 'locks'>
  readonly record: (entry: AuditEntry) => void
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Logger
  /** Ends the program, to be started again with what came; left out where nobody would. */
  readonly restart?: (() => void) | undefined
  /** Waits between tries without a network, in milliseconds. */
  readonly pausesMs?: readonly number[]
}

export type Enrolment = ReturnType<typeof createEnrolment>

/** Exchanges the one-time code of a lane for what it needs to sell, and puts that where it belongs. */
export function createEnrolment(options: EnrolmentOptions) {
  const { store, identity, staff, clock, log } = options
  let step: EnrolmentStatus['step'] = null
  let { hasSecret } = options

  const nobodyHasPin = (): boolean => staff.locks().every(({ pin }) => pin === 'none')
  const isBare = (): boolean => nobodyHasPin() && (!hasSecret || store.pending() !== null)
  /** The order of an enrolment that was cut off, as long as the service says the same again. */
  function unfinished(): string | null {
    const begun = store.pending()
    return begun !== null && Math.abs(clock.now() - begun.at) < AGAIN_MS ? begun.order : null
  }
  /**
   * Where people have PINs, or the lane sells, it is an open door for nobody: what comes then is the installer's. An
   * enrolment that was cut off is finished here.
   */
  const isOffered = (): boolean => !options.training && (isBare() || unfinished() !== null)

  // Begun once, and done by hand in the end: the day when everybody here is somebody new, it would be an open door.
  if (hasSecret && !nobodyHasPin() && unfinished() === null) store.giveUp()

  /** Throws ProblemError. */
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
    store.keep(payload, ticket, key)
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
    // Where that is not heard the answer's time ends by itself.
    const heard = await confirm({ ticket, key }, deviceToken)
    log.info({ code: ticket.code.id, heard }, 'this lane is enrolled')
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
    /** At the lane, where nobody has signed in: only while nothing stands on it. Throws ProblemError. */
    async enrolHere(order: EnrolmentOrder): Promise<EnrolmentDone> {
      if (!isOffered()) throw new ProblemError('enrolment-not-now')
      const ticket = ticketOf(order)
      // Else whoever passes by while an installer is at it could have a code and a service of their own.
      if (!isBare() && orderOf(ticket) !== unfinished()) throw new ProblemError('enrolment-not-now')
      return enrol(ticket)
    },
    /** By the installer's command, on a lane that has been enrolled before too. Rejects with ProblemError. */
    enrol: async (order: EnrolmentOrder): Promise<EnrolmentDone> => enrol(ticketOf(order)),
  }
}

/** Answers how many were set. */
async function setPins({ staff, log }: EnrolmentOptions, pins: EnrolmentPayload['pins']): Promise<number> {
  let set = 0
  for (const { staff: id, pin } of pins) {
    try {
      await staff.setPin(id, pin)
      set += 1
    } catch (error) {
      // Who left since, or a profile that asks for longer PINs: the others come in all the same.
      if (!(error instanceof ProblemError)) throw error
      log.warn({ staff: id, reason: error.code }, 'a PIN of the enrolment was not taken')
    }
  }
  return set
}

/** Whole minutes; null where it is near enough. */
const minutesOff = (aheadMs: number | null): number | null =>
  aheadMs !== null && Math.abs(aheadMs) > CLOCK_MS ? Math.round(aheadMs / 60_000) : null

function problemOf(refused: Refused, { certificate }: EnrolmentTicket): ProblemError {
  const { why, triesLeft, belongsTo, clockAheadMs } = refused
  const off = minutesOff(clockAheadMs)
  // What was left out is no server in another's place.
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

/** The enrolment of this lane, before anybody can sign in at it. */
export function enrolmentRoutes(ctx: Ctx, app: App): void {
  const enrolment = enrolmentOf(ctx)
  serve(app, enrolmentContract['GET /enrolment'], () => enrolment.status())
  serve(app, enrolmentContract['POST /enrolment'], (request) => enrolment.enrolHere(request.body))
}

/** What somebody typed or scanned, as what is asked for. Throws ProblemError for what nobody needs to be asked. */
export function ticketOf({
  code: typed,
  service: address = '',
  certificate: print = '',
}: EnrolmentOrder): EnrolmentTicket {
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
