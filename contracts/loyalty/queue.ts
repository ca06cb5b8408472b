import { z } from 'zod'
import { freeText } from '../core/text.ts'
import { EntryMode, ReadId, SaleId } from '../core/ids.ts'
import { Localized } from '../core/locales.ts'
import { Cents, Miles } from '../core/money.ts'
import { QueueSummary } from '../operations/diagnostics.ts'
import { Redemption, SaleIssuance } from '../sales/sales.ts'
import { QUEUE_PAGE } from './kinds.ts'

/** What people can do about an entry. */
export const QueueAction = z.enum(['send-again', 'credit', 'resolve', 'correct', 'take-back', 'give'])
export type QueueAction = z.infer<typeof QueueAction>

/** What a person may have found out. `corrected` is written by the terminal itself, with the corrected copy. */
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
  /** Until when the miles of a redemption can go back to their collector; null where nothing is to go back. */
  windowClosesAt: z.string().nullable(),
  /** True while a manager must look at it: the machine gave up, and nobody has written down what was found. */
  attention: z.boolean(),
  attempts: z.int(),
  createdAt: z.string(),
  changedAt: z.string(),
  amountCents: Cents.nullable(),
  miles: Miles.nullable(),
  pendingMiles: Miles.nullable().describe('of an issuance that was answered: accepted, and not earned yet'),
  rejectedMiles: Miles.nullable(),
  responseCode: z.string().nullable(),
  detail: z.string().nullable().describe('a short technical reason, in English'),
  /** What happened and what to do; null for what needs nobody. */
  says: Localized.nullable(),
  todo: Localized.nullable(),
  resolution: Resolution.nullable(),
})
export type QueueEntry = z.infer<typeof QueueEntry>

/**
 * A code that keeps miles waiting for want of a setting. It stands once, however many sales meet it, until an issuance
 * shows that it is mended or the manager settles it.
 */
export const IssuanceNotice = z.object({
  id: z.int(),
  code: z.string(),
  subject: z
    .string()
    .describe('what the code speaks of: a location, an offer code, a sponsor code; empty where it speaks of none'),
  firstAt: z.string(),
  lastAt: z.string(),
  times: z.int(),
  newestId: z.uuid().describe('the newest entry that met it'),
  saleId: z.string().describe('of that entry'),
  says: Localized,
  todo: Localized,
})
export type IssuanceNotice = z.infer<typeof IssuanceNotice>

/**
 * A card slip of more than was due: the sale took what was due, and the customer gets the difference back, until a
 * manager writes down how.
 */
export const CardSlip = z.object({
  number: z.int().describe('of its entry in the audit trail'),
  at: z.string(),
  by: z.string().nullable(),
  saleId: z.string(),
  reference: z.string(),
  slipCents: Cents,
  dueCents: Cents,
  overCents: Cents,
})
export type CardSlip = z.infer<typeof CardSlip>

/** GET /api/queue: what is not final and what a manager must see, or everything of one sale. */
export const QueueQuery = z.object({
  sale: SaleId.optional(),
  most: z.coerce
    .number()
    .int()
    .min(1)
    .max(20_000)
    .default(QUEUE_PAGE)
    .describe(
      'so many of what a manager must see, the newest first, and so many of what is on its way, the oldest first',
    ),
})
/**
 * The identity provider refuses this lane's client secret, or a service its fresh tokens: no call goes out until it is
 * mended, and then it leaves the list by itself.
 */
