import { z } from 'zod'
import { HISTORY_PATHS, HistoryHealthResponse, HistoryPage } from '../../contracts/central/history.ts'
import {
  CountResponse,
  OFFER_STATE_PATHS,
  PutRequest,
  StateHealthResponse,
  StateListResponse,
} from '../../contracts/central/offer-state.ts'
import { OFFER_PATHS, OfferListResponse, OfferResponse, OfferStatesRequest } from '../../contracts/central/offers.ts'
import { DEVICE_AUTHORIZATION_PATH, MEMBER_PAGE_PATH, REVOCATION_PATH, TOKEN_PATH } from './identity/bearer.ts'
import { OfferQuery } from './offers/query.ts'
import { WARNINGS } from './offers/states.ts'

export type Json = Record<string, unknown>

export const schemaOf = (schema: z.ZodType): Json => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest
}
export const content = (schema: z.ZodType, example?: unknown): Json => ({
  'application/json': { schema: schemaOf(schema), ...(example === undefined ? {} : { example }) },
})
export const header = (name: string, description: string, required: boolean, example?: string): Json => ({
  in: 'header',
  name,
  required,
  description,
  schema: { type: 'string' },
  ...(example === undefined ? {} : { example }),
})
const query = (
  name: string,
  description: string,
  required: boolean,
  example?: string,
  schema: Json = { type: 'string' },
): Json => ({ in: 'query', name, required, description, schema, ...(example === undefined ? {} : { example }) })

export const NO_TOKEN = {
  description: 'Missing or invalid bearer token: a message and no response code',
  content: content(z.object({ message: z.string() }), {
    message: 'Missing or invalid bearer token: generate a valid token and resubmit',
  }),
}
const FLAWED = {
  description: 'Bad request: every flaw is named',
  content: content(
    z.object({ message: z.string(), errors: z.array(z.object({ errorCode: z.string(), errorReason: z.string() })) }),
    { message: 'Bad request', errors: [{ errorCode: '400', errorReason: 'region: Invalid option' }] },
  ),
}
const Told = z.object({ message: z.string() })
const told = (description: string, message: string): Json => ({ description, content: content(Told, { message }) })
const AWAY = told('Scheduled outage', 'Scheduled outage')
const NO_OFFER = told('No such offer for this collector; nothing was changed', 'There is no such offer')
const NEEDS_MEMBER = told(
  'A machine-to-machine token: a member token is required',
  'A member token is required: the token identifies the collector',
)
/** What the identity provider says (RFC 6749 §5.2). */
const oauth = (description: string, error: string): Json => ({
  description,
  content: content(z.object({ error: z.string(), error_description: z.string().optional() }), { error }),
})
const html = (description: string, message: string): Json => ({
  description,
  content: {
    'text/html': {
      schema: { type: 'string' },
      example: `<!doctype html><html lang="en"><h1>Member sign-in / Connexion</h1><p>${message}</p></html>`,
    },
  },
})

