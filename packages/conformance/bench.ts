import { readFileSync } from 'node:fs'
import { isNode, LineCounter, parseDocument, type Document } from 'yaml'
import { z } from 'zod'

const number = (value: string) => z.string().nullable().default(value)
const absent = z.string().nullable().default(null)
const status = z.int().min(200).max(599)
const statuses = (...values: number[]) => z.array(status).min(1).default(values)

/** Functions of the reference services’ control port; another target may support some of them or none. */
export const CONTROL_FUNCTIONS = ['clock', 'faults', 'settle', 'requests'] as const
export type ControlFunction = (typeof CONTROL_FUNCTIONS)[number]
const REGIONS = ['BC', 'AB', 'SK', 'MB', 'ON', 'QC', 'TB', 'NB', 'NS', 'PE', 'NL', 'NT', 'NU', 'YT', 'ZZ'] as const

const PARTNERS = [
  '00fb8673-8b42-4835-a84f-3e32248c1e89',
  'f9ed0256-01c5-47fb-b552-2e53a50ae8da',
  '18aefd9f-f8d0-45b8-af8d-6ab84300fda0',
  '9bf4fac9-d2f8-4263-adba-f9bf739cd387',
  '24772020-1ef0-467b-b5cb-c8c6948c14dd',
  '65e457d6-f865-44e9-ad76-be8a2b69d641',
  'bf541bec-df3f-486b-89b9-94d72b788ef2',
  '486ed8e4-7eac-4efd-92c1-1e494cb07f11',
]

/**
 * Description of a target (the tested services): people, places, offers, and the calls that the specifications do not
 * show. Defaults: the seed data of the reference services. A check that needs a value that is null (not available) is
 * skipped with that reason.
 */
