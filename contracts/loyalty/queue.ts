import { z } from 'zod'
import { freeText } from '../core/text.ts'
import { EntryMode, ReadId, SaleId } from '../core/ids.ts'
import { Localized } from '../core/locales.ts'
import { Cents, Miles } from '../core/money.ts'
import { QueueSummary } from '../operations/diagnostics.ts'
import { Redemption, SaleIssuance } from '../sales/sales.ts'
import { QUEUE_PAGE } from './kinds.ts'

export const QueueAction = z.enum(['send-again', 'credit', 'resolve', 'correct', 'take-back', 'give'])
export type QueueAction = z.infer<typeof QueueAction>

/** Resolutions of an entry by a person. The terminal itself writes `corrected`, with the corrected copy. */
export const Found = z.enum(['not-at-central', 'settled-with-operator', 'nothing-to-do'])
export const Resolution = z.object({
  at: z.string(),
  by: z.string(),
  found: z.enum([...Found.options, 'corrected']),
  note: z.string(),
})
export type Resolution = z.infer<typeof Resolution>

export const QueueEntry = z.object({
  id: z.uuid(),
  kind: z.enum([
    'redeem',
    'reverse',
    'issue',
    'return',
    'record',
    'post',
    'post-event',
    'post-reverse',
    'reverse-event',
  ]),
  saleId: z.string(),
  state: z.union([Redemption.shape.state, SaleIssuance.shape.state]),
  /** Until when the miles of a redemption can be reversed; null if no miles are to be reversed. */
  windowClosesAt: z.string().nullable(),
  /** True while the entry needs a manager: retries have ended, and no resolution is recorded. */
  attention: z.boolean(),
  attempts: z.int(),
  createdAt: z.string(),
  changedAt: z.string(),
  amountCents: Cents.nullable(),
  miles: Miles.nullable(),
  pendingMiles: Miles.nullable().describe('of an answered issuance: accepted, and not earned yet'),
  rejectedMiles: Miles.nullable(),
  responseCode: z.string().nullable(),
  detail: z.string().nullable().describe('a short technical reason, in English'),
  says: Localized.nullable(),
  todo: Localized.nullable(),
  resolution: Resolution.nullable(),
})
export type QueueEntry = z.infer<typeof QueueEntry>

/**
 * A response code because of which miles wait until a setting is corrected. Listed once for all affected sales, until
 * an issuance succeeds or the manager settles it.
 */
export const IssuanceNotice = z.object({
  id: z.int(),
  code: z.string(),
  subject: z.string().describe('the subject of the code: a location, an offer code, a sponsor code; empty without one'),
  firstAt: z.string(),
  lastAt: z.string(),
  times: z.int(),
  newestId: z.uuid().describe('the newest affected entry'),
  saleId: z.string().describe('sale of that entry'),
  says: Localized,
  todo: Localized,
})
export type IssuanceNotice = z.infer<typeof IssuanceNotice>

/**
 * A card slip above the amount due: the sale recorded the amount due, and the store owes the customer the difference,
 * until a manager records how it was paid back.
 */
export const CardSlip = z.object({
  number: z.int().describe('number of its entry in the audit trail'),
  at: z.string(),
  by: z.string().nullable(),
  saleId: z.string(),
  reference: z.string(),
  slipCents: Cents,
  dueCents: Cents,
  overCents: Cents,
})
export type CardSlip = z.infer<typeof CardSlip>

/** GET /api/queue returns calls that are not final and those that need a manager, or all calls of one sale. */
export const QueueQuery = z.object({
  sale: SaleId.optional(),
  most: z.coerce
    .number()
    .int()
    .min(1)
    .max(20_000)
    .default(QUEUE_PAGE)
    .describe(
      'page size: this many that need a manager, the newest first, and this many in progress, the oldest first',
    ),
})
/**
 * The identity provider refuses this lane's client secret, or a service refuses its fresh tokens. No call is sent until
 * this is corrected; then the entry leaves the list by itself.
 */
export const SecretRefused = z.object({ since: z.string(), says: Localized, todo: Localized })
export type SecretRefused = z.infer<typeof SecretRefused>
/**
 * A manager's request to send again all calls that may be sent again, with its progress. `endedAt` is null while it
 * runs.
 */
export const BulkSendAgain = z.object({
  total: z.int().min(1),
  sent: z.int().min(0),
  skipped: z.int().min(0).describe('settled by a person since'),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
})
export type BulkSendAgain = z.infer<typeof BulkSendAgain>
export const Queue = z.object({
  summary: QueueSummary,
  /**
   * Number of calls that the program accepted but whose miles it has not calculated yet; they are also in `entries`.
   */
  accepted: z.int().min(0),
  sendable: z.int().min(0),
  bulk: BulkSendAgain.nullable(),
  secretRefused: SecretRefused.nullable(),
  notices: z.array(IssuanceNotice),
  slips: z.array(CardSlip),
  entries: z.array(QueueEntry),
})
export type Queue = z.infer<typeof Queue>

export const QueueCall = z.object({
  purpose: z.string(),
  path: z.string(),
  traceId: z.string(),
  idempotencyKey: z.string().nullable(),
  dateTime: z.string(),
  sends: z.int(),
  firstSentAt: z.string().nullable(),
})
export type QueueCall = z.infer<typeof QueueCall>

