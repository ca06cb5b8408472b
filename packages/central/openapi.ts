import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import {
  CASH_PATHS,
  CASH_RESPONSE_CODES,
  CashResponse,
  type CashResponseCode,
  EchoRequest,
  InquireRequest,
  RedeemRequest,
  ReverseRequest,
} from '../../contracts/central/cash.ts'
import {
  ISSUANCE_ERROR_CODES,
  ISSUANCE_PATHS,
  IssuanceResponse,
  type IssuanceErrorCode,
} from '../../contracts/central/issuance.ts'
import type { UnshownPaths } from './http/unshown-paths.ts'
import { content, describeReads, header, NO_TOKEN, schemaOf, type Json } from './openapi-reads.ts'
import { DEVICE_AUTHORIZATION_PATH, TOKEN_PATH } from './identity/bearer.ts'
import {
  StrictCalculate,
  StrictIssue,
  StrictPartnerBasket,
  StrictPartnerEvent,
  StrictRecord,
  StrictReturn,
} from './issuance/requests.ts'

const EXAMPLE_CARD = {
  acquirerId: 'NORTHSTAR',
  cardEntryMode: 'SWIPE',
  collectorNumber: '80000000011',
  dateTime: '2026-07-01T12:00:00-04:00',
  deviceId: 'N101-01',
  postTaxBasketAmount: '43.35',
  sponsorCode: 'NRTH',
  storeId: 'TRAIN-001',
  traceId: '5f0c1f5e-3a53-4f3c-9a74-0f3a4f0f8f11',
  vendorId: 'NORTHSTAR',
}
const EXAMPLE_BASKET = {
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
const EXAMPLE_EVENT = {
  clientTransactionId: 'EVENT-1',
  collectorNumber: '80000000011',
  sponsorCode: 'NRTH',
  transactionDateTime: '2026-07-01T12:00:00-04:00',
  ...GIVEN,
}

const TRANSACTION_ID = '4c1f0a9e-7b2d-4e35-9f60-8a1b2c3d4e5f'
const CALCULATED = { issuanceOfferCode: 'NRBASE', offerId: 'NRBASE', milesAmount: 2, contributingItemIds: ['1010'] }
const issuanceExample = (status: string, code?: IssuanceErrorCode): Json => ({
  checkoutTransactionId: EXAMPLE_BASKET.checkoutTransactionId,
  collectorNumber: EXAMPLE_BASKET.collectorNumber,
  transactionId: TRANSACTION_ID,
  issuances: [
    {
      ...CALCULATED,
      confirmationNumber: 'b7d0c3a2-1e4f-4a5b-8c6d-7e8f9a0b1c2d',
      processedDateTime: '2026-07-01T16:00:01.250Z',
      status,
    },
  ],
  ...(code === undefined
    ? {}
    : {
        responseCode: code,
        message: ISSUANCE_ERROR_CODES[code].message,
        errors: [{ errorCode: code, errorReason: ISSUANCE_ERROR_CODES[code].message }],
      }),
})

const KEY = header(
  'Idempotency-Key',
  'A retry under the same key is answered again byte for byte; a key that comes with another request is refused',
  false,
)

/** An answer as it may come under a code. */
const cashExample = (code: CashResponseCode, request: Json): Json => ({
  ...request,
  responseCode: code,
  message: CASH_RESPONSE_CODES[code].message,
  transDateTime: '2026-07-01T12:00:01.250-04:00',
  ...(code === '0000' && 'collectorNumber' in request
    ? { availableCashBalance: '4750', availableDollarAmount: '500.00', cashBalance: '4750', dreamBalance: '12300' }
    : {}),
  ...(code === '0000' && 'collectorNumber' in request && !('txnConfirmationNumber' in request)
    ? {
        availableOfferUnits: '50',
        dailyOfferLimit: '75',
        offerId: 'RGL-95',
        offerType: 'RGL',
        unitValueLoyaltyCash: '95',
        unitValueDollars: '10.00',
      }
    : {}),
  ...(code === '0000' && 'dollarRedeemRequest' in request
    ? { milesRedeemed: '380', unitsRedeemed: '4', txnConfirmationNumber: '206350000001' }
    : {}),
})

const OF_AN_ACCOUNT = ['0000', '0001', '0002', '0025', '0035'] as const
const SWITCH = ['0008', '0092', '0096'] as const
/** ECHO and INQUIRE as specification 3 §7.2 says; the others as these services answer: their sets are not shown. */
const CASH_CODES = {
  echo: ['0000', '0035', ...SWITCH],
  inquire: [...OF_AN_ACCOUNT, '0005', '0006', '0009', '0051', '0067', ...SWITCH],
  redeem: [...OF_AN_ACCOUNT, '0005', '0006', '0009', '0051', '0065', '0066', '0067', ...SWITCH],
  reverse: [...OF_AN_ACCOUNT, '0057', '0080', ...SWITCH],
} as const satisfies Record<string, readonly CashResponseCode[]>

/**
 * "Response fields (strings unless noted)" (specification 3 §2.4): the terminal also reads numbers, these services
 * never send any.
 */
const CashAnswer = z.object({
  ...Object.fromEntries(
    Object.keys({ ...ReverseRequest.shape, ...CashResponse.shape }).map((name) => [name, z.string().optional()]),
  ),
  errors: z.array(z.object({ errorCode: z.string(), errorReason: z.string() })).optional(),
})

/** The codes of one call by HTTP status: the code decides, not the status (specification 3 §7.2). */
function cashResponses(codes: readonly CashResponseCode[], example: Json): Json {
  const byStatus = new Map<number, CashResponseCode[]>()
  for (const code of codes)
    byStatus.set(CASH_RESPONSE_CODES[code].status, [...(byStatus.get(CASH_RESPONSE_CODES[code].status) ?? []), code])
  return {
    401: NO_TOKEN,
    ...Object.fromEntries(
      [...byStatus].map(([status, [first, ...more]]) => [
        status,
        {
          description: [
            ...[first, ...more]
              .filter((code) => code !== undefined)
              .map((code) => `${code} ${CASH_RESPONSE_CODES[code].message}`),
            ...(status === 401 ? ['or no response code: missing or invalid bearer token'] : []),
          ].join('; '),
          content: content(CashAnswer, cashExample(first ?? '0000', example)),
        },
      ]),
    ),
  }
}

const ISSUANCE_RESPONSES: Json = {
  200: { description: 'Processed', content: content(IssuanceResponse, issuanceExample('CONFIRMED')) },
  400: {
    description: 'Rejected: resubmit only with a corrected record',
    content: content(IssuanceResponse, {
      responseCode: '234',
      message: ISSUANCE_ERROR_CODES['234'].message,
      errors: [{ errorCode: '234', errorReason: ISSUANCE_ERROR_CODES['234'].message }],
    }),
  },
  401: NO_TOKEN,
  500: {
    description: 'Internal failure: retry at least twice more',
    content: content(IssuanceResponse, {
      responseCode: '500',
      message: 'Another transaction of this collector is being processed',
    }),
  },
}
/** CALCULATE and RECORD never wait (specification 3 §4.2, §4.3). */
const PENDING: Json = {
  202: {
    description: 'Accepted, pending: nothing more to do',
    content: content(IssuanceResponse, issuanceExample('PENDING', '202')),
  },
}

const call = (
  summary: string,
  tag: string,
  input: z.ZodType,
  example: Json,
  responses: Json,
  parameters: readonly Json[],
): Json => ({
  post: {
    summary,
    tags: [tag],
    security: [{ partner: [] }],
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema: schemaOf(input), example } } },
    responses,
  },
})
const cash = (
  name: keyof typeof CASH_CODES,
  summary: string,
  input: z.ZodType,
  example: Json,
  parameters: readonly Json[],
): Json => call(summary, 'cash redemption', input, example, cashResponses(CASH_CODES[name], example), parameters)
const issuance = (summary: string, input: z.ZodType, example: Json, parameters: readonly Json[] = [KEY]): Json =>
  call(summary, 'miles issuance', input, example, { ...ISSUANCE_RESPONSES, ...PENDING }, parameters)
