import { z } from 'zod'
import { Bilingual } from './locales.ts'

/**
 * Every code that a problem+json answer of the local API may carry, with its HTTP status.
 * The words for each, in both languages, are `errors.<code>` in the message catalogs.
 */
export const PROBLEMS = {
  'session-required': 401,
  'launch-token-invalid': 401,
  'launch-token-expired': 401,
  'sign-in-required': 401,
  'pin-wrong': 401,
  'pin-not-set': 409,
  'pin-locked': 423,
  'manager-required': 403,
  'host-refused': 403,
  'origin-refused': 403,
  'not-json': 415,
  'body-too-large': 413,
  'body-invalid': 400,
  'not-found': 404,
  'training-only': 404,
  'sale-not-open': 409,
  'sale-stale': 409,
  'sale-empty': 409,
  'sale-held-by-redemption': 409,
  'sale-below-tendered': 409,
  'sale-paid-on': 409,
  'sale-not-held': 409,
  'sale-open-already': 409,
  'item-unknown': 404,
  'line-unknown': 404,
  'quantity-invalid': 400,
  'card-read-expired': 410,
  'collector-invalid': 422,
  'collector-inactive': 422,
  'collector-number-wrong': 422,
  'member-missing': 409,
  'member-tied': 409,
  'redemption-not-allowed': 409,
  'redemption-units-invalid': 400,
  'redemption-in-flight': 409,
  'tender-amount-invalid': 400,
  'tender-exceeds-due': 400,
  'reference-is-card': 400,
  'nothing-due': 409,
  'still-due': 409,
  'sale-not-completed': 409,
  'return-nothing': 400,
  'return-exceeds-sold': 409,
  'return-changed': 409,
  'return-not-covered': 409,
  'return-card-reference': 400,
  'receipt-missing': 404,
  'day-not-over': 409,
  'queue-entry-changed': 409,
  'miles-not-issued': 409,
  'note-holds-number': 400,
  'centre-unreachable': 503,
  'centre-outage': 503,
  'centre-refused': 502,
  'printer-unavailable': 503,
  'storage-failed': 503,
  internal: 500,
} as const satisfies Record<string, number>

export type ProblemCode = keyof typeof PROBLEMS
export const ProblemCode = z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]])

/** RFC 9457 problem details as every failed call of the local API answers them. */
export const Problem = z.object({
  type: z.string().describe('urn:milepost:problem:<code>'),
  title: z.string().describe('The English message, for logs and tools'),
  status: z.int(),
  code: ProblemCode,
  messages: Bilingual.describe('What happened and what to do, for the person at the lane'),
  correlationId: z.uuid(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
})
export type Problem = z.infer<typeof Problem>
