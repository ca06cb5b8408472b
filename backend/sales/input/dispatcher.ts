import type { Item } from '../../../contracts/catalog/catalog.ts'
import type { Staff } from '../../../contracts/staff/session.ts'
import { controlOf } from '../../../contracts/core/text.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { SaleId, maskCollectorNumber } from '../../../contracts/core/ids.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import type { ScannedLabel } from '../scanning/scanning.ts'
import { isVoucherCode, looksLikeVoucher } from '../../core/scan-codes.ts'
import type { CardReads, Gesture } from '../../core/devices/reads.ts'
import { ProblemError } from '../../core/problem.ts'
import { problemMessages } from '../../core/i18n.ts'
import type { Logger } from '../../core/log.ts'
import type { Clock } from '../../core/clock.ts'
import { z } from 'zod'
import { ClaimInput, TouchWindow } from '../../../contracts/sales/input.ts'
import type { Routes } from '../../core/http/app.ts'
import type { Measure } from '../../../contracts/catalog/measure.ts'

export interface InputDispatcherOptions {
  readonly profile: Pick<Profile, 'controlCodes'>
  readonly cardReads: CardReads
  readonly claims: InputClaims
  readonly signedIn: () => Staff | null
  /** Puts the collector of a read on the sale and asks INQUIRE. Throws ProblemError. */
  readonly identify: (readId: string) => unknown
  /** Rings an item; says itself what it could not. */
  readonly ring: (code: string, measure?: Measure, label?: ScannedLabel) => void
  /** A code that is money. */
  readonly presentVoucher: (code: string) => void
  readonly findItem: (code: string) => Item | undefined
  /** Whether the code is a coupon's, on whatever day. */
  readonly isCoupon: (code: string) => boolean
  /** Holds a badge until a window uses it. */
  readonly holdBadge: (number: string) => string
  /** Whether a badge may sign in here. Throws ProblemError. */
  readonly checkBadge: (number: string) => void
  /** News to every window, or with `stream` to one. */
  readonly publish: (event: TerminalEvent, stream?: string) => void
  readonly log: Logger
}

export type InputDispatcher = ReturnType<typeof createInputDispatcher>

/**
 * Decides what a gesture means, by what it is and by the state of the lane, and acts: a collector's card goes to
 * INQUIRE and an item into the basket without a round trip through a window. What a person must do is told to the
 * window that acts.
 */
export function createInputDispatcher(options: InputDispatcherOptions) {
  const { profile, cardReads, claims, publish, log } = options

  function card({ collectorNumber, entryMode }: Extract<Gesture, { kind: 'card' }>): void {
    // Nobody is there to serve: it stays nobody's.
    if (options.signedIn() === null) return
    const { readId, last4 } = cardReads.hold(collectorNumber, entryMode)
    log.info({ entryMode, card: maskCollectorNumber(last4) }, 'card presented')
    const claimer = claims.holder('cards')
    if (claimer !== undefined) return publish({ type: 'card-claimed', readId, entryMode, last4 }, claimer)
    publish({ type: 'card-read', entryMode, last4 })
    try {
      options.identify(readId)
    } catch (error) {
      // A card comes from a wire: there is nobody to answer, and a refusal must not end the program. The screens tell
      // it.
      if (!(error instanceof ProblemError)) throw error
      publish({ type: 'scan-refused', code: error.code, messages: problemMessages(error.code) })
    }
  }

  function badge({ number }: Extract<Gesture, { kind: 'badge' }>): void {
    const claimer = claims.holder('badges')
    if (claimer !== undefined) return publish({ type: 'badge-claimed', readId: options.holdBadge(number) }, claimer)
    try {
      if (options.signedIn() !== null) throw new ProblemError('badge-not-now')
      options.checkBadge(number)
      // A sign-in is of one window: it is asked for by the window that is told.
      publish({ type: 'badge-presented', readId: options.holdBadge(number) })
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      publish({ type: 'scan-refused', code: error.code, messages: problemMessages(error.code) })
    }
  }

  function code({ code, measure, base, lot, expiry, unknown }: Extract<Gesture, { kind: 'code' }>): void {
    // Printed as a QR code where the paper was too narrow for bars: the check letters tell it from any item's.
    if (!unknown && isVoucherCode(code)) return options.presentVoucher(code)
    const control = unknown ? null : controlOf(profile.controlCodes, code)
    if (control !== null) return publish({ type: 'control-scanned', control })
    const claimer = claims.holder('items')
    if (claimer === undefined) return options.ring(code, measure, { base, lot, expiry })
    // A label with its own price has none of today's and is called unknown.
    const item = measure === undefined ? options.findItem(code) : undefined
    publish(item ? { type: 'item-for-return', item } : { type: 'scan-unknown', code }, claimer)
  }

  /** A code with the shape of a receipt's or voucher's, which an item or coupon may have too. */
  function document(id: string): void {
    if (!isVoucherCode(id) && (options.findItem(id) !== undefined || options.isCoupon(id)))
      return code({ kind: 'code', code: id, unknown: false })
    if (looksLikeVoucher(id)) return options.presentVoucher(id)
    publish({ type: 'receipt-scanned', saleId: SaleId.parse(id) })
  }

  return (gesture: Gesture): void => {
    switch (gesture.kind) {
      case 'card':
        return card(gesture)
      case 'card-refused':
        return publish({ type: 'card-refused', reason: gesture.reason })
      case 'badge':
        return badge(gesture)
      case 'code':
        return code(gesture)
      case 'receipt':
        return document(gesture.id)
      case 'enrolment':
        // It is worth a client secret: at a lane that sells, nobody is shown it.
        return options.signedIn() === null
          ? publish({ type: 'enrolment-scanned', ticket: gesture.ticket })
          : publish({ type: 'scan-unreadable' })
      case 'unreadable':
        return publish({ type: 'scan-unreadable' })
    }
  }
}

