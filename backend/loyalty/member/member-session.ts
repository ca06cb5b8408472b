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

/**
 * RFC 8628 §3.5: each `slow_down` adds five seconds to the polling interval permanently. See
 * docs/decisions/0024-members-sign-in-by-phone.md.
 */
const SLOWER_MS = 5_000
/** RFC 8628 §3.5: the polling interval doubles after each failed poll, up to this maximum. */
const MAX_PAUSE_MS = 30_000
const MAX_DURATION_MS = 15 * 60_000
/** The minimum interval between polls, for a provider that sends zero. */
const MIN_INTERVAL_MS = 1_000
/**
 * Time in ms before the lane expires a code. If the provider reports within this time that it does not know the code,
 * the code counts as expired, because the provider started to count earlier.
 */
const CLOCK_SKEW_MS = 3_000
/**
 * Maximum lifetime of a token at the lane: no sale takes longer, and a timer would overflow with a lifetime of months.
 */
const MAX_TOKEN_MS = 24 * 3_600_000

export type WaitingSession = Extract<MemberSession, { state: 'waiting' }>

interface ActiveSession {
  readonly saleId: SaleId
  /** The collector when the sign-in began. Another card ends the sign-in. */
  readonly memberHash: Buffer
  view: MemberSession
  access: MemberAccess | null
  readonly calls: AbortController
  cancelTimer: () => void
}

const memberSessionsStateOf = perLane(() => ({ held: null as ActiveSession | null }))

function isCurrent(ctx: Ctx, { saleId, memberHash }: ActiveSession): boolean {
  const sale = saleRowsOf(ctx).byId(saleId)
  return sale?.state === 'open' && sale.memberHash !== null && memberHash.equals(sale.memberHash)
}

function show(ctx: Ctx, session: ActiveSession, view: MemberSession): void {
  session.view = view
  ctx.publish({ type: 'member-session', session: view })
}

function end(ctx: Ctx, session: ActiveSession, why: SessionEnd | null): void {
  const state = memberSessionsStateOf(ctx)
  session.cancelTimer()
  session.calls.abort()
  if (session.access) revoke(ctx, session.access.memberToken)
  session.access = null
  if (state.held !== session) return
  if (why === null) {
    state.held = null
    ctx.publish({ type: 'member-session', session: null })
  } else show(ctx, session, { state: 'ended', saleId: session.saleId, why })
}

/** Revokes a token in the background. If that fails, the token expires by itself. */
function revoke(ctx: Ctx, token: string): void {
  servicesOfMember(ctx)
    .signIn.revoke(token)
    .then((reason) => {
      if (reason !== null)
        ctx.log.info({ reason }, 'could not revoke a member’s token at the provider: it expires by itself')
    })
    .catch((error: unknown) => {
      ctx.log.error({ err: error }, 'could not revoke a member’s token at the provider: it expires by itself')
    })
}

function isActive(ctx: Ctx, session: ActiveSession): boolean {
  const state = memberSessionsStateOf(ctx)
  if (state.held !== session || session.view.state === 'ended') return false
  if (isCurrent(ctx, session)) return true
  end(ctx, session, null)
  return false
}

async function ask(ctx: Ctx, session: ActiveSession, from: MemberSignIn): Promise<void> {
  let code: SignInCode
  try {
    code = await from.begin(session.calls.signal)
  } catch (error) {
    if (!isActive(ctx, session)) return
    ctx.log.warn({ reason: codeOf(error) }, 'could not get a code for a member’s sign-in from the provider')
    end(ctx, session, 'unreachable')
    return
  }
  if (!isActive(ctx, session)) return
  const { userCode, page, pageWithCode, deviceCode } = code
  const lifeMs = Math.min(code.expiresInMs, MAX_DURATION_MS)
  show(ctx, session, {
    state: 'waiting',
    saleId: session.saleId,
    userCode,
    page,
    pageWithCode: pageWithCode ?? page,
    expiresAt: isoOf(ctx.clock.now() + lifeMs),
  })
  const endsAt = ctx.clock.monotonic() + lifeMs
  poll(ctx, session, from, deviceCode, endsAt, Math.max(code.intervalMs, MIN_INTERVAL_MS), 0)
}

/** Polls at once and then after each interval, until the member has decided or the code has expired. */
function poll(
  ctx: Ctx,
  session: ActiveSession,
  from: MemberSignIn,
  deviceCode: string,
  endsAt: number,
  intervalMs: number,
  waitMs: number,
): void {
  const left = Math.max(0, endsAt - ctx.clock.monotonic())
  const take = (polled: Polled): void => {
    if (!isActive(ctx, session)) return
    const next = intervalAfter(polled, intervalMs)
    const isOver = endsAt - ctx.clock.monotonic() <= CLOCK_SKEW_MS
    if (!applyPoll(ctx, session, isOver && polled.kind === 'gone' ? { kind: 'expired' } : polled))
      poll(ctx, session, from, deviceCode, endsAt, next, next)
  }
  session.cancelTimer = ctx.clock.after(Math.min(waitMs, left), () => {
    if (!isActive(ctx, session)) return
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
          // Revoke the token of a person who is not the sale's collector, or one that arrived after the sign-in had
          // ended.
          if (polled.kind === 'member' && session.access === null) revoke(ctx, polled.token)
        }
      })
      .catch(failed(ctx, session))
  })
}

