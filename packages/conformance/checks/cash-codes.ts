import { need } from '../expect.ts'
import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import type { Client } from '../client.ts'

/** HTTP status and message of each response code (specification 3 §7.2). */
export const CASH_CODES = {
  '0000': [200, 'Approved'],
  '0001': [202, 'Approved - balance suppressed'],
  '0002': [401, 'Collector account inactive'],
  '0005': [202, 'Balance suppressed, unable to redeem'],
  '0006': [202, 'Unable to redeem'],
  '0008': [408, 'Transaction timeout'],
  '0009': [403, 'Card not swiped or scanned'],
  '0025': [401, 'Invalid Collector number'],
  '0035': [400, 'Invalid request parameter'],
  '0051': [202, 'Insufficient reward miles'],
  '0057': [400, 'Invalid redemption confirmation number'],
  '0065': [202, 'Exceeded daily redemption limit'],
  '0066': [202, 'Insufficient basket size'],
  '0067': [408, 'Offer is temporarily unavailable'],
  '0080': [409, 'Reversal window expired'],
  '0092': [503, 'Scheduled outage'],
  '0096': [500, 'Server error or no response'],
} as const
export type CashCode = keyof typeof CASH_CODES

/**
 * Expects the response code with its HTTP status and message; "response values are case-insensitive" (specification 3
 * §1).
 */
export function code(received: Received, wanted: CashCode): void {
  const [status, message] = CASH_CODES[wanted]
  expect.same(received.body.responseCode, wanted, 'responseCode', received)
  expect.same(received.status, status, `the HTTP status of ${wanted}`, received)
  expect.same(String(received.body.message).toLowerCase(), message.toLowerCase(), `the message of ${wanted}`, received)
}

/**
 * Expects 0025 or 0035. A collector number has "11 digits, starts with 8" (specification 3 §8), and the specification
 * does not show which of the two response codes applies to another number.
 */
export const badNumber = (received: Received): void =>
  code(received, received.body.responseCode === '0035' ? '0035' : '0025')
/** Returns the target’s entry mode of a keyed collector number, which specification 3 §2.4 does not show. */
export const keyed = (client: Client): string =>
  need(client.bench.keyedEntryMode, 'the bench has no entry mode of a keyed number')

/** Expects an answer without a response code, because the request has no valid token (specification 3 §5). */
export function noToken(client: Client, received: Received): void {
  expect.status(received, ...client.bench.statuses.checkoutToken)
  expect.assertThat(
    received.body.responseCode === undefined,
    'a call without a valid token yields no response code',
    received,
  )
}

export const CONDITIONAL = [
  'availableOfferUnits',
  'dailyOfferLimit',
  'offerDescEn',
  'offerDescFr',
  'offerId',
  'offerType',
  'unitValueLoyaltyCash',
  'unitValueDollars',
] as const
export const BALANCES = ['availableCashBalance', 'availableDollarAmount', 'cashBalance', 'dreamBalance'] as const
export const INQUIRE_REQUIRED = [
  'acquirerId',
  'cardEntryMode',
  'collectorNumber',
  'dateTime',
  'deviceId',
  'postTaxBasketAmount',
  'sponsorCode',
  'storeId',
  'traceId',
  'vendorId',
] as const
/** Invalid collector numbers by their fault. A valid number has 11 digits and starts with 8 (specification 3 §8). */
export const BAD_NUMBERS = {
  short: '8000000001',
  long: '800000000111',
  'not-8': '70000000011',
  letters: '8000000001A',
} as const
export const DECIMALS = /^\d+(\.\d{1,2})?$/
export const WHOLE = /^\d+$/

export function noConditional(received: Received): void {
  for (const field of CONDITIONAL)
    expect.assertThat(received.body[field] === undefined, `${field} is returned without its conditions`, received)
}