/**
 * Miles of an issuance under one offer: confirmed, pending and rejected, and how many of the first two were not taken
 * back since. `codes`: error codes of the program. The offer code is empty if the answer omitted it.
 */
export const IssuedMiles = z.object({
  issuanceOfferCode: z.string(),
  offerId: z.string(),
  miles: Miles,
  pending: Miles,
  rejected: Miles,
  left: Miles,
  codes: z.array(z.string()),
})
export type IssuedMiles = z.infer<typeof IssuedMiles>

/** GET /api/queue/:id returns all data that support needs about an entry of the exceptions queue. */
export const QueueDetail = QueueEntry.extend({
  actions: z.array(QueueAction),
  /** The most likely correction in a copy of the call: another card, or another location. */
  mend: z.enum(['card', 'location']).nullable(),
  collector: z.string().nullable().describe('the last four digits; null for a transaction without a collector'),
  entryMode: EntryMode.nullable(),
  locationCode: z.string().nullable(),
  confirmationNumber: z.string().nullable(),
  transactionId: z.string().nullable(),
  transDateTime: z.string().nullable(),
  units: z.int().nullable(),
  taken: z
    .object({ amountCents: Cents, miles: Miles })
    .nullable()
    .describe('miles that the program reports as taken, if they differ from the request'),
  creditCents: Cents.nullable().describe('value of store credit that replaces these miles; null if none is due'),
  calls: z.array(QueueCall),
  issued: z.array(IssuedMiles),
  givable: z.array(z.string()).describe('offer codes under which miles may be given manually'),
  given: z.int().describe('number of times that miles were given manually for this sale'),
  history: z.array(
    z.object({
      at: z.string(),
      from: QueueEntry.shape.state.nullable(),
      to: QueueEntry.shape.state,
      /** Name of the person who requested the transition; null for the program. */
      orderedBy: z.string().nullable(),
    }),
  ),
  correctsId: z.uuid().nullable(),
  correctedById: z.uuid().nullable(),
})
export type QueueDetail = z.infer<typeof QueueDetail>

const Note = freeText({ min: 3, max: 400 })
/**
 * POST /api/queue/:id/resolve records the resolution of an entry of the exceptions queue. The entry leaves the queue;
 * the state of its operation does not change.
 */
export const ResolveEntry = z.object({ found: Found, note: Note })
export type ResolveEntry = z.infer<typeof ResolveEntry>
/**
 * POST /api/queue/notices/:id/settle and /api/queue/slips/:id/settle record how a notice or a card slip was settled.
 * They return the queue without it.
 */
export const ResolveNotice = z.object({ note: Note })
export type ResolveNotice = z.infer<typeof ResolveNotice>
/**
 * POST /api/queue/:id/credit issues store credit for miles that paid nothing and can no longer be reversed
 * (specification 3 §4.5 rule 7).
 */
export const CreditMiles = z.object({ amountCents: Cents.describe('as the screen showed it') })
export type CreditMiles = z.infer<typeof CreditMiles>
/** POST /api/queue/:id/correct creates a new transaction, linked to the refused one. Missing fields do not change. */
export const CorrectEntry = z.object({
  readId: ReadId.optional().describe("a fresh read of the card of the miles' owner"),
  locationCode: z
    .string()
    .trim()
    .regex(/^[A-Za-z0-9]{1,4}$/)
    .optional(),
  note: Note,
})
export type CorrectEntry = z.infer<typeof CorrectEntry>
/** POST /api/queue/:id/take-back takes miles back with REVERSE/EVENT (specification 3 §4.4). */
export const TakeBack = z.object({
  issuanceOfferCode: freeText({ max: 64 }),
  miles: Miles.refine((count) => count > 0, 'more than zero'),
  left: Miles.describe(
    'of the offer, as the screen showed it: if it has changed, e.g. because the answer to the same request ' +
      'was lost, the request is refused',
  ),
  reason: Note,
})
export type TakeBack = z.infer<typeof TakeBack>
/** POST /api/queue/:id/give gives miles that a sale should have earned, with POST/EVENT (specification 3 §4.4). */
export const GiveMiles = z.object({
  issuanceOfferCode: freeText({ max: 64 }),
  miles: Miles.refine((count) => count > 0 && count <= 100_000, 'more than zero, and no more than a hundred thousand'),
  given: z
    .int()
    .min(0)
    .describe(
      'as the screen showed it: if it has changed, e.g. because the answer to the same request was lost, ' +
        'the request is refused',
    ),
  reason: Note,
})
export type GiveMiles = z.infer<typeof GiveMiles>

/** GET /api/queue/corrections?before=NUMBER returns managers' corrections and resolutions, the newest first. */
export const CorrectionList = z.object({
  corrections: z.array(
    z.object({
      number: z.int(),
      at: z.string(),
      by: z.string().nullable(),
      what: z.enum([
        'send-again',
        'send-again-all',
        'credit',
        'resolve',
        'correct',
        'take-back',
        'give',
        'notice-settled',
        'slip-settled',
      ]),
      operationId: z.uuid().nullable(),
      saleId: z.string().nullable(),
      note: z.string().nullable(),
      miles: Miles.nullable(),
      amountCents: Cents.nullable(),
    }),
  ),
  next: z.string().nullable().describe('`before` of the next page'),
})
export type CorrectionList = z.infer<typeof CorrectionList>