/** A call that moves nothing: `told` is what it answers beside the echo. */
const unmoving = (summary: string, input: z.ZodType, example: Json, told: Json, parameters: readonly Json[]): Json =>
  call(
    summary,
    'miles issuance',
    input,
    example,
    {
      ...ISSUANCE_RESPONSES,
      200: {
        description: 'Processed',
        content: content(IssuanceResponse, { ...example, ...told, transactionId: TRANSACTION_ID }),
      },
    },
    parameters,
  )

/**
 * The OpenAPI 3.1 description of what these services answer now. Made from the schemas that the services check with.
 */
export function describeServices(paths: UnshownPaths): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Milepost reference central services',
      version: '1',
      description: 'What training mode sells against. Every card, balance and mile is made up.',
    },
    components: {
      securitySchemes: {
        partner: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: TOKEN_PATH, scopes: {} } } },
        member: {
          type: 'oauth2',
          description: 'Device authorization grant (RFC 8628)',
          flows: {
            deviceAuthorization: {
              deviceAuthorizationUrl: DEVICE_AUTHORIZATION_PATH,
              tokenUrl: TOKEN_PATH,
              scopes: { openid: 'Speaks for one collector' },
            },
          },
        },
      },
    },
    paths: {
      [CASH_PATHS.echo]: cash(
        'echo',
        'ECHO: connectivity test',
        EchoRequest,
        { deviceId: 'N101-01', sponsorCode: 'NRTH', storeId: 'TRAIN-001', traceId: 'ECHO-1', vendorId: 'NORTHSTAR' },
        [header('Cache-Control', 'no-cache', true)],
      ),
      [CASH_PATHS.inquire]: cash('inquire', 'INQUIRE: balances and redemption offer', InquireRequest, EXAMPLE_CARD, []),
      [CASH_PATHS.redeem]: cash(
        'redeem',
        'REDEEM: pays with cash miles',
        RedeemRequest,
        { ...EXAMPLE_CARD, dollarRedeemRequest: '40.00' },
        [KEY],
      ),
      [paths.cashReverse]: cash(
        'reverse',
        'REVERSE: gives a redemption back',
        ReverseRequest,
        { ...EXAMPLE_CARD, dollarRedeemRequest: '40.00', txnConfirmationNumber: '206350000001' },
        [KEY],
      ),
      [ISSUANCE_PATHS.calculate]: unmoving(
        'CALCULATE: what a basket earns',
        StrictCalculate,
        { ...EXAMPLE_BASKET, transactionType: 'PURCHASE' },
        { issuances: [CALCULATED] },
        [KEY],
      ),
      [ISSUANCE_PATHS.issue]: issuance('ISSUE: calculates and deposits', StrictIssue, EXAMPLE_BASKET),
      [ISSUANCE_PATHS.return]: issuance('RETURN: withdraws what returned items earned', StrictReturn, {
        ...EXAMPLE_BASKET,
        originalTransactionId: 'N10101000000010000',
      }),
      [ISSUANCE_PATHS.record]: unmoving(
        'RECORD: keeps a transaction, issues nothing',
        StrictRecord,
        { ...EXAMPLE_BASKET, transactionType: 'PURCHASE' },
        {},
        [],
      ),
      [paths.post]: issuance('POST: deposits partner-calculated miles', StrictPartnerBasket, {
        ...EXAMPLE_BASKET,
        ...GIVEN,
      }),
      [paths.postEvent]: issuance('POST/EVENT: deposits for an event', StrictPartnerEvent, EXAMPLE_EVENT),
      [paths.reverse]: issuance('REVERSE: withdraws partner-calculated miles', StrictPartnerBasket, {
        ...EXAMPLE_BASKET,
        ...GIVEN,
      }),
      [ISSUANCE_PATHS.reverseEvent]: issuance(
        'REVERSE/EVENT: withdraws for an event',
        StrictPartnerEvent,
        EXAMPLE_EVENT,
      ),
      ...describeReads(),
    },
  }
}

export function descriptionRoutes(paths: UnshownPaths) {
  return (app: FastifyInstance): void => {
    let description: Json | undefined
    app.get('/openapi.json', () => (description ??= describeServices(paths)))
  }
}