export const Bench = z.strictObject({
  tokenUrl: absent.describe('OAuth 2.0 token endpoint, absolute or relative to the target; null: /oidc/token'),
  revocationPath: number('/oidc/token/revocation').describe('token revocation endpoint (RFC 7009)'),
  clientId: absent,
  clientSecret: absent,
  /** How to request the partner’s token. The specification does not show the flow (specification 3 §5). */
  token: z
    .strictObject({
      given: absent.describe(
        'an existing access token to use instead of requesting one; better in MILEPOST_ACCESS_TOKEN',
      ),
      client: z
        .enum(['basic', 'fields'])
        .default('basic')
        .describe('place of client_id and client_secret: HTTP Basic, or fields of the body'),
      body: z.enum(['form', 'json']).default('form'),
      fields: z
        .record(z.string(), z.string())
        .default({ grant_type: 'client_credentials' })
        .describe('fields of the body; add scope or audience here'),
      answer: z.string().default('access_token').describe('field of the answer with the token'),
    })
    .prefault({}),
  controlUrl: absent.describe(
    'the address of the control port that moves the clock, loses answers and settles issuances; null: no control port',
  ),
  control: z
    .strictObject({
      speaks: z.array(z.enum(CONTROL_FUNCTIONS)).default([...CONTROL_FUNCTIONS]),
      paths: z
        .strictObject({
          clock: z.string().default('/clock'),
          faults: z.string().default('/faults'),
          settle: z.string().default('/issuances/settle'),
          requests: z.string().default('/requests'),
          wait: z.string().default('/wait'),
        })
        .prefault({}),
    })
    .prefault({}),
  /** HTTP statuses that the specifications do not show; any listed one is accepted. */
  statuses: z
    .strictObject({
      checkoutToken: statuses(401, 403).describe('a checkout call without a valid token (3 §5)'),
      offersRefused: statuses(400).describe('a request that the offer service refuses (1 §7)'),
      offersToken: statuses(401).describe('an invalid token at the offer service'),
      offersForbidden: statuses(400, 401, 403).describe(
        'a request of the offer service that the token does not permit',
      ),
      offersWarning: statuses(200).describe('an offer that is not returned, with its warning'),
      historyToken: statuses(400, 401, 403).describe('transaction history without a valid token (2 §7)'),
      contentType: statuses(400, 415).describe('another Content-Type where no code is shown'),
      method: statuses(404, 405).describe('GET of a call that is POST'),
      parallel: statuses(400, 409, 500).describe('a parallel transaction of the same collector (3 §4.2 rule 5)'),
      tooLarge: statuses(400, 413),
    })
    .prefault({}),
  /** Sign of the miles in RETURN’s answer, which specification 3 §2.3 does not show. */
  returnMiles: z.enum(['negative', 'positive']).default('negative'),
  /** cardEntryMode of a keyed collector number, whose values specification 3 §2.4 does not show. null: unknown. */
  keyedEntryMode: number('KEYED'),
  /** Time zone of "3:00 AM the day after" and of the $750 per day (specification 3 §3, §8). null: the store's. */
  reversalZone: absent,
  limitZone: absent,
  /**
   * Fields added to a valid request of a call whose fields the specification does not show (specification 3 §4.4,
   * §4.5).
   */
  moreFields: z
    .strictObject({
      cashReverse: z.record(z.string(), z.unknown()).default({}),
      post: z.record(z.string(), z.unknown()).default({}),
      postEvent: z.record(z.string(), z.unknown()).default({}),
      reverse: z.record(z.string(), z.unknown()).default({}),
    })
    .prefault({}),
  /** Query with which FIND returns all records on one page; specification 2 §4.1 does not show parameter formats. */
  findAll: z.record(z.string(), z.string()).default({ pageSize: '500' }),
  /** Access tokens of members by their role in the checks. `device`: how to request the tokens of other roles. */
  memberTokens: z.record(z.string(), z.string()).default({}),
  device: z
    .strictObject({
      authorizationPath: z.string().default('/oidc/device/auth'),
      tokenUrl: absent.describe("endpoint of the member token; null: the partner's"),
      clientId: absent.describe('null: the client above'),
      scope: z.string().default('openid'),
      approvePath: number('/oidc/device').describe(
        'form where a member enters the code; null: members cannot be signed in automatically',
      ),
      approveFields: z
        .strictObject({
          userCode: z.string().default('user_code'),
          collectorNumber: z.string().default('collector_number'),
        })
        .prefault({}),
      approveMore: z.record(z.string(), z.string()).default({ pin: '2468', decision: 'approve' }),
    })
    .prefault({}),
  paths: z
    .strictObject({
      cashReverse: number('/checkout/loyaltycash/reverse'),
      post: number('/checkout/issuance/post'),
      postEvent: number('/checkout/issuance/post/event'),
      reverse: number('/checkout/issuance/reverse'),
    })
    .prefault({}),
  sponsor: z.string().default('NRTH'),
  secondSponsor: number('RIVR').describe('member of the same program; needs no location'),
  expiredSponsor: number('OLDE'),
  unknownSponsor: z.string().default('NONE'),
  store: z
    .strictObject({ id: z.string().default('TRAIN-001'), timeZone: z.string().default('America/Toronto') })
    .prefault({}),
  otherStore: z
    .strictObject({ id: z.string(), timeZone: z.string() })
    .nullable()
    .default({ id: 'B201', timeZone: 'America/Vancouver' })
    .describe('a store in another time zone'),
  location: z
    .strictObject({ active: z.string().default('N101'), inactive: number('X900'), unknown: z.string().default('ZZ00') })
    .prefault({}),
  collectors: z
    .strictObject({
      fine: z
        .string()
        .default('80000000011')
        .describe('at least 950 cash miles and 200 dollars of the daily limit; targeted offers'),
      second: number('80000000145').describe('no restrictions and no targeted offers'),
      suppressed: number('80000000022').describe('0001'),
      suppressedUnable: number('80000000033').describe('0005'),
      unable: number('80000000044').describe('0006'),
      poor: number('80000000055').describe('0051'),
      nearLimit: number('80000000066').describe('20 dollars of the daily limit left, enough miles'),
      limitUsed: number('80000000134').describe('daily limit used up, enough miles'),
      special: number('80000000077').describe('an SPL offer with a daily limit that the miles exceed'),
      closed: number('80000000088'),
      deleted: number('80000000101'),
      unknown: z.string().default('80000000099'),
      unavailable: number('80000000112').describe('0067'),
      pending: number('80000000123').describe('issuances wait: 202, 000'),
    })
    .prefault({}),
  /**
   * For each response code, fields of a cash request that make the target answer with it; null: the code cannot be
   * triggered.
   */
  trouble: z
    .strictObject({
      '0008': z.record(z.string(), z.string()).nullable().default({ collectorNumber: '80000000156' }),
      '0092': z.record(z.string(), z.string()).nullable().default({ sponsorCode: 'DOWN' }),
      '0096': z.record(z.string(), z.string()).nullable().default({ collectorNumber: '80000000167' }),
    })
    .prefault({}),
  /** For each HTTP status, a collector whose transaction history request gets it; null: there is no such collector. */
  historyTrouble: z
    .strictObject({ 408: number('80000000156'), 500: number('80000000167'), 503: number('80000000189') })
    .prefault({}),
  /** Fields of a REVERSE whose reversal window closed long ago. */
  oldRedemption: z
    .record(z.string(), z.string())
    .nullable()
    .default({ collectorNumber: '80000000178', txnConfirmationNumber: '100000000001', dollarRedeemRequest: '10.00' }),
  earning: z
    .strictObject({
      base: z
        .strictObject({ code: z.string(), miles: z.int(), perDollars: z.int() })
        .nullable()
        .default({ code: 'NRBASE', miles: 1, perDollars: 5 }),
      item: z
        .strictObject({ code: z.string(), sku: z.string(), miles: z.int() })
        .nullable()
        .default({ code: 'NRCOFFEE', sku: '1010', miles: 5 }),
      department: z
        .strictObject({ code: z.string(), id: z.string(), miles: z.int(), perDollars: z.int() })
        .nullable()
        .default({ code: 'NRHOUSE', id: 'household', miles: 2, perDollars: 10 }),
      category: z
        .strictObject({ code: z.string(), id: z.string(), miles: z.int(), perDollars: z.int() })
        .nullable()
        .default({ code: 'NRORGANIC', id: 'organic', miles: 1, perDollars: 5 }),
      coupon: z
        .strictObject({ code: z.string(), coupon: z.string(), miles: z.int(), fromDollars: z.int() })
        .nullable()
        .default({ code: 'NRBONUS10', coupon: 'BONUS10', miles: 10, fromDollars: 20 }),
    })
    .prefault({}),
  issuanceOffers: z
    .strictObject({
      valid: z.string().default('NRBASE').describe('any amount of miles may be posted against it'),
      expired: number('NRENDED'),
      unknown: z.string().default('NOSUCHOFFER'),
      unit: z
        .strictObject({ code: z.string(), unitMiles: z.int() })
        .nullable()
        .default({ code: 'NRUNIT25', unitMiles: 25 })
        .describe('miles only in multiples of unitMiles: 207'),
      variable: z
        .strictObject({ code: z.string(), maximumMiles: z.int() })
        .nullable()
        .default({ code: 'NRVAR500', maximumMiles: 500 })
        .describe('at most maximumMiles: 208'),
    })
    .prefault({}),
  offers: z
    .strictObject({
      region: z.enum(REGIONS).default('ON'),
      regions: z
        .array(z.enum(REGIONS))
        .min(2)
        .default([...REGIONS])
        .describe('regions that the target serves'),
      originClient: z.string().default('internal:pos:milepost'),
      feedClient: z
        .strictObject({ value: z.string(), parameters: z.record(z.string(), z.string()) })
        .nullable()
        .default({
          value: 'external:web:cardlinked-feed',
          parameters: { program_type: 'cardlinked', sort: 'endingSoon' },
        })
        .describe('an X-Origin-Client with a feed mapping'),
      endingSoon: number('endingSoon').describe('its sort token; not shown'),
      partners: z
        .array(z.string())
        .nullable()
        .default(PARTNERS)
        .describe('ids of the offer partners in order of priority'),
      popular: z
        .array(z.string())
        .nullable()
        .default(['d43dd081-8116-4d24-8dc1-ef457b8e6342', '5e2b0a8e-7740-4e94-9409-a3569e5a27d3'])
        .describe('ids of the most popular public offers of the region, in order'),
      favourites: z
        .array(z.string())
        .nullable()
        .default(['7373df8f-2720-4c30-aa48-f48b41a187ad', '9c8c999a-cbed-4a24-83e0-b8d425ba514f'])
        .describe('ids of the preferred categories of the collector "fine", in order'),
      experiment: number('A').describe('a value of experiment that some offers of the region have'),
      expired: absent.describe('id of an offer that has ended'),
      coming: absent.describe('id of an offer before its displayDate'),
    })
    .prefault({}),
  /** Sort fields of FIND, which the specification does not show. null: unknown. */
  findSorts: z
    .array(z.enum(['offerId', 'updatedAt', 'startDate', 'endDate', 'displayPriority', 'partnerLabel']))
    .nullable()
    .default(['offerId', 'updatedAt', 'startDate', 'endDate', 'displayPriority', 'partnerLabel']),
  /** Milliseconds until a pending issuance is settled; null: never. */
  settlesWithinMs: z.int().nullable().default(null),
})
export type Bench = z.infer<typeof Bench>
export type Role = keyof Bench['collectors']

/**
 * Reads a bench file in YAML or JSON; default: the reference services. Throws an error that lists each mistake with
 * line and path.
 */
export function readBench(file: string | undefined): Bench {
  if (file === undefined) return Bench.parse({})
  const lines = new LineCounter()
  const document = parseDocument(readText(file), { lineCounter: lines })
  const [broken] = document.errors
  if (broken) throw new Error(`${file}:${lines.linePos(broken.pos[0]).line}: ${broken.message.split('\n', 1)[0] ?? ''}`)
  const parsed = Bench.safeParse(document.toJS() ?? {})
  if (parsed.success) return parsed.data
  const message = parsed.error.issues.flatMap((issue) => {
    const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]
    return paths.map(
      (path) =>
        `${file}:${lineOf(document, lines, path)}: ${path.join('.') || 'the file'}: ` +
        `${issue.code === 'unrecognized_keys' ? 'there is no such field' : issue.message}`,
    )
  })
  throw new Error(message.join('\n'))
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
  }
  return 1
}