const OFFER_ID = '3f7c1d52-8a41-4c0e-9b6d-5e2f4a6b8c0d'
const OFFER_EXAMPLE = {
  id: OFFER_ID,
  partnerId: '0f0e0d0c-0b0a-4908-8706-050403020100',
  partnerLabel: 'Northstar Markets',
  awardShort: '15 bonus miles',
  qualifierShort: 'Buy whole bean coffee',
  displayDate: '2026-07-01T00:00:00',
  startDate: '2026-07-01T00:00:00',
  endDate: '2026-08-01T23:59:59',
  programType: 'traditionalcore',
  massOffer: true,
  tiers: [{ awardValue: 15, qualifierValue: 1, awardLong: '15 bonus miles', qualifierLong: 'Buy whole bean coffee' }],
  mechanisms: [{ mechanismType: 'noAction' }],
  states: [{ name: 'SAVE', value: 'SAVED', updatedAt: '2026-07-02T15:04:05.123000Z' }],
}
const STATE_EXAMPLE = { offerId: OFFER_ID, collectorId: '80000000011', states: OFFER_EXAMPLE.states }
const ACTIVITY_EXAMPLE = {
  transactionId: '9d4a7b0e-51c2-4f63-8a7e-1b2c3d4e5f60',
  memberId: 1,
  cardNumber: '80000000011',
  activityType: 'ISSUANCE',
  transactionDate: '2026-07-01T16:00:00.000Z',
  postingDate: '2026-07-01T16:00:00.000Z',
  transactionDescription: '1 mile for every $5',
  transactionValue: 8,
  cashMiles: 4,
  dreamMiles: 4,
  cashRatio: 0.5,
  dreamRatio: 0.5,
  externalReferenceNumber: 'N10101000000010001',
  externalReferenceType: 'CHECKOUT_TRANSACTION',
  channel: 'ETS',
  initiatorId: 'NRTH',
  sponsorCode: 'NRTH',
  sponsorDescriptionEnglish: 'Northstar Markets',
  sponsorDescriptionFrench: 'Marchés Northstar',
  offerClass: 'BASE',
  offerCode: 'NRBASE',
  offerDescriptionEnglish: '1 mile for every $5',
  offerDescriptionFrench: '1 mille par tranche de 5 $',
  locationCode: 'N101',
  locationDescription: 'Toronto',
  balancePostTransaction: 17_058,
}
const PAGE_EXAMPLE = {
  _embedded: { genericActivityDtoList: [ACTIVITY_EXAMPLE] },
  page: { size: 20, totalElements: 1, totalPages: 1, number: 0 },
  _links: Object.fromEntries(
    ['first', 'self', 'last'].map((name) => [
      name,
      {
        href:
          'https://services.example/transaction-history/cards' +
          '?from=2026-01-01T00%3A00%3A00Z&to=2026-12-31T00%3A00%3A00Z&page=0&size=20',
      },
    ]),
  ),
}

const ORIGIN_HEADERS = [
  header('X-Origin-Client', '<internal or external>:<channel>:<client>', true, 'internal:pos:milepost'),
  header('X-Correlation-Id', 'UUID; comes back in the answer; made when left out', false),
]
const READ_HEADERS = [
  ...ORIGIN_HEADERS,
  header('Accept-Language', 'en-US or fr-CA', false, 'en-US'),
  header(
    'Collector-Number',
    'Only with a machine-to-machine token; with a member token the request is rejected',
    false,
  ),
]
const JSON_TYPE = header('Content-Type', 'application/json', true, 'application/json')
const CHANNEL_HEADERS = [
  JSON_TYPE,
  header('Channel-Code', 'The calling channel', true, 'POS'),
  header('Accept-Language', 'EN or FR', false, 'EN'),
]
const STATE_HEADERS = [
  JSON_TYPE,
  header('x-correlation-id', 'Traces the request', true, 'trace-1'),
  header('x-origin-client', '<internal or external>:<channel>:<client>', true, 'internal:pos:milepost'),
]
const LOCAL_TIME = header('x-local-time', "The client's local date-time without a zone", true, '2026-07-01T12:00:00')
const MEMBER = [{ member: [] }]
const EITHER = [{ member: [] }, { partner: [] }]
const REGION = query('region', 'One region code', true, 'ON')

function offerParameters(): Json[] {
  const { properties, required } = schemaOf(OfferQuery) as { properties: Record<string, Json>; required?: string[] }
  return Object.entries(properties).map(([name, schema]) => ({
    in: 'query',
    name,
    required: (required?.includes(name) ?? false) && schema.default === undefined,
    schema,
    ...(name === 'region' ? { example: 'ON' } : {}),
  }))
}

const read = (
  summary: string,
  tag: string,
  security: readonly Json[],
  parameters: readonly Json[],
  ok: Json,
  responses: Json,
): Json => ({
  get: { summary, tags: [tag], security, parameters, responses: { 200: ok, 400: FLAWED, 401: NO_TOKEN, ...responses } },
})
const write = (
  summary: string,
  tag: string,
  parameters: readonly Json[],
  input: z.ZodType,
  example: Json,
  responses: Json,
): Json => ({
  put: {
    summary,
    tags: [tag],
    security: MEMBER,
    parameters,
    requestBody: { required: true, content: content(input, example) },
    responses: { 204: { description: 'Done; no body' }, 400: FLAWED, 401: NO_TOKEN, 404: NO_OFFER, ...responses },
  },
})
const ok = (description: string, schema: z.ZodType, example: unknown): Json => ({
  description,
  content: content(schema, example),
})

