import { createHash } from 'node:crypto'
import { CASH_PATHS, CASH_RESPONSE_CODES, type CashResponseCode } from '../../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../../contracts/central/issuance.ts'
import { reversalOpen } from '../../../backend/core/central/reversal-window.ts'
import type { SeededRng } from './rng.ts'

/**
 * A model of the central services, written against specification 3 and short enough to read at once. Only the
 * simulation uses it; crash tests of real processes use the reference services.
 */
export interface ModelCentral {
  handle(request: { path: string; key: string | null; body: Uint8Array }): Reply
  /**
   * Undoes the effect of the call with this idempotency key, as the service does when it cannot return the response
   * (specification 3 §4.5 rule 6). Returns false if it had no effect, or the effect was reversed.
   */
  cancelEffectOf(key: string): boolean
  readonly effects: readonly Effect[]
  /**
   * Private balances that must not be stored (`neverStored`), and those that must not be on a screen or document
   * (`neverShown`).
   */
  readonly neverStored: readonly string[]
  readonly neverShown: readonly string[]
}

export interface Reply {
  readonly status: number
  readonly body: Record<string, unknown>
  /** Whether this call changed an account, rather than repeating an earlier response. */
  readonly changedAccount: boolean
}

/**
 * A change of an account. `of` is the terminal’s id of the transaction: the traceId of a REDEEM, or the
 * checkoutTransactionId of an ISSUE.
 */
export interface Effect {
  readonly kind: 'redeem' | 'reverse' | 'issue' | 'withdraw'
  readonly of: string
  readonly key: string | null
  readonly collector: string
  /** Moved miles; for an issuance or a withdrawal, the confirmed ones. */
  readonly miles: number
  /** Miles that the service accepted but has not moved yet. */
  readonly pending?: number
  readonly rejected?: number
  cancelled: boolean
}

export type Role =
  | 'fine'
  | 'private'
  | 'no-prompt'
  | 'not-allowed'
  | 'inactive'
  | 'unknown'
  | 'poor'
  | 'near-limit'
  | 'later'
  | 'closed'
  | 'pending'
  | 'rejecting'
  | 'mixed'
export interface Collector {
  readonly number: string
  readonly role: Role
}

const PRIVATE_CASH = 7_317_319
const PRIVATE_DREAM = 7_317_323
/**
 * Available balance of a private account: the terminal needs it for the maximum redemption, but never shows or prints
 * it.
 */
const PRIVATE_AVAILABLE = 7_317_331
const UNIT_MILES = 95
const UNIT_DOLLARS = 10
const DAILY_UNITS = 75

interface Redeemed {
  readonly of: string
  readonly collector: string
  readonly confirmation: string
  readonly transDateTime: string
  readonly units: number
  reversed: boolean
  readonly effect: Effect
}

