import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import type { Client } from '../client.ts'

/** Status and display message of each error code (specification 3 §7.1). */
export const ISSUANCE_CODES = {
  '202': [202, 'Location Code Not Provided'],
  '203': [202, 'Offer Code Not Found'],
  '204': [202, 'Offer Code Expired'],
  '205': [202, 'Location Code Inactive'],
  '207': [202, 'Invalid Unit Miles'],
  '208': [202, 'Invalid Variable Miles'],
  '221': [400, 'Sponsor Code Not Found'],
  '224': [400, 'Collector Account Closed'],
  '225': [202, 'Sponsor Code Expired'],
  '230': [202, 'Location Code Not Found'],
  '232': [400, 'Collector Account Deleted'],
  '234': [400, 'Collector Account Not Found'],
  '000': [202, 'Unknown'],
} as const
export type IssuanceCode = keyof typeof ISSUANCE_CODES

function errorsOf(received: Received): Record<string, unknown>[] {
  const entries = Array.isArray(received.body.issuances)
    ? expect.list(received.body.issuances, 'issuances', received)
    : []
  return [received.body, ...entries].flatMap(({ errors }) =>
    Array.isArray(errors) ? expect.list(errors, 'errors', received) : [],
  )
}

/**
 * Expects the error code with its HTTP status, in `errors` of the answer or of one of its issuances, or as
 * `responseCode`.
 */
export function code(received: Received, wanted: IssuanceCode): void {
  const [status, message] = ISSUANCE_CODES[wanted]
  expect.same(received.status, status, `the HTTP status of ${wanted}`, received)
  const error = errorsOf(received).find(({ errorCode }) => errorCode === wanted)
  expect.assertThat(
    error !== undefined || received.body.responseCode === wanted,
    `error code ${wanted} is returned`,
    received,
  )
  // The specification’s table of error codes has display messages, but does not show which field carries them.
  const display = error?.errorReason ?? received.body.message
  if (display !== undefined)
    expect.same(
      typeof display === 'string' ? display.toLowerCase() : display,
      message.toLowerCase(),
      `the message of ${wanted}`,
      received,
    )
  // Status 202 means that the call was accepted: then an entry’s `errors` are sufficient (specification 3 §2.3).
  expect.assertThat(
    status === 202 || typeof received.body.responseCode === 'string',
    'an error carries responseCode (§1)',
    received,
  )
}

export const entriesOf = (received: Received): Record<string, unknown>[] =>
  received.body.issuances === undefined ? [] : expect.list(received.body.issuances, 'issuances', received)
export const milesOf = (received: Received): number =>
  entriesOf(received).reduce((sum, entry) => sum + Number(entry.milesAmount), 0)
export const milesAgainst = (received: Received, offerCode: string): number =>
  entriesOf(received)
    .filter((entry) => entry.issuanceOfferCode === offerCode)
    .reduce((sum, entry) => sum + Number(entry.milesAmount), 0)

export const item = (
  id: string,
  dollars: number,
  quantity = 1,
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({
  id,
  name: `Item ${id}`,
  number: 1,
  quantity,
  baseAmount: dollars,
  finalAmount: Math.round(dollars * quantity * 100) / 100,
  ...more,
})

export function basketOf(
  items: readonly Record<string, unknown>[],
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  const total = Math.round(items.reduce((sum, one) => sum + Number(one.finalAmount) * 100, 0)) / 100
  return {
    items: items.map((one, index) => ({ ...one, number: index + 1 })),
    basketPreTaxAmount: total,
    basketPostTaxAmount: total,
    ...more,
  }
}

export async function moved(
  client: Client,
  role: 'fine' | 'second' | 'pending',
  work: () => Promise<Received>,
): Promise<{ received: Received; miles: number }> {
  const before = await client.balances(role)
  const received = await work()
  const after = await client.balances(role)
  return { received, miles: after.cash + after.dream - before.cash - before.dream }
}
