import type { FastifyInstance } from 'fastify'
import { ISSUANCE_ERROR_CODES, ISSUANCE_PATHS, IssuanceResponse } from '../../../contracts/central/issuance.ts'
import type { Context } from '../context.ts'
import { readableFields } from '../http/answer.ts'
import { type Call, addCall } from '../http/call.ts'
import { type DeclaredAnswers, NO_TOKEN, answerOf } from '../http/declare.ts'
import { calculate, issue, record, takeReturn } from './issuance.ts'
import { post, postEvent, reverse, reverseEvent } from './partner.ts'
import {
  StrictCalculate,
  StrictIssue,
  StrictPartnerBasket,
  StrictPartnerEvent,
  StrictRecord,
  StrictReturn,
  badIssuance,
  collectorBusy,
  issuanceError,
} from './requests.ts'

/** Answer to a partner during an outage: 500, because 503 is not a status of these services (specification 3 §7.1). */
const OUTAGE = { status: 500, body: { responseCode: '500', message: 'Scheduled outage' } } as const

const BASKET = {
  basketPostTaxAmount: 16.94,
  basketPreTaxAmount: 14.99,
  checkoutDateTime: '2026-07-01T12:00:00-04:00',
  checkoutTransactionId: 'N10101000000010001',
  collectorNumber: '80000000011',
  locationCode: 'N101',
  sponsorCode: 'NRTH',
  items: [{ id: '1010', name: 'Coffee beans 340 g', number: 1, quantity: 1, baseAmount: 14.99, finalAmount: 14.99 }],
}
const GIVEN = { issuances: [{ issuanceOfferCode: 'NRBASE', milesAmount: 2, offerId: 'NRBASE' }] }
const EVENT = {
  clientTransactionId: 'EVENT-1',
  collectorNumber: '80000000011',
  sponsorCode: 'NRTH',
  transactionDateTime: '2026-07-01T12:00:00-04:00',
  ...GIVEN,
}
const TRANSACTION = { transactionId: '4c1f0a9e-7b2d-4e35-9f60-8a1b2c3d4e5f' }
const CALCULATED = { issuanceOfferCode: 'NRBASE', offerId: 'NRBASE', milesAmount: 2, contributingItemIds: ['1010'] }
const issued = (status: 'CONFIRMED' | 'PENDING'): object => ({
  checkoutTransactionId: BASKET.checkoutTransactionId,
  collectorNumber: BASKET.collectorNumber,
  ...TRANSACTION,
  issuances: [
    {
      ...CALCULATED,
      confirmationNumber: 'b7d0c3a2-1e4f-4a5b-8c6d-7e8f9a0b1c2d',
      processedDateTime: '2026-07-01T16:00:01.250Z',
      status,
    },
  ],
})
const errorOf = (code: '202' | '234'): object => ({
  responseCode: code,
  message: ISSUANCE_ERROR_CODES[code].message,
  errors: [issuanceError(code)],
})

const processed = (example: object): DeclaredAnswers => ({
  200: answerOf('Processed', IssuanceResponse, example),
  400: answerOf('Rejected: resubmit only with a corrected record', IssuanceResponse, errorOf('234')),
  401: NO_TOKEN,
  500: answerOf('Internal failure: retry at least twice more', IssuanceResponse, {
    responseCode: '500',
    message: 'Another transaction of this collector is being processed',
  }),
})
/** Answers of calls that may be pending. CALCULATE and RECORD never are (specification 3 §4.2, §4.3). */
const PROCESSED_OR_PENDING: DeclaredAnswers = {
  ...processed(issued('CONFIRMED')),
  202: answerOf('Accepted, pending: nothing more to do', IssuanceResponse, {
    ...issued('PENDING'),
    ...errorOf('202'),
  }),
}

const MOVES = { answers: PROCESSED_OR_PENDING, repeats: 'key-or-content', exclusive: true } as const

type Declared<Input> = Omit<Call<Input>, 'tag' | 'refuse' | 'busy' | 'outage'>

function addIssuanceCall<Input>(app: FastifyInstance, ctx: Context, call: Declared<Input>): void {
  const { shape } = call.input
  addCall(app, ctx, {
    ...call,
    tag: 'miles issuance',
    refuse: (flaws, body) => badIssuance(flaws, readableFields(body, shape)),
    busy: (body) => collectorBusy(readableFields(body, shape)),
    outage: OUTAGE,
  })
}

/** Issuance service (specification 3 §4.2 to §4.4). */
export function issuanceRoutes(app: FastifyInstance, ctx: Context): void {
  basketRoutes(app, ctx)
  const basket = { ...MOVES, input: StrictPartnerBasket, example: { ...BASKET, ...GIVEN } }
  const event = { ...MOVES, input: StrictPartnerEvent, example: EVENT }
  addIssuanceCall(app, ctx, {
    ...basket,
    path: ctx.paths.post,
    summary: 'POST: deposits partner-calculated miles',
    perform: post,
  })
  addIssuanceCall(app, ctx, {
    ...event,
    path: ctx.paths.postEvent,
    summary: 'POST/EVENT: deposits for an event',
    perform: postEvent,
  })
  addIssuanceCall(app, ctx, {
    ...basket,
    path: ctx.paths.reverse,
    summary: 'REVERSE: withdraws partner-calculated miles',
    perform: reverse,
  })
  addIssuanceCall(app, ctx, {
    ...event,
    path: ISSUANCE_PATHS.reverseEvent,
    summary: 'REVERSE/EVENT: withdraws for an event',
    perform: reverseEvent,
  })
}

function basketRoutes(app: FastifyInstance, ctx: Context): void {
  const PURCHASE = { ...BASKET, transactionType: 'PURCHASE' }
  // CALCULATE changes nothing, so it does not lock the collector, and ignores other transactions in progress.
  addIssuanceCall(app, ctx, {
    path: ISSUANCE_PATHS.calculate,
    summary: 'CALCULATE: what a basket earns',
    input: StrictCalculate,
    example: PURCHASE,
    answers: processed({ ...PURCHASE, issuances: [CALCULATED], ...TRANSACTION }),
    repeats: 'key',
    exclusive: false,
    perform: calculate,
  })
  addIssuanceCall(app, ctx, {
    ...MOVES,
    path: ISSUANCE_PATHS.issue,
    summary: 'ISSUE: calculates and deposits',
    input: StrictIssue,
    example: BASKET,
    perform: issue,
  })
  addIssuanceCall(app, ctx, {
    ...MOVES,
    path: ISSUANCE_PATHS.return,
    summary: 'RETURN: withdraws what returned items earned',
    input: StrictReturn,
    example: { ...BASKET, originalTransactionId: 'N10101000000010000' },
    perform: takeReturn,
  })
  // RECORD reads no idempotency key; a repeat with identical bytes is still one transaction (the last resort of
  // specification 3 §4.1).
  addIssuanceCall(app, ctx, {
    path: ISSUANCE_PATHS.record,
    summary: 'RECORD: stores a transaction, issues nothing',
    input: StrictRecord,
    example: PURCHASE,
    answers: processed({ ...PURCHASE, ...TRANSACTION }),
    repeats: 'content',
    exclusive: false,
    perform: record,
  })
}
