import { type Cents, parseDollars } from '../../../contracts/money.ts'
import type { CardOutcome, CardRequest, CardStatus, DeclineReason, UnknownReason } from '../terminal.ts'
import {
  categoryOf,
  type MessageCategory,
  type Parties,
  type PaymentResponse,
  type ResponseHeader,
  type ReversalResponse,
  type SaleToPoiResponse,
  type TransactionBody,
} from './messages.ts'
import { authorisationCode, paidCard, receiptLines, terminalTransaction } from './receipt.ts'

/**
 * What an answer means. Approved is only what says so, of this very request, with an amount that can be: everything
 * else that is not a plain refusal is unknown, and `status` or a person finds out.
 */

const unknown = (reason: UnknownReason): CardOutcome => ({ kind: 'unknown', reason })

/** The answer is to this message, from this terminal, for this lane. */
export const echoes = (
  header: ResponseHeader,
  category: MessageCategory,
  serviceId: string,
  parties: Parties,
): boolean =>
  header.MessageCategory === category &&
  header.ServiceID === serviceId &&
  header.SaleID === parties.saleId &&
  header.POIID === parties.poiId

/**
 * Conditions of a failed transaction (nexo Retailer 3.0, ErrorCondition). One that is not here, such as InProgress,
 * decides nothing.
 */
const DECLINES: ReadonlyMap<string | undefined, DeclineReason> = new Map([
  ['Refusal', 'refused'],
  ['WrongPIN', 'wrong-pin'],
  ['InvalidCard', 'invalid-card'],
  ['PaymentRestriction', 'not-allowed'],
  ['NotAllowed', 'not-allowed'],
  ['Busy', 'terminal-busy'],
  ['DeviceOut', 'terminal-unavailable'],
  ['InsertedCard', 'terminal-unavailable'],
  ['LoggedOut', 'terminal-unavailable'],
  ['UnavailableDevice', 'terminal-unavailable'],
  ['UnavailableService', 'terminal-unavailable'],
  ['UnreachableHost', 'bank-unreachable'],
  ['MessageFormat', 'not-accepted'],
])

function failure(condition: string | undefined): CardOutcome {
  if (condition === 'Cancel') return { kind: 'cancelled', by: 'customer' }
  if (condition === 'Aborted') return { kind: 'cancelled', by: 'lane' }
  const reason = DECLINES.get(condition)
  return reason === undefined ? unknown('not-understood') : { kind: 'declined', reason }
}

/** The amount that was moved, or null where what the terminal says of it cannot be of this request. */
function movedAmount(result: 'Success' | 'Partial', said: number, asked: Cents): Cents | null {
  const moved = parseDollars(said)
  if (moved === undefined) return null
  const believable = result === 'Success' ? moved === asked : moved > 0 && moved < asked
  return believable ? moved : null
}

function approval(
  response: Pick<PaymentResponse, 'POIData' | 'PaymentReceipt'>,
  amountCents: Cents,
  paid: PaymentResponse | null,
): CardOutcome {
  const transaction = terminalTransaction(response.POIData)
  // Without it nothing could be given back to the card.
  if (transaction === null) return unknown('not-understood')
  return {
    kind: 'approved',
    amountCents,
    authorisationCode: paid && authorisationCode(paid),
    transaction,
    card: paid === null ? { scheme: null, lastFour: null, entryMode: null } : paidCard(paid),
    receipts: {
      customer: receiptLines(response.PaymentReceipt, 'CustomerReceipt'),
      merchant: receiptLines(response.PaymentReceipt, 'CashierReceipt'),
    },
  }
}

function paymentOutcome(response: PaymentResponse, request: CardRequest): CardOutcome {
  const { Result, ErrorCondition } = response.Response
  const sale = response.SaleData?.SaleTransactionID.TransactionID
  if (sale !== undefined && sale !== request.saleId) return unknown('not-ours')
  if (Result === 'Failure') return failure(ErrorCondition)
  const amounts = response.PaymentResult?.AmountsResp
  if (amounts === undefined) return unknown('not-understood')
  const moved = movedAmount(Result, amounts.AuthorizedAmount, request.amountCents)
  if (moved === null || amounts.Currency !== request.currency) return unknown('not-ours')
  return approval(response, moved, response)
}

/** A reversal need not repeat the amount: then it is the one that was asked for. */
function reversalOutcome(response: ReversalResponse, request: CardRequest): CardOutcome {
  const { Result, ErrorCondition } = response.Response
  if (Result === 'Failure') return failure(ErrorCondition)
  if (response.ReversedAmount === undefined)
    return Result === 'Success' ? approval(response, request.amountCents, null) : unknown('not-understood')
  const moved = movedAmount(Result, response.ReversedAmount, request.amountCents)
  return moved === null ? unknown('not-ours') : approval(response, moved, null)
}

function bodyOutcome(body: TransactionBody, request: CardRequest): CardOutcome {
  if (request.kind === 'payment' && body.PaymentResponse) return paymentOutcome(body.PaymentResponse, request)
  if (request.kind === 'refund' && body.ReversalResponse) return reversalOutcome(body.ReversalResponse, request)
  return unknown('not-understood')
}

/** The answer to a payment or a reversal. */
export function outcomeOf(answer: SaleToPoiResponse, request: CardRequest, parties: Parties): CardOutcome {
  if (!echoes(answer.MessageHeader, categoryOf(request), request.reference, parties)) return unknown('not-ours')
  return bodyOutcome(answer, request)
}

/** The answer to the question `serviceId`: what became of this request. */
export function statusOf(
  answer: SaleToPoiResponse,
  serviceId: string,
  request: CardRequest,
  parties: Parties,
): CardStatus {
  if (!echoes(answer.MessageHeader, 'TransactionStatus', serviceId, parties)) return unknown('not-ours')
  const status = answer.TransactionStatusResponse
  if (status === undefined) return unknown('not-understood')
  const { Response, RepeatedMessageResponse: repeated } = status
  if (Response.Result === 'Failure') {
    if (Response.ErrorCondition === 'InProgress') return { kind: 'in-progress' }
    return Response.ErrorCondition === 'NotFound' ? { kind: 'not-found' } : unknown('not-understood')
  }
  if (repeated === undefined) return unknown('not-understood')
  if (!echoes(repeated.MessageHeader, categoryOf(request), request.reference, parties)) return unknown('not-ours')
  return bodyOutcome(repeated.RepeatedResponseMessageBody, request)
}