export interface ActingWindowOptions {
  /** Sends to one stream of events alone. */
  readonly notify: (event: TerminalEvent, stream: string) => void
  /** Whether the stream of this name is open. */
  readonly isOpen: (stream: string) => boolean
}

/** Names of closed windows are forgotten when there are more. */
const MOST = 8

export type ActingWindow = ReturnType<typeof createActingWindow>

/**
 * The window that was touched last does what a gesture asks of a person: every window of a lane hears the news, and
 * only that one is told to act. When it closes, the one before it acts again.
 */
export function createActingWindow({ notify, isOpen }: ActingWindowOptions) {
  /** Names of streams, the one that was touched last first. */
  let touched: string[] = []
  const tell = (): void => {
    for (const stream of touched) notify({ type: 'window-acting', acting: stream === touched[0] }, stream)
  }

  return {
    /** Somebody signs in at this window, and so nobody is signed in at any other. */
    signedInAt(stream: string | undefined): void {
      touched = stream === undefined ? [] : [stream]
      tell()
    },
    /** Somebody touches this window, at which somebody is signed in. */
    touch(stream: string): void {
      touched = [stream, ...touched.filter((other) => other !== stream && isOpen(other))].slice(0, MOST)
      tell()
    },
    /** Who acts now; undefined where no open window has been touched: then each is told. */
    stream: (): string | undefined => touched.find(isOpen),
  }
}

/** A window that still wants the gestures says so again within this time; one that closes gives them back at once. */
export const CLAIM_MS = 60_000

export type Claimed = 'cards' | 'items' | 'badges'

export type InputClaims = ReturnType<typeof createInputClaims>

/** Which window wants the next cards or items for itself: a form that asks for a card, goods that come back. */
export function createInputClaims(clock: Pick<Clock, 'monotonic'>, isOpen: (stream: string) => boolean) {
  const claims = new Map<Claimed, { readonly stream: string; readonly until: number }>()
  return {
    claim: (what: Claimed, stream: string): void => {
      claims.set(what, { stream, until: clock.monotonic() + CLAIM_MS })
    },
    /** Somebody has signed out: the forms that claimed are gone, and can no longer say so. */
    forget: (): void => claims.clear(),
    /** By the window that claimed; another's claim stands. */
    release: (what: Claimed, stream: string): void => {
      if (claims.get(what)?.stream === stream) claims.delete(what)
    },
    /** The stream of the window that has claimed; undefined where the sale has them. */
    holder(what: Claimed): string | undefined {
      const claim = claims.get(what)
      return claim && clock.monotonic() < claim.until && isOpen(claim.stream) ? claim.stream : undefined
    },
  }
}

/** Which window has the gestures of the lane's devices. */
export const inputRoutes =
  ({ claims, acting }: { readonly claims: InputClaims; readonly acting: ActingWindow }): Routes =>
  (app) => {
    app.post(
      '/api/input/acting',
      {
        schema: {
          summary: 'A person touches this window: it is asked what a gesture asks of a person',
          body: TouchWindow,
          response: { 204: z.undefined() },
        },
        config: { access: 'window', byItself: true, command: 'awaited' },
      },
      async (request, reply) => {
        // A window at which nobody is signed in asks nobody anything: what a gesture asks would be lost there.
        if (request.staff !== null) acting.touch(request.body.stream)
        void reply.code(204)
      },
    )
    app.post(
      '/api/input/claims',
      {
        schema: {
          summary: 'The next cards or items are for this window, or the sale’s again',
          body: ClaimInput,
          response: { 204: z.undefined() },
        },
        config: { byItself: true, command: 'awaited' },
      },
      async (request, reply) => {
        const { what, claimed, stream } = request.body
        if (claimed) claims.claim(what, stream)
        else claims.release(what, stream)
        void reply.code(204)
      },
    )
  }
