import type { MemberSession, MemberSessionNow, SessionEnd } from '../../../contracts/loyalty/member.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import {
  codeOf,
  type MemberSignIn,
  type Polled,
  type SignInCode,
  type MemberAccess,
} from '../services/member-sign-in.ts'
import { isoOf } from '../../core/clock.ts'
import { ProblemError } from '../../core/problem.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { collectorOf } from '../../sales/collector.ts'
import { memberServicesOf, servicesOfMember } from '../services/member-services.ts'
import { bound, type Ctx, perLane } from '../../core/context.ts'
import { onStop } from '../../core/lifecycle.ts'

/** RFC 8628 §3.5: each "slow down" adds five seconds, for good. */
const SLOWER_MS = 5_000
/** RFC 8628 §3.5: a provider that does not answer is asked half as often each time, down to this. */
const MOST_PAUSE_MS = 30_000
/** Beyond the sign-in's own end nothing is polled, and no answer is waited for without an end. */
const MOST_MS = 15 * 60_000
/** A provider that says "no interval" is not asked without a pause. */
const LEAST_INTERVAL_MS = 1_000
/** A provider counts from before the lane does, and may know nothing any more of a code that has just expired. */
const CLOCKS_APART_MS = 3_000
/** No sale takes so long, and no timer holds the months that a provider may say: it would end at once. */
const MOST_TOKEN_MS = 24 * 3_600_000

/** A code that the collector's phone has not been used with yet. */
export type WaitingSession = Extract<MemberSession, { state: 'waiting' }>

interface Held {
  readonly saleId: SaleId
  /** Of the collector on the sale when the sign-in began: another card is another member. */
  readonly memberHash: Buffer
  view: MemberSession
  access: MemberAccess | null
  /** Of every call that is made for it, the first question to the last: they end with the sign-in. */
  readonly calls: AbortController
  /** Calls off what comes next: a poll, or the token's end. */
  callOff: () => void
}

const memberSessionsStateOf = perLane(() => ({ held: null as Held | null }))

function stands(ctx: Ctx, { saleId, memberHash }: Held): boolean {
  const sale = saleRowsOf(ctx).byId(saleId)
  return sale?.state === 'open' && sale.memberHash !== null && memberHash.equals(sale.memberHash)
}

function show(ctx: Ctx, session: Held, view: MemberSession): void {
  session.view = view
  ctx.publish({ type: 'member-session', session: view })
}

/** Forgets the token and what was to come; `why`: told to the screens, null: nothing is left to tell. */
function end(ctx: Ctx, session: Held, why: SessionEnd | null): void {
  const state = memberSessionsStateOf(ctx)
  session.callOff()
  session.calls.abort()
  if (session.access) revoke(ctx, session.access.memberToken)
  session.access = null
  if (state.held !== session) return
  if (why === null) {
    state.held = null
    ctx.publish({ type: 'member-session', session: null })
  } else show(ctx, session, { state: 'ended', saleId: session.saleId, why })
}

/** Nobody waits for it: what is not ended there ends with its time. */
function revoke(ctx: Ctx, token: string): void {
  servicesOfMember(ctx)
    .signIn.revoke(token)
    .then((reason) => {
      if (reason !== null) ctx.log.info({ reason }, 'a member’s token was not ended at the provider')
    })
    .catch((error: unknown) => {
      ctx.log.error({ err: error }, 'a member’s token was not ended at the provider')
    })
}

/** Whether this sign-in is still the one that is wanted; ends it where the sale has gone on. */
function goesOn(ctx: Ctx, session: Held): boolean {
  const state = memberSessionsStateOf(ctx)
  if (state.held !== session || session.view.state === 'ended') return false
  if (stands(ctx, session)) return true
  end(ctx, session, null)
  return false
}

