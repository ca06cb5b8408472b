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
} from '../../../contracts/central/cash.ts'
import type { Context } from '../context.ts'
import { type Call, addCall } from '../http/call.ts'
import { type DeclaredAnswers, NO_TOKEN, answerOf, header } from '../http/declare.ts'
import { echo, inquire, redeem, reverse } from './cash.ts'
import { badCash, cashAnswer } from './rules.ts'

/** Header rule of ECHO: "ECHO headers also include `cache-control: no-cache`" (specification 3 §4.5). */
const NO_CACHE = z.object({
  'Cache-Control': header('no-cache is required', (value) => /(^|,)\s*no-cache\s*(,|$)/i.test(value), 'no-cache'),
})

const ECHO = {
  deviceId: 'N101-01',
  sponsorCode: 'NRTH',
  storeId: 'TRAIN-001',
  traceId: 'ECHO-1',
  vendorId: 'NORTHSTAR',
}
const CARD = {
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
const REDEMPTION = { ...CARD, dollarRedeemRequest: '40.00' }
const BALANCES = {
  availableCashBalance: '4750',
  availableDollarAmount: '500.00',
  cashBalance: '4750',
  dreamBalance: '12300',
}
const OFFER = {
  availableOfferUnits: '50',
  dailyOfferLimit: '75',
  offerId: 'RGL-95',
  offerType: 'RGL',
  unitValueLoyaltyCash: '95',
  unitValueDollars: '10.00',
}
const REDEEMED = { milesRedeemed: '380', unitsRedeemed: '4', txnConfirmationNumber: '206350000001' }

const OF_AN_ACCOUNT = ['0000', '0001', '0002', '0025', '0035'] as const
const SWITCH = ['0008', '0092', '0096'] as const

/**
 * Response fields of cash calls: "response fields (strings unless noted)", specification 3 §2.4. These services send
 * strings only; the terminal accepts numbers too.
 */
const CashAnswer = z.object({
  ...Object.fromEntries(
    Object.keys({ ...ReverseRequest.shape, ...CashResponse.shape }).map((name) => [name, z.string().optional()]),
  ),
  errors: z.array(z.object({ errorCode: z.string(), errorReason: z.string() })).optional(),
})

/**
 * Groups the response codes of one call by HTTP status. Clients decide by the code, not by the status (specification 3
 * §7.2).
 */
function answersOf(codes: readonly CashResponseCode[], request: object, approved: object): DeclaredAnswers {
  const example = (code: CashResponseCode): object => ({
    ...request,
    responseCode: code,
    message: CASH_RESPONSE_CODES[code].message,
    transDateTime: '2026-07-01T12:00:01.250-04:00',
    ...(code === '0000' ? approved : {}),
  })
  const byStatus = Map.groupBy(codes, (code) => CASH_RESPONSE_CODES[code].status)
  return {
    401: NO_TOKEN,
    ...Object.fromEntries(
      [...byStatus].map(([status, all]) => [
        status,
        answerOf(
          [
            ...all.map((code) => `${code} ${CASH_RESPONSE_CODES[code].message}`),
            ...(status === 401 ? ['or no response code: missing or invalid bearer token'] : []),
          ].join('; '),
          CashAnswer,
          example(all[0] ?? '0000'),
        ),
      ]),
    ),
  }
}

type Declared<Input> = Omit<Call<Input>, 'tag' | 'answers' | 'refuse' | 'exclusive' | 'outage'> & {
  readonly codes: readonly CashResponseCode[]
  readonly approved: object
}

function addCashCall<Input>(app: FastifyInstance, ctx: Context, { codes, approved, ...call }: Declared<Input>): void {
  addCall(app, ctx, {
    ...call,
    tag: 'cash redemption',
    answers: answersOf(codes, call.example, approved),
    exclusive: false,
    refuse: (flaws, body) => badCash(flaws, body, call.input.shape, ctx.clock.now()),
    outage: cashAnswer('0092', {}),
  })
}

/** Cash service. ECHO and INQUIRE use the codes of specification 3 §7.2, which lists no codes for the other calls. */
export function cashRoutes(app: FastifyInstance, ctx: Context): void {
  addCashCall(app, ctx, {
    path: CASH_PATHS.echo,
    summary: 'ECHO: connectivity test',
    input: EchoRequest,
    example: ECHO,
    codes: ['0000', '0035', ...SWITCH],
    approved: {},
    repeats: 'none',
    headers: NO_CACHE,
    perform: echo,
  })
  addCashCall(app, ctx, {
    path: CASH_PATHS.inquire,
    summary: 'INQUIRE: balances and redemption offer',
    input: InquireRequest,
    example: CARD,
    codes: [...OF_AN_ACCOUNT, '0005', '0006', '0009', '0051', '0067', ...SWITCH],
    approved: { ...BALANCES, ...OFFER },
    repeats: 'none',
    perform: inquire,
  })
  addCashCall(app, ctx, {
    path: CASH_PATHS.redeem,
    summary: 'REDEEM: pays with cash miles',
    input: RedeemRequest,
    example: REDEMPTION,
    codes: [...OF_AN_ACCOUNT, '0005', '0006', '0009', '0051', '0065', '0066', '0067', ...SWITCH],
    approved: { ...BALANCES, ...OFFER, ...REDEEMED },
    repeats: 'key-or-content',
    perform: redeem,
  })
  addCashCall(app, ctx, {
    path: ctx.paths.cashReverse,
    summary: 'REVERSE: gives a redemption back',
    input: ReverseRequest,
    example: { ...REDEMPTION, txnConfirmationNumber: REDEEMED.txnConfirmationNumber },
    codes: [...OF_AN_ACCOUNT, '0057', '0080', ...SWITCH],
    approved: { ...BALANCES, ...REDEEMED },
    repeats: 'key-or-content',
    perform: reverse,
  })
}
