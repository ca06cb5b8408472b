import type { Item } from '../../contracts/api/catalog.ts'
import type { Staff } from '../../contracts/api/session.ts'
import { controlOf } from '../../contracts/control-codes.ts'
import type { TerminalEvent } from '../../contracts/events.ts'
import { maskCollectorNumber, SaleId } from '../../contracts/ids.ts'
import type { Measure } from '../../contracts/measure.ts'
import type { Profile } from '../../contracts/profile.ts'
import type { ScannedLabel } from '../domain/goods-check.ts'
import { isVoucherCode, looksLikeVoucher } from '../domain/voucher-code.ts'
import type { CardReads } from '../devices/card-reads.ts'
import { ProblemError } from '../http/problem.ts'
import { problemMessages } from '../i18n.ts'
import type { Logger } from '../log.ts'
import type { InputClaims } from './claims.ts'
import type { Gesture } from './gesture.ts'

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