async function ask(ctx: Ctx, session: Held, from: MemberSignIn): Promise<void> {
  let code: SignInCode
  try {
    code = await from.begin(session.calls.signal)
  } catch (error) {
    if (!goesOn(ctx, session)) return
    ctx.log.warn({ reason: codeOf(error) }, 'no code for a member’s sign-in')
    end(ctx, session, 'unreachable')
    return
  }
  if (!goesOn(ctx, session)) return
  const { userCode, page, pageWithCode, deviceCode } = code
  const lifeMs = Math.min(code.expiresInMs, MOST_MS)
  show(ctx, session, {
    state: 'waiting',
    saleId: session.saleId,
    userCode,
    page,
    pageWithCode: pageWithCode ?? page,
    expiresAt: isoOf(ctx.clock.now() + lifeMs),
  })
  const endsAt = ctx.clock.monotonic() + lifeMs
  poll(ctx, session, from, deviceCode, endsAt, Math.max(code.intervalMs, LEAST_INTERVAL_MS), 0)
}

/** Polls at once, then after each interval, until the member has decided or the code has expired: never beyond. */
function poll(
  ctx: Ctx,
  session: Held,
  from: MemberSignIn,
  deviceCode: string,
  endsAt: number,
  intervalMs: number,
  waitMs: number,
): void {
  const left = Math.max(0, endsAt - ctx.clock.monotonic())
  const take = (polled: Polled): void => {
    if (!goesOn(ctx, session)) return
    const next = intervalAfter(polled, intervalMs)
    const isOver = endsAt - ctx.clock.monotonic() <= CLOCKS_APART_MS
    if (!decided(ctx, session, isOver && polled.kind === 'gone' ? { kind: 'expired' } : polled))
      poll(ctx, session, from, deviceCode, endsAt, next, next)
  }
  session.callOff = ctx.clock.after(Math.min(waitMs, left), () => {
    if (!goesOn(ctx, session)) return
    if (ctx.clock.monotonic() >= endsAt) {
      end(ctx, session, 'expired')
      return
    }
    from
      .poll(deviceCode, session.calls.signal)
      .then((polled) => {
        try {
          take(polled)
        } finally {
          // Of another member, or come too late: nobody has it, and nobody is to find it.
          if (polled.kind === 'member' && session.access === null) revoke(ctx, polled.token)
        }
      })
      .catch(failed(ctx, session))
  })
}

/** The sale could not be read: that ends the sign-in, and nothing else. */
const failed =
  (ctx: Ctx, session: Held) =>
  (error: unknown): void => {
    ctx.log.error({ err: error }, 'a member’s sign-in could not go on')
    end(ctx, session, 'refused')
  }

/** Answers whether the sign-in has ended, one way or the other. */
function decided(ctx: Ctx, session: Held, polled: Polled): boolean {
  switch (polled.kind) {
    case 'pending':
    case 'slow-down':
      return false
    case 'failed':
      ctx.log.info({ reason: polled.reason }, 'a member’s sign-in could not be asked about')
      return false
    case 'denied':
    case 'expired':
      end(ctx, session, polled.kind)
      return true
    case 'gone':
      ctx.log.warn({ reason: polled.reason }, 'a member’s sign-in was refused')
      end(ctx, session, 'refused')
      return true
    case 'member':
      takeMember(ctx, session, polled)
      return true
  }
}

function takeMember(ctx: Ctx, session: Held, member: Extract<Polled, { kind: 'member' }>): void {
  const sale = saleRowsOf(ctx).byId(session.saleId)
  if (!sale || collectorOf(ctx, sale) !== member.collectorNumber) {
    end(ctx, session, 'someone-else')
    return
  }
  session.access = { memberToken: member.token, signal: session.calls.signal }
  session.callOff = ctx.clock.after(Math.min(member.endsInMs, MOST_TOKEN_MS), () => {
    end(ctx, session, 'token-expired')
  })
  show(ctx, session, { state: 'signed-in', saleId: session.saleId, at: isoOf(ctx.clock.now()) })
}

const current = (ctx: Ctx): MemberSessionNow => ({
  offered: memberServicesOf(ctx) !== null,
  session: memberSessionsStateOf(ctx).held?.view ?? null,
})

