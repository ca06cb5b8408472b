import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import { CASH_PATHS, CASH_RESPONSE_CODES, CashResponse, type CashResponseCode, EchoRequest, InquireRequest, RedeemRequest, ReverseRequest } from '../contracts/central/cash.ts'
import { ISSUANCE_ERROR_CODES, ISSUANCE_PATHS, IssuanceResponse, type IssuanceErrorCode } from '../contracts/central/issuance.ts'
import type { UnshownPaths } from './http/unshown-paths.ts'
import { content, describeReads, header, NO_TOKEN, schemaOf, type Json } from './openapi-reads.ts'
import { DEVICE_AUTHORIZATION_PATH, TOKEN_PATH } from './identity/paths.ts'
import { StrictCalculate, StrictIssue, StrictPartnerBasket, StrictPartnerEvent, StrictRecord, StrictReturn } from './issuance/requests.ts'

const EXAMPLE_CARD = {
  acquirerId: 'NORTHSTAR', cardEntryMode: 'SWIPE', collectorNumber: '80000000011', dateTime: '2026-07-01T12:00:00-04:00', deviceId: 'N101-01',
  postTaxBasketAmount: '43.35', sponsorCode: 'NRTH', storeId: 'TRAIN-001', traceId: '5f0c1f5e-3a53-4f3c-9a74-0f3a4f0f8f11', vendorId: 'NORTHSTAR',
}
const EXAMPLE_BASKET = {
  basketPostTaxAmount: 16.94, basketPreTaxAmount: 14.99, checkoutDateTime: '2026-07-01T12:00:00-04:00', checkoutTransactionId: 'N10101000000010001',
  collectorNumber: '80000000011', locationCode: 'N101', sponsorCode: 'NRTH', items: [{ id: '1010', name: 'Coffee beans 340 g', number: 1, quantity: 1, baseAmount: 14.99, finalAmount: 14.99 }],
}
const GIVEN = { issuances: [{ issuanceOfferCode: 'NRBASE', milesAmount: 2, offerId: 'NRBASE' }] }
const EXAMPLE_EVENT = { clientTransactionId: 'EVENT-1', collectorNumber: '80000000011', sponsorCode: 'NRTH', transactionDateTime: '2026-07-01T12:00:00-04:00', ...GIVEN }

const issuanceExample = (status: string, code?: IssuanceErrorCode): Json => ({
  checkoutTransactionId: EXAMPLE_BASKET.checkoutTransactionId, collectorNumber: EXAMPLE_BASKET.collectorNumber, transactionId: '4c1f0a9e-7b2d-4e35-9f60-8a1b2c3d4e5f',
  issuances: [{ issuanceOfferCode: 'NRBASE', offerId: 'NRBASE', milesAmount: 2, contributingItemIds: ['1010'], confirmationNumber: 'b7d0c3a2-1e4f-4a5b-8c6d-7e8f9a0b1c2d', processedDateTime: '2026-07-01T16:00:01.250Z', status }],
  ...(code === undefined ? {} : { responseCode: code, message: ISSUANCE_ERROR_CODES[code].message, errors: [{ errorCode: code, errorReason: ISSUANCE_ERROR_CODES[code].message }] }),
})

const KEY = header('Idempotency-Key', 'A retry under the same key is answered again byte for byte; a key that comes with another request is refused', false)

/** An answer as it may come under a code. */
const cashExample = (code: string): Json => ({
  ...EXAMPLE_CARD, responseCode: code, message: CASH_RESPONSE_CODES[code as CashResponseCode].message, transDateTime: '2026-07-01T12:00:01.250-04:00',
  ...(code === '0000' ? { availableCashBalance: '4750', availableDollarAmount: '500.00', cashBalance: '4750', dreamBalance: '12300', availableOfferUnits: '50', dailyOfferLimit: '75', offerId: 'RGL-95', offerType: 'RGL', unitValueLoyaltyCash: '95', unitValueDollars: '10.00' } : {}),
})

/** The codes of the cash service by HTTP status: the code decides, not the status (specification 3 §7.2). */
function cashResponses(): Json {
  const byStatus = new Map<number, string[]>()
  for (const [code, { status, message }] of Object.entries(CASH_RESPONSE_CODES)) byStatus.set(status, [...(byStatus.get(status) ?? []), `${code} ${message}`])
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, {
    description: `${codes.join('; ')}${status === 401 ? '; or no response code: missing or invalid bearer token' : ''}`, content: content(CashResponse, cashExample(codes[0]?.slice(0, 4) ?? '0000')),
  }]))
}