const failed =
  (ctx: Ctx, session: ActiveSession) =>
  (error: unknown): void => {
    ctx.log.error({ err: error }, 'a member’s sign-in failed: ending it')
    end(ctx, session, 'refused')
  }

function applyPoll(ctx: Ctx, session: ActiveSession, polled: Polled): boolean {
  switch (polled.kind) {
    case 'pending':
    case 'slow-down':
      return false
    case 'failed':
      ctx.log.info({ reason: polled.reason }, 'could not poll for a member’s sign-in: trying again')
      return false
    case 'denied':
    case 'expired':
      end(ctx, session, polled.kind)
      return true
    case 'gone':
      ctx.log.warn({ reason: polled.reason }, 'the provider refused a member’s sign-in')
      end(ctx, session, 'refused')
      return true
    case 'member':
      takeMember(ctx, session, polled)
      return true
  }
}

function takeMember(ctx: Ctx, session: ActiveSession, member: Extract<Polled, { kind: 'member' }>): void {
  const sale = saleRowsOf(ctx).byId(session.saleId)
  if (!sale || collectorOf(ctx, sale) !== member.collectorNumber) {
    end(ctx, session, 'someone-else')
    return
  }
  session.access = { memberToken: member.token, signal: session.calls.signal }
  session.cancelTimer = ctx.clock.after(Math.min(member.endsInMs, MAX_TOKEN_MS), () => {
    end(ctx, session, 'token-expired')
  })
  show(ctx, session, { state: 'signed-in', saleId: session.saleId, at: isoOf(ctx.clock.now()) })
}

const current = (ctx: Ctx): MemberSessionNow => ({
  offered: memberServicesOf(ctx) !== null,
  session: memberSessionsStateOf(ctx).held?.view ?? null,
})

/**
 * Begins a sign-in of the sale's collector, replacing an active one. Returns at once; events report the result. Throws
 * ProblemError `member-sign-in-off`, `not-found`, `sale-not-open` or `member-missing`.
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
  const session: ActiveSession = {
    saleId,
    memberHash: Buffer.from(sale.memberHash),
    view: { state: 'asking', saleId },
    access: null,
    calls: new AbortController(),
    cancelTimer: () => undefined,
  }
  state.held = session
  show(ctx, session, session.view)
  ask(ctx, session, signIn).catch(failed(ctx, session))
  return current(ctx)
}

function cancel(ctx: Ctx, saleId: SaleId): MemberSessionNow {
  const state = memberSessionsStateOf(ctx)
  if (state.held?.saleId === saleId) end(ctx, state.held, null)
  return current(ctx)
}

function activeOn(ctx: Ctx, saleId: string): ActiveSession | null {
  const { held } = memberSessionsStateOf(ctx)
  return held?.saleId === saleId && isActive(ctx, held) ? held : null
}

/** Returns the code that waits for the phone of this sale's collector, or null. The caller must not store the code. */
function waitingOn(ctx: Ctx, saleId: string): WaitingSession | null {
  const view = activeOn(ctx, saleId)?.view
  return view?.state === 'waiting' ? view : null
}

/** Returns the credentials of the member signed in on this sale, or null. The caller must not store them. */
const accessOf = (ctx: Ctx, saleId: string): MemberAccess | null => activeOn(ctx, saleId)?.access ?? null

function refused(ctx: Ctx, saleId: string): void {
  const state = memberSessionsStateOf(ctx)
  if (state.held?.saleId === saleId && state.held.access !== null) end(ctx, state.held, 'token-expired')
}

function onEvent(ctx: Ctx, { type }: TerminalEvent): void {
  const state = memberSessionsStateOf(ctx)
  if (state.held && (type === 'sale-changed' || type === 'sale-closed')) isActive(ctx, state.held)
  // Remove the result of an ended sign-in from the screens when its sale is not open any more or has another card.
  if (state.held && state.held.view.state === 'ended' && !isCurrent(ctx, state.held)) end(ctx, state.held, null)
}

function stop(ctx: Ctx): void {
  const state = memberSessionsStateOf(ctx)
  if (state.held) end(ctx, state.held, null)
}

/**
 * Signs in the collector of the open sale with their own phone; only one sign-in is active at a time. The token is only
 * in memory, in no table, log or event. The sale's end, another card, a cancel or a restart discards it. No sale waits
 * for a sign-in.
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
  return kind === 'failed' ? Math.max(intervalMs, Math.min(2 * intervalMs, MAX_PAUSE_MS)) : intervalMs
}