export function createModelCentral(options: {
  collectors: readonly Collector[]
  now: () => number
  timeZone: string
  rng: SeededRng
}): ModelCentral {
  const roles = new Map(options.collectors.map(({ number, role }) => [number, role]))
  const cash = new Map(
    options.collectors.map(({ number, role }) => [
      number,
      role === 'poor' ? 60 : role === 'near-limit' ? 200_000 : 20_000,
    ]),
  )
  const unitsLeftToday = new Map(
    options.collectors.map(({ number, role }) => [number, role === 'near-limit' ? 1 : DAILY_UNITS]),
  )
  const stored = new Map<string, { bodyHash: string; reply: Reply }>()
  const effects: Effect[] = []
  const redemptions = new Map<string, Redeemed>()
  const issued = new Map<string, Effect>()
  /** Issuances by the transactionId of the POST, the only one that a REVERSE may name (specification 3 §4.4). */
  const posted = new Map<string, Effect>()
  /** Whether responses to RETURN have negative miles. The specification leaves the sign open. */
  const signs = options.rng.onceIn(2)
  let number = 0

  const time = (): string => new Date(options.now()).toISOString()
  const cashReply = (
    code: CashResponseCode,
    request: Record<string, unknown>,
    more: Record<string, unknown> = {},
    changedAccount = false,
  ): Reply => ({
    status: CASH_RESPONSE_CODES[code].status,
    body: {
      ...request,
      ...more,
      responseCode: code,
      message: CASH_RESPONSE_CODES[code].message,
      transDateTime: time(),
    },
    changedAccount,
  })

  function balances(collector: string): Record<string, unknown> {
    const role = roles.get(collector)
    const left = cash.get(collector) ?? 0
    const hidden = role === 'private'
    return {
      availableCashBalance: String(hidden ? PRIVATE_AVAILABLE : left),
      availableDollarAmount: (Math.floor(left / UNIT_MILES) * UNIT_DOLLARS).toFixed(2),
      cashBalance: String(hidden ? PRIVATE_CASH : left),
      dreamBalance: String(hidden ? PRIVATE_DREAM : 1234),
    }
  }

  function refusal(request: Record<string, unknown>): CashResponseCode | null {
    const collector = String(request['collectorNumber'])
    switch (roles.get(collector)) {
      case undefined:
        return '0025'
      case 'unknown':
        return '0025'
      case 'inactive':
      case 'closed':
        return '0002'
      case 'no-prompt':
        return '0005'
      case 'not-allowed':
        return '0006'
      case 'later':
        return '0067'
      default:
        return request['cardEntryMode'] === 'KEYED' ? '0009' : null
    }
  }

  function inquire(request: Record<string, unknown>): Reply {
    const collector = String(request['collectorNumber'])
    const refused = refusal(request)
    if (refused) return cashReply(refused, request, refused === '0005' ? balances(collector) : {})
    const role = roles.get(collector)
    if (role === 'poor') return cashReply('0051', request, balances(collector))
    return cashReply(role === 'private' ? '0001' : '0000', request, {
      ...balances(collector),
      availableOfferUnits: String(Math.floor((cash.get(collector) ?? 0) / UNIT_MILES)),
      dailyOfferLimit: String(unitsLeftToday.get(collector) ?? 0),
      offerType: 'RGL',
      unitValueLoyaltyCash: String(UNIT_MILES),
      unitValueDollars: UNIT_DOLLARS.toFixed(2),
    })
  }

  function redeem(request: Record<string, unknown>, key: string | null): Reply {
    const collector = String(request['collectorNumber'])
    const refused = refusal(request)
    if (refused) return cashReply(refused, request)
    const units = Number(request['dollarRedeemRequest']) / UNIT_DOLLARS
    if (!Number.isInteger(units) || units < 1) return cashReply('0035', request)
    if (Number(request['postTaxBasketAmount']) < units * UNIT_DOLLARS) return cashReply('0066', request)
    const miles = units * UNIT_MILES
    // Another store may have redeemed the collector’s miles since the INQUIRE.
    if (options.rng.onceIn(20)) cash.set(collector, Math.min(cash.get(collector) ?? 0, UNIT_MILES - 1))
    if ((cash.get(collector) ?? 0) < miles) return cashReply('0051', request)
    if ((unitsLeftToday.get(collector) ?? 0) < units) return cashReply('0065', request)
    cash.set(collector, (cash.get(collector) ?? 0) - miles)
    unitsLeftToday.set(collector, (unitsLeftToday.get(collector) ?? 0) - units)
    const effect: Effect = { kind: 'redeem', of: String(request['traceId']), key, collector, miles, cancelled: false }
    effects.push(effect)
    const confirmation = `C${(number += 1)}`
    redemptions.set(confirmation, {
      of: effect.of,
      collector,
      confirmation,
      transDateTime: time(),
      units,
      reversed: false,
      effect,
    })
    return cashReply(
      roles.get(collector) === 'private' ? '0001' : '0000',
      request,
      {
        ...balances(collector),
        milesRedeemed: String(miles),
        unitsRedeemed: String(units),
        txnConfirmationNumber: confirmation,
        unitValueDollars: UNIT_DOLLARS.toFixed(2),
        unitValueLoyaltyCash: String(UNIT_MILES),
      },
      true,
    )
  }

  function reverse(request: Record<string, unknown>, key: string | null): Reply {
    const redeemed = redemptions.get(String(request['txnConfirmationNumber']))
    if (
      !redeemed ||
      redeemed.collector !== request['collectorNumber'] ||
      redeemed.effect.cancelled ||
      redeemed.reversed
    )
      return cashReply('0057', request)
    if (!reversalOpen(options.now(), redeemed.transDateTime, options.timeZone)) return cashReply('0080', request)
    redeemed.reversed = true
    cash.set(redeemed.collector, (cash.get(redeemed.collector) ?? 0) + redeemed.effect.miles)
    effects.push({
      kind: 'reverse',
      of: redeemed.of,
      key,
      collector: redeemed.collector,
      miles: redeemed.effect.miles,
      cancelled: false,
    })
    return cashReply('0000', request, balances(redeemed.collector), true)
  }

  const base = (request: Record<string, unknown>): number => Math.floor(Number(request['basketPreTaxAmount']) / 5)
  const given = (request: Record<string, unknown>): number | null =>
    Array.isArray(request['issuances'])
      ? (request['issuances'] as { milesAmount: number }[]).reduce((total, { milesAmount }) => total + milesAmount, 0)
      : null

  /**
   * Returns the entries of an issuance’s response. Only the status of each entry counts, not that of the response
   * (specification 3 §2.3).
   */
  function entriesFor(role: Role | undefined, miles: number): { milesAmount: number; status: string }[] {
    switch (role) {
      case 'pending':
        return [{ milesAmount: miles, status: 'PENDING' }]
      case 'rejecting':
        return [{ milesAmount: miles, status: 'REJECTED' }]
      case 'mixed': {
        const third = Math.floor(miles / 3)
        return [
          { milesAmount: third, status: 'CONFIRMED' },
          { milesAmount: third, status: options.rng.pick(['PENDING', 'REJECTED']) },
          { milesAmount: miles - 2 * third, status: 'pending' },
        ].map((entry) => ({ ...entry, status: entry.status.toUpperCase() }))
      }
      default:
        return [{ milesAmount: miles, status: 'CONFIRMED' }]
    }
  }

  function issue(request: Record<string, unknown>, key: string | null): Reply {
    const collector = String(request['collectorNumber'])
    const role = roles.get(collector)
    const refused =
      role === undefined || role === 'unknown' ? '234' : role === 'closed' || role === 'inactive' ? '224' : null
    if (refused)
      return {
        status: 400,
        body: {
          ...request,
          transactionId: `T${(number += 1)}`,
          errors: [{ errorCode: refused, errorReason: 'refused' }],
        },
        changedAccount: false,
      }
    const miles = given(request) ?? base(request)
    const entries = entriesFor(role, miles)
    const of = (wanted: string): number =>
      entries.filter(({ status }) => status === wanted).reduce((total, { milesAmount }) => total + milesAmount, 0)
    const effect: Effect = {
      kind: 'issue',
      of: String(request['checkoutTransactionId']),
      key,
      collector,
      miles: of('CONFIRMED'),
      pending: of('PENDING'),
      rejected: of('REJECTED'),
      cancelled: false,
    }
    effects.push(effect)
    issued.set(effect.of, effect)
    const transactionId = `T${(number += 1)}`
    issued.set(transactionId, effect)
    if (given(request) !== null) posted.set(transactionId, effect)
    const reported = entries.map((entry) => ({
      issuanceOfferCode: 'BASE',
      offerId: 'BASE',
      confirmationNumber: `I${(number += 1)}`,
      processedDateTime: time(),
      ...entry,
    }))
    return {
      status: role === 'pending' ? 202 : 200,
      body: { ...request, issuances: reported, transactionId },
      changedAccount: true,
    }
  }

  /**
   * Withdraws miles of the transaction that a RETURN or REVERSE names: the given miles, or those of the returned items,
   * at most the credited ones. `known`: transactions that the request may name.
   */
  function withdraw(request: Record<string, unknown>, key: string | null, known: ReadonlyMap<string, Effect>): Reply {
    const original = known.get(String(request['originalTransactionId']))
    if (!original)
      return {
        status: 400,
        body: { ...request, responseCode: '400', message: 'the transaction is unknown' },
        changedAccount: false,
      }
    const miles = 0 - (given(request) ?? Math.min(original.miles, base(request)))
    effects.push({
      kind: 'withdraw',
      of: String(request['checkoutTransactionId']),
      key,
      collector: original.collector,
      miles,
      cancelled: false,
    })
    return {
      status: 200,
      body: {
        ...request,
        issuances: [
          { issuanceOfferCode: 'BASE', offerId: 'BASE', milesAmount: signs ? miles : 0 - miles, status: 'CONFIRMED' },
        ],
        transactionId: `T${(number += 1)}`,
      },
      changedAccount: true,
    }
  }

  function answer(path: string, request: Record<string, unknown>, key: string | null): Reply {
    switch (path) {
      case CASH_PATHS.inquire:
        return inquire(request)
      case CASH_PATHS.redeem:
        return redeem(request, key)
      case CASH_PATHS.reverse:
        return reverse(request, key)
      case ISSUANCE_PATHS.calculate:
        return {
          status: 200,
          body: {
            ...request,
            issuances: [{ issuanceOfferCode: 'BASE', offerId: 'BASE', milesAmount: base(request) }],
            transactionId: 'T0',
          },
          changedAccount: false,
        }
      case ISSUANCE_PATHS.issue:
      case ISSUANCE_PATHS.post:
        return issue(request, key)
      case ISSUANCE_PATHS.return:
        return withdraw(request, key, issued)
      case ISSUANCE_PATHS.reverse:
        return withdraw(request, key, posted)
      case ISSUANCE_PATHS.record:
        return { status: 200, body: { ...request, transactionId: `T${(number += 1)}` }, changedAccount: false }
      default:
        return { status: 404, body: {}, changedAccount: false }
    }
  }

  return {
    effects,
    neverStored: [String(PRIVATE_CASH), String(PRIVATE_DREAM)],
    neverShown: [String(PRIVATE_CASH), String(PRIVATE_DREAM), String(PRIVATE_AVAILABLE)],
    handle({ path, key, body }) {
      const bodyHash = createHash('sha256').update(body).digest('hex')
      const known = key === null ? undefined : stored.get(key)
      if (known)
        return known.bodyHash === bodyHash
          ? { ...known.reply, changedAccount: false }
          : {
              status: 400,
              body: {
                responseCode: '0035',
                errors: [{ errorCode: '0035', errorReason: 'the key was used for another body' }],
              },
              changedAccount: false,
            }
      const reply = answer(path, JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>, key)
      // A refusal of an unprocessed request is not stored, so that a retry is processed.
      if (key !== null && reply.body['responseCode'] !== '0067') stored.set(key, { bodyHash, reply })
      return reply
    },
    cancelEffectOf(key) {
      const effect = effects.find(
        (candidate) => candidate.key === key && candidate.kind === 'redeem' && !candidate.cancelled,
      )
      if (
        !effect ||
        [...redemptions.values()].some(({ effect: redeemed, reversed }) => redeemed === effect && reversed)
      )
        return false
      effect.cancelled = true
      cash.set(effect.collector, (cash.get(effect.collector) ?? 0) + effect.miles)
      // The stored reply is deleted, so that the identical retry is executed as a new call.
      stored.delete(key)
      return true
    },
  }
}