const ISSUANCE_RESPONSES: Json = {
  200: { description: 'Processed', content: content(IssuanceResponse, issuanceExample('CONFIRMED')) },
  202: { description: 'Accepted, pending: nothing more to do', content: content(IssuanceResponse, issuanceExample('PENDING', '202')) },
  400: { description: 'Rejected: resubmit only with a corrected record', content: content(IssuanceResponse, { responseCode: '234', message: ISSUANCE_ERROR_CODES['234'].message, errors: [{ errorCode: '234', errorReason: ISSUANCE_ERROR_CODES['234'].message }] }) },
  401: NO_TOKEN,
  500: { description: 'Internal failure: retry at least twice more', content: content(IssuanceResponse, { responseCode: '500', message: 'Another transaction of this collector is being processed' }) },
}

const call = (summary: string, tag: string, input: z.ZodType, example: Json, responses: Json, parameters: readonly Json[]): Json => ({
  post: { summary, tags: [tag], security: [{ partner: [] }], parameters, requestBody: { required: true, content: { 'application/json': { schema: schemaOf(input), example } } }, responses },
})
const cash = (summary: string, input: z.ZodType, example: Json, parameters: readonly Json[]): Json => call(summary, 'cash redemption', input, example, cashResponses(), parameters)
const issuance = (summary: string, input: z.ZodType, example: Json, parameters: readonly Json[] = [KEY]): Json => call(summary, 'miles issuance', input, example, ISSUANCE_RESPONSES, parameters)

/** The OpenAPI 3.1 description of what these services answer now. Made from the schemas that the services check with. */
export function describeServices(paths: UnshownPaths): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Milepost reference central services', version: '1', description: 'What training mode sells against. Every card, balance and mile is made up.' },
    components: { securitySchemes: { partner: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: TOKEN_PATH, scopes: {} } } },
      member: { type: 'oauth2', description: 'Device authorization grant (RFC 8628)', flows: { deviceAuthorization: { deviceAuthorizationUrl: DEVICE_AUTHORIZATION_PATH, tokenUrl: TOKEN_PATH, scopes: { openid: 'Speaks for one collector' } } } },
    } },
    paths: {
      [CASH_PATHS.echo]: cash('ECHO: connectivity test', EchoRequest, { deviceId: 'N101-01', sponsorCode: 'NRTH', storeId: 'TRAIN-001', traceId: 'ECHO-1', vendorId: 'NORTHSTAR' }, [header('Cache-Control', 'no-cache', true)]),
      [CASH_PATHS.inquire]: cash('INQUIRE: balances and redemption offer', InquireRequest, EXAMPLE_CARD, []),
      [CASH_PATHS.redeem]: cash('REDEEM: pays with cash miles', RedeemRequest, { ...EXAMPLE_CARD, dollarRedeemRequest: '40.00' }, [KEY]),
      [paths.cashReverse]: cash('REVERSE: gives a redemption back', ReverseRequest, { ...EXAMPLE_CARD, dollarRedeemRequest: '40.00', txnConfirmationNumber: '206350000001' }, [KEY]),
      [ISSUANCE_PATHS.calculate]: issuance('CALCULATE: what a basket earns', StrictCalculate, { ...EXAMPLE_BASKET, transactionType: 'PURCHASE' }),
      [ISSUANCE_PATHS.issue]: issuance('ISSUE: calculates and deposits', StrictIssue, EXAMPLE_BASKET),
      [ISSUANCE_PATHS.return]: issuance('RETURN: withdraws what returned items earned', StrictReturn, { ...EXAMPLE_BASKET, originalTransactionId: 'N10101000000010000' }),
      [ISSUANCE_PATHS.record]: issuance('RECORD: keeps a transaction, issues nothing', StrictRecord, { ...EXAMPLE_BASKET, transactionType: 'PURCHASE' }, []),
      [paths.post]: issuance('POST: deposits partner-calculated miles', StrictPartnerBasket, { ...EXAMPLE_BASKET, ...GIVEN }),
      [paths.postEvent]: issuance('POST/EVENT: deposits for an event', StrictPartnerEvent, EXAMPLE_EVENT),
      [paths.reverse]: issuance('REVERSE: withdraws partner-calculated miles', StrictPartnerBasket, { ...EXAMPLE_BASKET, ...GIVEN }),
      [ISSUANCE_PATHS.reverseEvent]: issuance('REVERSE/EVENT: withdraws for an event', StrictPartnerEvent, EXAMPLE_EVENT),
      ...describeReads(),
    },
  }
}

export function descriptionRoutes(paths: UnshownPaths) {
  return (app: FastifyInstance): void => {
    let description: Json | undefined
    app.get('/openapi.json', () => description ??= describeServices(paths))
  }
}