const STATE_FILTERS = [
  query('state', '`SAVE:SAVED`, `OPT_IN:OPTED_IN`, or both by a comma', false),
  query('partnerId', 'UUIDs by commas', false),
  query('region', 'A region code', false),
]
const RANGE = [
  query('from', 'Start, ISO 8601', true, '2026-01-01T00:00:00Z'),
  query('to', 'End, at most two years later', true, '2026-12-31T00:00:00Z'),
  query('page', 'Zero-based', false),
  query('size', 'Records a page, 20 when left out', false),
  query('sort', '`<field>,<asc or desc>`, at most three times', false, undefined, {
    type: 'array',
    items: { type: 'string' },
    maxItems: 3,
  }),
]
const AWAY_OR_LATE = {
  408: told('Timed out', 'The transaction timed out'),
  500: told('Unknown error', 'Unknown error'),
  503: told('Scheduled maintenance', 'Scheduled maintenance'),
}

/**
 * The operations of the services that are read and that keep states (specifications 1 and 2), and of the identity
 * provider.
 */
export function describeReads(): Json {
  const id = { in: 'path', name: 'id', required: true, schema: { type: 'string', format: 'uuid' }, example: OFFER_ID }
  const form = (fields: Json, required: readonly string[]): Json => ({
    required: true,
    content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties: fields, required } } },
  })
  const text = { type: 'string' }
  const INVALID_CLIENT = oauth('Another id or secret', 'invalid_client')
  return {
    [OFFER_PATHS.list]: read(
      'Offers of a region',
      'offers',
      [{}, ...EITHER],
      [...READ_HEADERS, ...offerParameters()],
      ok('Offers', OfferListResponse, { offers: [OFFER_EXAMPLE], metadata: { total: 1 } }),
      { 503: AWAY },
    ),
    [`${OFFER_PATHS.list}/{id}`]: read(
      'One offer',
      'offers',
      [{}, ...EITHER],
      [...READ_HEADERS, id, REGION],
      ok(`The offer, a warning, or both: ${Object.keys(WARNINGS).join(', ')}`, OfferResponse, {
        offer: OFFER_EXAMPLE,
        warning: { errorCode: 'err-region', message: WARNINGS['err-region'].message },
      }),
      { 503: AWAY },
    ),
    [`${OFFER_PATHS.list}/{id}/states`]: write(
      "A collector's states on an offer",
      'offers',
      [...ORIGIN_HEADERS, JSON_TYPE, id],
      OfferStatesRequest,
      { states: [{ name: 'SAVE', value: 'SAVED' }] },
      { 403: NEEDS_MEMBER, 503: AWAY },
    ),
    [OFFER_STATE_PATHS.health]: read(
      'Whether the offer-state service is well',
      'offer state',
      EITHER,
      CHANNEL_HEADERS,
      ok('Well', StateHealthResponse, [{ healthy: true, timestamp: '2026-07-01T16:00:00.000Z' }]),
      { 500: AWAY },
    ),
    [OFFER_STATE_PATHS.find]: read(
      'What the collector saved or opted into',
      'offer state',
      MEMBER,
      [
        ...STATE_HEADERS,
        LOCAL_TIME,
        ...STATE_FILTERS,
        ...['firstSortBy', 'secondSortBy'].flatMap((name) => [
          query(name, 'offerId, updatedAt, startDate, endDate, displayPriority or partnerLabel', false),
          query(`${name}Descending`, 'true or false', false),
        ]),
        query('pageNumber', 'Zero-based', false),
        query('pageSize', 'Records a page', false),
      ],
      ok('Records; without any, only the count', StateListResponse, { offers: [STATE_EXAMPLE], returnedCount: 1 }),
      { 500: AWAY },
    ),
    [OFFER_STATE_PATHS.get]: read(
      'Which of these offers the collector saved or opted into',
      'offer state',
      MEMBER,
      [...STATE_HEADERS, LOCAL_TIME, query('offerId', 'A UUID; repeated', true, OFFER_ID)],
      ok('Records', StateListResponse, { offers: [STATE_EXAMPLE], requestedCount: 1, returnedCount: 1 }),
      { 500: AWAY },
    ),
    [OFFER_STATE_PATHS.count]: read(
      'How many',
      'offer state',
      MEMBER,
      [...STATE_HEADERS, LOCAL_TIME, ...STATE_FILTERS],
      ok('The number', CountResponse, { count: 1 }),
      { 500: AWAY },
    ),
    [OFFER_STATE_PATHS.put]: write(
      'Saves and opts in; all changes or none',
      'offer state',
      STATE_HEADERS,
      PutRequest,
      { stateChanges: [{ offerId: OFFER_ID, states: [{ name: 'OPT_IN', value: 'OPTED_IN' }] }] },
      { 500: AWAY },
    ),
    [HISTORY_PATHS.health]: read(
      'Whether the transaction-history service is well',
      'transaction history',
      EITHER,
      CHANNEL_HEADERS,
      ok('Well', HistoryHealthResponse, { status: 'up' }),
      AWAY_OR_LATE,
    ),
    [HISTORY_PATHS.cards]: read(
      "The logged-in collector's transactions",
      'transaction history',
      MEMBER,
      [...CHANNEL_HEADERS, ...RANGE],
      ok('A page', HistoryPage, PAGE_EXAMPLE),
      AWAY_OR_LATE,
    ),
    [HISTORY_PATHS.sponsors]: read(
      "A given collector's transactions at given sponsors",
      'transaction history',
      EITHER,
      [
        ...CHANNEL_HEADERS,
        ...RANGE,
        query('sponsorList', 'Sponsor codes by commas', true, 'NRTH,RIVR'),
        query('collectorNumber', '11 digits, the first an 8', true, '80000000011'),
      ],
      ok('A page', HistoryPage, PAGE_EXAMPLE),
      AWAY_OR_LATE,
    ),
    [TOKEN_PATH]: {
      post: {
        summary: 'A token, for a partner or after a device sign-in',
        tags: ['identity'],
        requestBody: form(
          {
            grant_type: { enum: ['client_credentials', 'urn:ietf:params:oauth:grant-type:device_code'] },
            device_code: text,
          },
          ['grant_type'],
        ),
        responses: {
          200: ok('A token', z.object({ access_token: z.string(), token_type: z.string(), expires_in: z.int() }), {
            access_token: 'nQ4…',
            token_type: 'Bearer',
            expires_in: 300,
          }),
          400: oauth('authorization_pending, access_denied, expired_token, invalid_grant, …', 'authorization_pending'),
          401: INVALID_CLIENT,
        },
      },
    },
    [REVOCATION_PATH]: {
      post: {
        summary: 'Ends a token (RFC 7009)',
        tags: ['identity'],
        requestBody: form({ token: text }, ['token']),
        responses: {
          200: {
            description: 'The token does not stand, whether it did before or not; no body',
            content: { 'text/plain': { schema: text, example: '' } },
          },
          400: oauth('No token is named', 'invalid_request'),
          401: INVALID_CLIENT,
        },
      },
    },
    [DEVICE_AUTHORIZATION_PATH]: {
      post: {
        summary: 'A code for a collector to sign in with (RFC 8628)',
        tags: ['identity'],
        requestBody: form({ client_id: text, scope: { const: 'openid' } }, ['client_id']),
        responses: {
          200: ok(
            'The codes',
            z.object({
              device_code: z.string(),
              user_code: z.string(),
              verification_uri: z.string(),
              verification_uri_complete: z.string(),
              expires_in: z.int(),
            }),
            {
              device_code: 'k3…',
              user_code: 'WDJB-MJHT',
              verification_uri: 'https://services.example/oidc/device',
              verification_uri_complete: 'https://services.example/oidc/device?user_code=WDJB-MJHT',
              expires_in: 600,
            },
          ),
        },
      },
    },
    [MEMBER_PAGE_PATH]: {
      get: {
        summary: "The member's page",
        tags: ['identity'],
        parameters: [query('user_code', 'Filled in', false)],
        responses: { 200: html('A page', 'Enter the code that the screen shows.') },
      },
      post: {
        summary: 'What the member decided',
        tags: ['identity'],
        requestBody: form(
          { user_code: text, collector_number: text, pin: text, decision: { enum: ['approve', 'deny'] } },
          ['user_code'],
        ),
        responses: {
          200: html('Signed in, or refused', 'You are signed in; the screen goes on by itself.'),
          403: html(
            'No active collector, or another PIN; the fifth wrong try ends the code',
            'This number and PIN cannot sign in.',
          ),
          404: html('No such code', 'There is no such code.'),
          409: html('Used', 'The code was used.'),
          410: html('Expired', 'The code has expired.'),
        },
      },
    },
  }
}
