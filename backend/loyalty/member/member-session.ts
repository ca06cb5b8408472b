import type { MemberSession, MemberSessionNow, SessionEnd } from '../../../contracts/loyalty/member.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import type { CollectorNumber, SaleId } from '../../../contracts/core/ids.ts'
import {
  codeOf,
  type MemberSignIn,
  type Polled,
  type SignInCode,
  type MemberAccess,
} from '../services/member-sign-in.ts'
import { isoOf, type Clock } from '../../core/clock.ts'
import { ProblemError } from '../../core/problem.ts'
import type { Logger } from '../../core/log.ts'
import type { SaleRow } from '../../sales/sale/sales.sql.ts'

export interface MemberSessionOptions {
  /** Null where members do not sign in at this lane. */
  readonly signIn: MemberSignIn | null
  /** The sale; undefined when there is none of that id. */
  readonly saleOf: (id: string) => SaleRow | undefined
  readonly collectorOf: (sale: SaleRow) => CollectorNumber | null
  readonly clock: Clock
  readonly publish: (event: TerminalEvent) => void
  readonly log: Logger
}

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

/**
 * The collector of the open sale signs in with their own phone. One sign-in at a time, and in memory alone: the token
 * is gone with the sale's end, another card, a cancel or a restart, and is in no table, log or event. Nothing here is
 * waited for by anything of a sale.
 */