export const SecretRefused = z.object({ since: z.string(), says: Localized, todo: Localized })
export type SecretRefused = z.infer<typeof SecretRefused>
/** One order to send again everything that may go again: how far it is. `endedAt` is null while it goes on. */
export const BulkSendAgain = z.object({
  total: z.int().min(1),
  sent: z.int().min(0),
  skipped: z.int().min(0).describe('somebody settled it meanwhile'),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
})
export type BulkSendAgain = z.infer<typeof BulkSendAgain>
export const Queue = z.object({
  summary: QueueSummary,
  /** Calls that the program accepted and has not calculated yet: in `entries` too. */
  accepted: z.int().min(0),
  /** How many the next order would send again at once, and how far the last one is. */
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
 * What an issuance gave under one offer: confirmed, waiting at the program, and rejected; and what of the first two was
 * not taken back since. `codes`: what the program said of them. An offer code that the answer left out is empty.
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

/** GET /api/queue/:id: all that support asks for. */
export const QueueDetail = QueueEntry.extend({
  actions: z.array(QueueAction),
  /** What a corrected copy would most likely change. */
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
    .describe('what the program says it took where that is not what was asked'),
  creditCents: Cents.nullable().describe(
    'what store credit in the place of these miles is worth; null where none is owed',
  ),
  calls: z.array(QueueCall),
  issued: z.array(IssuedMiles),
  givable: z.array(z.string()).describe('offer codes under which miles may be given by hand'),
  given: z.int().describe('how often miles were given by hand for this sale'),
  history: z.array(
    z.object({
      at: z.string(),
      from: QueueEntry.shape.state.nullable(),
      to: QueueEntry.shape.state,
      orderedBy: z.string().nullable(),
    }),
  ),
  correctsId: z.uuid().nullable(),
  correctedById: z.uuid().nullable(),
})
export type QueueDetail = z.infer<typeof QueueDetail>

const Note = freeText({ min: 3, max: 400 })
/** POST /api/queue/:id/resolve: what was found. The entry leaves the list; its state stays. */
export const ResolveEntry = z.object({ found: Found, note: Note })
export type ResolveEntry = z.infer<typeof ResolveEntry>
/** POST /api/queue/notices/:id/settle and /api/queue/slips/:id/settle: what was done. Answers the queue without it. */
export const SettleNotice = z.object({ note: Note })
export type SettleNotice = z.infer<typeof SettleNotice>
/**
 * POST /api/queue/:id/credit: store credit in the place of miles that paid nothing and can no longer go back
 * (specification 3 §4.5 rule 7).
 */
export const CreditMiles = z.object({ amountCents: Cents.describe('as the screen showed it') })
export type CreditMiles = z.infer<typeof CreditMiles>
/** POST /api/queue/:id/correct: a new transaction, linked to the old. What is left out stays as it was. */
export const CorrectEntry = z.object({
  readId: ReadId.optional().describe('a fresh read of the card that the miles belong to'),
  locationCode: z
    .string()
    .trim()
    .regex(/^[A-Za-z0-9]{1,4}$/)
    .optional(),
  note: Note,
})
export type CorrectEntry = z.infer<typeof CorrectEntry>
/** POST /api/queue/:id/take-back: a manual correction by REVERSE/EVENT (specification 3 §4.4). */
export const TakeBack = z.object({
  issuanceOfferCode: freeText({ max: 64 }),
  miles: Miles.refine((count) => count > 0, 'more than nothing'),
  left: Miles.describe(
    'of the offer, as the screen showed it: when it is another now, e.g. because the answer to the same order ' +
      'was lost, nothing is taken',
  ),
  reason: Note,
})
export type TakeBack = z.infer<typeof TakeBack>
/** POST /api/queue/:id/give: miles that a sale should have earned, by POST/EVENT (specification 3 §4.4). */
export const GiveMiles = z.object({
  issuanceOfferCode: freeText({ max: 64 }),
  miles: Miles.refine(
    (count) => count > 0 && count <= 100_000,
    'more than nothing, and no more than a hundred thousand',
  ),
  given: z
    .int()
    .min(0)
    .describe(
      'as the screen showed it: when it is another now, e.g. because the answer to the same order was lost, ' +
        'nothing is given',
    ),
  reason: Note,
})
export type GiveMiles = z.infer<typeof GiveMiles>

/** GET /api/queue/corrections?before=NUMBER: what people ordered and settled, newest first. */
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
      /** The call that it was ordered for; null of an order for many, a notice and a card slip. */
      operationId: z.uuid().nullable(),
      saleId: z.string().nullable(),
      note: z.string().nullable(),
      miles: Miles.nullable(),
      amountCents: Cents.nullable(),
    }),
  ),
  next: z.string().nullable().describe('as `before` of the next page'),
})
export type CorrectionList = z.infer<typeof CorrectionList>