/**
 * Begins a sign-in of the sale's collector, in place of one that is under way. Answers at once; what becomes of it
 * is told by events. Throws ProblemError `member-sign-in-off`, `not-found`, `sale-not-open` or `member-missing`.
 */
function begin(ctx: Ctx, saleId: SaleId): MemberSessionNow {
  const state = memberSessionsStateOf(ctx)
  const signIn = memberServicesOf(ctx)?.signIn
  if (!signIn) throw new ProblemError('member-sign-in-off')
  const sale = saleRowsOf(ctx).byId(saleId)
  if (!sale) throw new ProblemError('not-found')
  if (sale.state !== 'open') throw new ProblemError('sale-not-open')
  if (!sale.memberHash) throw new ProblemError('member-missing')
  if (state.held) end(ctx, state.held, null)
  const session: Held = {
    saleId,
    memberHash: Buffer.from(sale.memberHash),
    view: { state: 'asking', saleId },
    access: null,
    calls: new AbortController(),
    callOff: () => undefined,
  }
  state.held = session
  show(ctx, session, session.view)
  ask(ctx, session, signIn).catch(failed(ctx, session))
  return current(ctx)
}

/** The cashier or the customer does not go on with it: the token, if there is one, is forgotten. */
function cancel(ctx: Ctx, saleId: SaleId): MemberSessionNow {
  const state = memberSessionsStateOf(ctx)
  if (state.held?.saleId === saleId) end(ctx, state.held, null)
  return current(ctx)
}

/** The sign-in of this sale, as long as it goes on. */
function heldOn(ctx: Ctx, saleId: string): Held | null {
  const { held } = memberSessionsStateOf(ctx)
  return held?.saleId === saleId && goesOn(ctx, held) ? held : null
}

/** The code that waits for the phone of this sale's collector; null: none does. Never kept by whoever asks. */
function waitingOn(ctx: Ctx, saleId: string): WaitingSession | null {
  const view = heldOn(ctx, saleId)?.view
  return view?.state === 'waiting' ? view : null
}

/** What calls for whoever has signed in on this sale take; null: nobody has. Never kept by whoever asks. */
const accessOf = (ctx: Ctx, saleId: string): MemberAccess | null => heldOn(ctx, saleId)?.access ?? null

/** A service has refused the token: the member signs in again. */
function refused(ctx: Ctx, saleId: string): void {
  const state = memberSessionsStateOf(ctx)
  if (state.held?.saleId === saleId && state.held.access !== null) end(ctx, state.held, 'token-expired')
}

/** Ends the sign-in when its sale has ended, waits, or has another collector. */
function onEvent(ctx: Ctx, { type }: TerminalEvent): void {
  const state = memberSessionsStateOf(ctx)
  if (state.held && (type === 'sale-changed' || type === 'sale-closed')) goesOn(ctx, state.held)
  // What an ended sign-in said goes with its sale too.
  if (state.held && state.held.view.state === 'ended' && !stands(ctx, state.held)) end(ctx, state.held, null)
}

function stop(ctx: Ctx): void {
  const state = memberSessionsStateOf(ctx)
  if (state.held) end(ctx, state.held, null)
}

/**
 * The collector of the open sale signs in with their own phone. One sign-in at a time, and in memory alone: the token
 * is gone with the sale's end, another card, a cancel or a restart, and is in no table, log or event. Nothing here is
 * waited for by anything of a sale.
 */
export const memberSessionsOf = perLane((ctx: Ctx) => {
  onStop(ctx, () => stop(ctx))
  return bound(ctx, {
    current,
    begin,
    cancel,
    waitingOn,
    accessOf,
    refused,
    onEvent,
  })
})

function intervalAfter({ kind }: Polled, intervalMs: number): number {
  if (kind === 'slow-down') return intervalMs + SLOWER_MS
  return kind === 'failed' ? Math.max(intervalMs, Math.min(2 * intervalMs, MOST_PAUSE_MS)) : intervalMs
}
