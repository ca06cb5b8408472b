import { z } from 'zod'
import {
  CalculateRequest,
  GivenIssuance,
  ISSUANCE_ERROR_CODES,
  type IssuanceErrorCode,
  IssueRequest,
  PartnerBasketRequest,
  PartnerEventRequest,
  RecordRequest,
  ReturnRequest,
} from '../../../contracts/central/issuance.ts'
import { randomUUID } from 'node:crypto'
import { type Answer, type Flaw, present } from '../http/answer.ts'

/** Strict schemas of partners' requests (specification 3 §2.1, §2.2, §4.3, §4.4). */
/** Limit of an amount, larger than any checkout; it keeps every sum within exact integers. */
const MAX_DOLLARS = 10_000_000
const MAX_PIECES = 1_000_000
const MAX_MILES = 1_000_000_000
const MAX_ENTRIES = 500

const twoDecimals = (value: number): boolean => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6

/**
 * Names of amounts, which are positive for returns too: `transactionType` and the call give the direction
 * (specification 3 §2.1, §4.2).
 */
const AMOUNTS = [
  'basketPreTaxAmount',
  'basketPostTaxAmount',
  'basketGSTAmount',
  'basketHSTAmount',
  'basketPSTAmount',
  'basketQSTAmount',
] as const
const BELOW_NOTHING = 'must not be negative'

type Amounts = Pick<IssueRequest, (typeof AMOUNTS)[number] | 'items'>

/**
 * Checks the bounds of amounts and quantities, that `finalAmount` is `baseAmount` times `quantity` (specification 3
 * §2.2), and that totals and base amounts are whole cents.
 */
function checkAmounts(basket: Amounts, context: z.core.$RefinementCtx): void {
  for (const name of AMOUNTS) {
    const amount = basket[name]
    if (amount === undefined) continue
    if (amount < 0) context.addIssue({ code: 'custom', path: [name], message: BELOW_NOTHING, input: amount })
    else if (amount > MAX_DOLLARS)
      context.addIssue({ code: 'custom', path: [name], message: `at most ${MAX_DOLLARS} dollars`, input: amount })
    else if (name.endsWith('TaxAmount') && !twoDecimals(amount))
      context.addIssue({ code: 'custom', path: [name], message: 'at most two decimals', input: amount })
  }
  basket.items?.forEach((item, index) => {
    if (item.quantity < 1)
      context.addIssue({
        code: 'custom',
        path: ['items', index, 'quantity'],
        message: 'at least one piece is expected',
        input: item.quantity,
      })
    for (const name of ['baseAmount', 'finalAmount'] as const)
      if (item[name] < 0)
        context.addIssue({ code: 'custom', path: ['items', index, name], message: BELOW_NOTHING, input: item[name] })
    if (item.quantity > MAX_PIECES || item.baseAmount > MAX_DOLLARS || item.finalAmount > MAX_DOLLARS) {
      context.addIssue({
        code: 'custom',
        path: ['items', index],
        message: `at most ${MAX_PIECES} pieces and ${MAX_DOLLARS} dollars`,
        input: item,
      })
      return
    }
    if (!twoDecimals(item.baseAmount))
      context.addIssue({
        code: 'custom',
        path: ['items', index, 'baseAmount'],
        message: 'at most two decimals',
        input: item.baseAmount,
      })
    if (Math.round(item.finalAmount * 100) !== Math.round(item.baseAmount * 100) * item.quantity) {
      context.addIssue({
        code: 'custom',
        path: ['items', index, 'finalAmount'],
        message: 'must be baseAmount times quantity',
        input: item.finalAmount,
      })
    }
  })
}

export const StrictCalculate = CalculateRequest.superRefine(checkAmounts)
export const StrictIssue = IssueRequest.superRefine(checkAmounts)
export const StrictReturn = ReturnRequest.superRefine(checkAmounts)

const BoundedIssuance = GivenIssuance.extend({ milesAmount: z.int().min(-MAX_MILES).max(MAX_MILES) })
/** An issuance of non-zero miles. Only RECORD accepts zero. */
const MovedIssuance = BoundedIssuance.extend({
  milesAmount: BoundedIssuance.shape.milesAmount.refine((miles) => miles !== 0, 'at least one mile is expected'),
})
const BoundedIssuances = z.array(MovedIssuance).min(1).max(MAX_ENTRIES)

export const StrictRecord = RecordRequest.extend({ issuances: z.array(BoundedIssuance).optional() }).superRefine(
  checkAmounts,
)
export const StrictPartnerBasket = PartnerBasketRequest.extend({ issuances: BoundedIssuances }).superRefine(
  checkAmounts,
)
export const StrictPartnerEvent = PartnerEventRequest.extend({ issuances: BoundedIssuances })

export interface IssuanceError {
  readonly errorCode: IssuanceErrorCode
  readonly errorReason: string
}

export const issuanceError = (code: IssuanceErrorCode): IssuanceError => ({
  errorCode: code,
  errorReason: ISSUANCE_ERROR_CODES[code].message,
})

/** Returns the fields of every answer: a transaction id and the request's fields (specification 3 §2.3). */
const carried = (echo: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  ...echo,
  transactionId: randomUUID(),
})

/**
 * Answers a request that cannot be processed. Errors carry `responseCode` (specification 3 §1); `echo` contains the
 * readable fields.
 */
export function badIssuance(flaws: readonly Flaw[], echo: Readonly<Record<string, unknown>>): Answer {
  return {
    status: 400,
    body: present({
      ...carried(echo),
      responseCode: '400',
      message: 'Bad request',
      errors: flaws.map(({ path, message }) => ({
        errorCode: '400',
        errorReason: path === '' ? message : `${path}: ${message}`,
      })),
    }),
    final: false,
  }
}

/** Returns the entries of a refused call, each with the status and reason of specification 3 §2.3. */
export const refusedEntries = (given: readonly object[], code: IssuanceErrorCode): object[] =>
  given.map((entry) => ({ ...entry, status: 'REJECTED', errors: [issuanceError(code)] }))

export function rejected(code: IssuanceErrorCode, echo: Readonly<Record<string, unknown>>): Answer {
  const error = issuanceError(code)
  return {
    status: ISSUANCE_ERROR_CODES[code].status,
    body: present({ ...carried(echo), responseCode: code, message: error.errorReason, errors: [error] }),
    final: true,
  }
}

/**
 * Answers while another transaction of the collector is in progress (specification 3 §4.2 rule 5). The specification
 * does not show the code; 500 is the status that asks for a retry.
 */
export const collectorBusy = (echo: Readonly<Record<string, unknown>>): Answer => ({
  status: 500,
  body: { ...carried(echo), responseCode: '500', message: 'Another transaction of this collector is being processed' },
  final: false,
})
