import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { CASH_PATHS, CASH_RESPONSE_CODES, CashResponse, EchoRequest, InquireRequest, RedeemRequest, ReverseRequest } from '../contracts/central/cash.ts'
import { ISSUANCE_PATHS, IssuanceResponse } from '../contracts/central/issuance.ts'
import { OFFER_PATHS, OfferListResponse, OfferResponse } from '../contracts/central/offers.ts'
import { OfferQuery } from './offers/query.ts'
import { PartnerBasketRequest, PartnerEventRequest, RecordRequest, StrictCalculate, StrictIssue, StrictReturn } from './issuance/requests.ts'

type Json = Record<string, unknown>

const schemaOf = (schema: z.ZodType): Json => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest
}
const content = (schema: z.ZodType): Json => ({ 'application/json': { schema: schemaOf(schema) } })
const header = (name: string, description: string, required: boolean): Json => ({ in: 'header', name, required, description, schema: { type: 'string' } })
const NO_TOKEN = { description: 'Missing or invalid bearer token: a message and no response code', content: content(z.object({ message: z.string() })) }
const KEY = header('Idempotency-Key', 'A retry under the same key is answered again byte for byte; a key that comes with another request is refused', false)

/** The codes of the cash service by HTTP status: the code decides, not the status (specification 3 §7.2). */
function cashResponses(): Json {
  const byStatus = new Map<number, string[]>()
  for (const [code, { status, message }] of Object.entries(CASH_RESPONSE_CODES)) byStatus.set(status, [...(byStatus.get(status) ?? []), `${code} ${message}`])
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, {
    description: `${codes.join('; ')}${status === 401 ? '; or no response code: missing or invalid bearer token' : ''}`, content: content(CashResponse),
  }]))
}

const ISSUANCE_RESPONSES: Json = {
  200: { description: 'Processed', content: content(IssuanceResponse) },
  202: { description: 'Accepted, pending: nothing more to do', content: content(IssuanceResponse) },
  400: { description: 'Rejected: resubmit only with a corrected record', content: content(IssuanceResponse) },
  401: NO_TOKEN,
  500: { description: 'Internal failure: retry at least twice more', content: content(IssuanceResponse) },
}

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

const call = (summary: string, tag: string, input: z.ZodType, example: Json, responses: Json, parameters: readonly Json[]): Json => ({
  post: { summary, tags: [tag], security: [{ partner: [] }], parameters, requestBody: { required: true, content: { 'application/json': { schema: schemaOf(input), example } } }, responses },
})
const cash = (summary: string, input: z.ZodType, example: Json, parameters: readonly Json[]): Json => call(summary, 'cash redemption', input, example, cashResponses(), parameters)
const issuance = (summary: string, input: z.ZodType, example: Json, parameters: readonly Json[] = [KEY]): Json => call(summary, 'miles issuance', input, example, ISSUANCE_RESPONSES, parameters)

const ORIGIN_HEADERS = [
  header('X-Origin-Client', '<internal or external>:<channel>:<client>', true), header('X-Correlation-Id', 'UUID; comes back in the answer', false),
  header('Accept-Language', 'en-US or fr-CA', false), header('Collector-Number', "Only with a partner's token", false),
]

function queryParameters(): Json[] {
  const { properties, required } = schemaOf(OfferQuery) as { properties: Record<string, Json>, required?: string[] }
  return Object.entries(properties).map(([name, schema]) => ({ in: 'query', name, required: required?.includes(name) ?? false, schema }))
}

/** The OpenAPI 3.1 description of what these services answer now. Made from the schemas that the services check with. */
export function describeServices(): Json {
  const offers = (summary: string, response: z.ZodType, parameters: readonly Json[]): Json => ({
    get: {
      summary, tags: ['offers'], security: [{}, { partner: [] }], parameters: [...ORIGIN_HEADERS, ...parameters],
      responses: { 200: { description: 'Offers', content: content(response) }, 400: { description: 'Bad request' }, 401: NO_TOKEN },
    },
  })
  const region = { in: 'query', name: 'region', required: true, schema: { type: 'string' } }
  return {
    openapi: '3.1.0',
    info: { title: 'Milepost reference central services', version: '1', description: 'What training mode sells against. Every card, balance and mile is made up.' },
    components: { securitySchemes: { partner: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/oidc/token', scopes: {} } } } } },
    paths: {
      [CASH_PATHS.echo]: cash('ECHO: connectivity test', EchoRequest, { deviceId: 'N101-01', sponsorCode: 'NRTH', storeId: 'TRAIN-001', traceId: 'ECHO-1', vendorId: 'NORTHSTAR' }, [header('Cache-Control', 'no-cache', true)]),
      [CASH_PATHS.inquire]: cash('INQUIRE: balances and redemption offer', InquireRequest, EXAMPLE_CARD, []),
      [CASH_PATHS.redeem]: cash('REDEEM: pays with cash miles', RedeemRequest, { ...EXAMPLE_CARD, dollarRedeemRequest: '40.00' }, [KEY]),
      [CASH_PATHS.reverse]: cash('REVERSE: gives a redemption back', ReverseRequest, { ...EXAMPLE_CARD, dollarRedeemRequest: '40.00', txnConfirmationNumber: '206350000001' }, [KEY]),
      [ISSUANCE_PATHS.calculate]: issuance('CALCULATE: what a basket earns', StrictCalculate, { ...EXAMPLE_BASKET, transactionType: 'PURCHASE' }),
      [ISSUANCE_PATHS.issue]: issuance('ISSUE: calculates and deposits', StrictIssue, EXAMPLE_BASKET),
      [ISSUANCE_PATHS.return]: issuance('RETURN: withdraws what returned items earned', StrictReturn, { ...EXAMPLE_BASKET, originalTransactionId: 'N10101000000010000' }),
      [ISSUANCE_PATHS.record]: issuance('RECORD: keeps a transaction, issues nothing', RecordRequest, { ...EXAMPLE_BASKET, transactionType: 'PURCHASE' }, []),
      [ISSUANCE_PATHS.post]: issuance('POST: deposits partner-calculated miles', PartnerBasketRequest, { ...EXAMPLE_BASKET, ...GIVEN }),
      [ISSUANCE_PATHS.postEvent]: issuance('POST/EVENT: deposits for an event', PartnerEventRequest, EXAMPLE_EVENT),
      [ISSUANCE_PATHS.reverse]: issuance('REVERSE: withdraws partner-calculated miles', PartnerBasketRequest, { ...EXAMPLE_BASKET, ...GIVEN }),
      [ISSUANCE_PATHS.reverseEvent]: issuance('REVERSE/EVENT: withdraws for an event', PartnerEventRequest, EXAMPLE_EVENT),
      [OFFER_PATHS.list]: offers('Offers of a region', OfferListResponse, queryParameters()),
      [`${OFFER_PATHS.list}/{id}`]: offers('One offer', OfferResponse, [{ in: 'path', name: 'id', required: true, schema: { type: 'string' } }, region]),
    },
  }
}

export function descriptionRoutes(app: FastifyInstance): void {
  let description: Json | undefined
  app.get('/openapi.json', () => description ??= describeServices())
}