export function createMemberSessions(options: MemberSessionOptions) {
  const { signIn, saleOf, collectorOf, clock, publish, log } = options
  let held: Held | null = null

  const stands = ({ saleId, memberHash }: Held): boolean => {
    const sale = saleOf(saleId)
    return sale?.state === 'open' && sale.memberHash !== null && memberHash.equals(sale.memberHash)
  }

  function show(session: Held, view: MemberSession): void {
    session.view = view
    publish({ type: 'member-session', session: view })
  }

  /** Forgets the token and what was to come; `why`: told to the screens, null: nothing is left to tell. */
  function end(session: Held, why: SessionEnd | null): void {
    session.callOff()
    session.calls.abort()
    if (session.access) revoke(session.access.memberToken)
    session.access = null
    if (held !== session) return
    if (why === null) {
      held = null
      publish({ type: 'member-session', session: null })
    } else show(session, { state: 'ended', saleId: session.saleId, why })
  }

  /** Nobody waits for it: what is not ended there ends with its time. */
  function revoke(token: string): void {
    signIn
      ?.revoke(token)
      .then((reason) => {
        if (reason !== null) log.info({ reason }, 'a member’s token was not ended at the provider')
      })
      .catch((error: unknown) => {
        log.error({ err: error }, 'a member’s token was not ended at the provider')
      })
  }

  /** Whether this sign-in is still the one that is wanted; ends it where the sale has gone on. */
  function goesOn(session: Held): boolean {
    if (held !== session || session.view.state === 'ended') return false
    if (stands(session)) return true
    end(session, null)
    return false
  }

  async function ask(session: Held, from: MemberSignIn): Promise<void> {
    let code: SignInCode
    try {
      code = await from.begin(session.calls.signal)
    } catch (error) {
      if (!goesOn(session)) return
      log.warn({ reason: codeOf(error) }, 'no code for a member’s sign-in')
      end(session, 'unreachable')
      return
    }
    if (!goesOn(session)) return
    const { userCode, page, pageWithCode, deviceCode } = code
    const lifeMs = Math.min(code.expiresInMs, MOST_MS)
    show(session, {
      state: 'waiting',
      saleId: session.saleId,
      userCode,
      page,
      pageWithCode: pageWithCode ?? page,
      expiresAt: isoOf(clock.now() + lifeMs),
    })
    const endsAt = clock.monotonic() + lifeMs
    poll(session, from, deviceCode, endsAt, Math.max(code.intervalMs, LEAST_INTERVAL_MS), 0)
  }

  /** Polls at once, then after each interval, until the member has decided or the code has expired: never beyond. */
  function poll(
    session: Held,
    from: MemberSignIn,
    deviceCode: string,
    endsAt: number,
    intervalMs: number,
    waitMs: number,
  ): void {
    const left = Math.max(0, endsAt - clock.monotonic())
    const take = (polled: Polled): void => {
      if (!goesOn(session)) return
      const next = intervalAfter(polled, intervalMs)
      const isOver = endsAt - clock.monotonic() <= CLOCKS_APART_MS
      if (!decided(session, isOver && polled.kind === 'gone' ? { kind: 'expired' } : polled))
        poll(session, from, deviceCode, endsAt, next, next)
    }
    session.callOff = clock.after(Math.min(waitMs, left), () => {
      if (!goesOn(session)) return
      if (clock.monotonic() >= endsAt) {
        end(session, 'expired')
        return
      }
      from
        .poll(deviceCode, session.calls.signal)
        .then((polled) => {
          try {
            take(polled)
          } finally {
            // Of another member, or come too late: nobody has it, and nobody is to find it.
            if (polled.kind === 'member' && session.access === null) revoke(polled.token)
          }
        })
        .catch(failed(session))
    })
  }

  /** The sale could not be read: that ends the sign-in, and nothing else. */
  const failed =
    (session: Held) =>
    (error: unknown): void => {
      log.error({ err: error }, 'a member’s sign-in could not go on')
      end(session, 'refused')
    }

  /** Answers whether the sign-in has ended, one way or the other. */
  function decided(session: Held, polled: Polled): boolean {
    switch (polled.kind) {
      case 'pending':
      case 'slow-down':
        return false
      case 'failed':
        log.info({ reason: polled.reason }, 'a member’s sign-in could not be asked about')
        return false
      case 'denied':
      case 'expired':
        end(session, polled.kind)
        return true
      case 'gone':
        log.warn({ reason: polled.reason }, 'a member’s sign-in was refused')
        end(session, 'refused')
        return true
      case 'member':
        takeMember(session, polled)
        return true
    }
  }

  function takeMember(session: Held, member: Extract<Polled, { kind: 'member' }>): void {
    const sale = saleOf(session.saleId)
    if (!sale || collectorOf(sale) !== member.collectorNumber) {
      end(session, 'someone-else')
      return
    }
    session.access = { memberToken: member.token, signal: session.calls.signal }
    session.callOff = clock.after(Math.min(member.endsInMs, MOST_TOKEN_MS), () => {
      end(session, 'token-expired')
    })
    show(session, { state: 'signed-in', saleId: session.saleId, at: isoOf(clock.now()) })
  }

  const current = (): MemberSessionNow => ({ offered: signIn !== null, session: held?.view ?? null })

  return {
    current,

    /**
     * Begins a sign-in of the sale's collector, in place of one that is under way. Answers at once; what becomes of it
     * is told by events. Throws ProblemError `member-sign-in-off`, `not-found`, `sale-not-open` or `member-missing`.
     */
    begin(saleId: SaleId): MemberSessionNow {
      if (!signIn) throw new ProblemError('member-sign-in-off')
      const sale = saleOf(saleId)
      if (!sale) throw new ProblemError('not-found')
      if (sale.state !== 'open') throw new ProblemError('sale-not-open')
      if (!sale.memberHash) throw new ProblemError('member-missing')
      if (held) end(held, null)
      const session: Held = {
        saleId,
        memberHash: Buffer.from(sale.memberHash),
        view: { state: 'asking', saleId },
        access: null,
        calls: new AbortController(),
        callOff: () => undefined,
      }
      held = session
      show(session, session.view)
      ask(session, signIn).catch(failed(session))
      return current()
    },

    /** The cashier or the customer does not go on with it: the token, if there is one, is forgotten. */
    cancel(saleId: SaleId): MemberSessionNow {
      if (held?.saleId === saleId) end(held, null)
      return current()
    },

    /** The code that waits for the phone of this sale's collector; null: none does. Never kept by whoever asks. */
    waitingOn: (saleId: string): WaitingSession | null =>
      held?.saleId === saleId && goesOn(held) && held.view.state === 'waiting' ? held.view : null,

    /** What calls for whoever has signed in on this sale take; null: nobody has. Never kept by whoever asks. */
    accessOf: (saleId: string): MemberAccess | null => (held?.saleId === saleId && goesOn(held) ? held.access : null),

    /** A service has refused the token: the member signs in again. */
    refused(saleId: string): void {
      if (held?.saleId === saleId && held.access !== null) end(held, 'token-expired')
    },

    /** Ends the sign-in when its sale has ended, waits, or has another collector. */
    onEvent({ type }: TerminalEvent): void {
      if (held && (type === 'sale-changed' || type === 'sale-closed')) goesOn(held)
      // What an ended sign-in said goes with its sale too.
      if (held && held.view.state === 'ended' && !stands(held)) end(held, null)
    },

    stop(): void {
      if (held) end(held, null)
    },
  }
}

function intervalAfter({ kind }: Polled, intervalMs: number): number {
  if (kind === 'slow-down') return intervalMs + SLOWER_MS
  return kind === 'failed' ? Math.max(intervalMs, Math.min(2 * intervalMs, MOST_PAUSE_MS)) : intervalMs
}
