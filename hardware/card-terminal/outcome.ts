import { type Cents, parseDollars } from '../../contracts/core/money.ts'
import type {
  CardOutcome,
  CardReceiptLine,
  CardRequest,
  CardStatus,
  DeclineReason,
  EntryMode,
  PaidCard,
  TerminalTransaction,
  UnknownReason,
} from './terminal.ts'
import {
  type MessageCategory,
  type Parties,
  type PaymentResponse,
  type ResponseHeader,
  type ReversalResponse,
  type SaleToPoiResponse,
  type TransactionBody,
  categoryOf,
} from './messages.ts'
import { isPaymentNumber } from '../../contracts/core/card-numbers.ts'
import { printableText } from '../../contracts/core/printable-text.ts'

/**
 * Interprets answers of a card terminal. An outcome is approved only by an explicit full or partial success of this
 * very request with a possible amount. Every other answer that is not a listed refusal or a cancellation is unknown, to
 * be resolved by `status` or a person.
 */

const unknown = (reason: UnknownReason): CardOutcome => ({ kind: 'unknown', reason })

/** Whether the answer repeats the category and id of this message, and the ids of this card terminal and lane. */
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
 * Decline reasons by the condition of a failed transaction (nexo Retailer 3.0, ErrorCondition). Cancel and Aborted mean
 * cancelled; other conditions that are not listed, such as InProgress, leave the outcome unknown.
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

function movedAmount(result: 'Success' | 'Partial', reported: number, requested: Cents): Cents | null {
  const moved = parseDollars(reported)
  if (moved === undefined) return null
  const believable = result === 'Success' ? moved === requested : moved > 0 && moved < requested
  return believable ? moved : null
}

function approval(
  response: Pick<PaymentResponse, 'POIData' | 'PaymentReceipt'>,
  amountCents: Cents,
  paid: PaymentResponse | null,
): CardOutcome {
  const transaction = terminalTransaction(response.POIData)
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

/** Interprets the answer to a reversal. A success without an amount moved the requested amount. */
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

export function outcomeOf(answer: SaleToPoiResponse, request: CardRequest, parties: Parties): CardOutcome {
  if (!echoes(answer.MessageHeader, categoryOf(request), request.reference, parties)) return unknown('not-ours')
  return bodyOutcome(answer, request)
}

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

/**
 * Reduces card numbers in outcomes, also within texts, to their last four digits. Card terminals mask numbers
 * themselves; this code does not rely on it.
 */

/**
 * Matches twelve or more digits, in one run or in groups: a card number, a track, or a piece of one (ISO/IEC 7812
 * allows 12 to 19). The first alternative matches application identifiers (ISO/IEC 7816-5), which a receipt must show
 * and which are too short to contain a card number.
 */
const LONG_NUMBER = /\bA0{6}[0-9A-F]{4,9}\b|\d(?:[ .=^/_-]{0,3}\d){11,}/g
const LONGEST_LINE = 64
const MAX_LINES = 200

export const maskNumbers = (text: string): string =>
  text.replace(LONG_NUMBER, (number) => {
    if (number.startsWith('A')) return number
    const digits = number.replaceAll(/\D/g, '')
    return '*'.repeat(digits.length - 4) + digits.slice(-4)
  })

/** Reduces a number masked by the card terminal, with or without its first six digits, to its last four digits. */
const maskPan = (text: string): string => (/\d{4}$/.test(text) ? `${'*'.repeat(12)}${text.slice(-4)}` : '')

const clean = (text: string): string => maskNumbers(printableText(text)).slice(0, LONGEST_LINE)

/**
 * Parses a line of a receipt, which is form-encoded: `name=Card&value=%2A%2A1111&key=pan`, or a filler without a name.
 */
function receiptLine(text: string, bold: boolean): CardReceiptLine {
  const fields = new URLSearchParams(text)
  const value = fields.get('value')
  const shown = value === null || fields.get('key') !== 'pan' ? value : maskPan(value)
  const key = fields.get('key')
  return {
    key: key !== null && /^[A-Za-z][A-Za-z0-9]{0,31}$/.test(key) ? key : null,
    text: clean(fields.get('name') ?? ''),
    value: shown === null ? null : clean(shown),
    bold,
  }
}

type Receipts = PaymentResponse['PaymentReceipt']

export function receiptLines(receipts: Receipts, qualifier: 'CustomerReceipt' | 'CashierReceipt'): CardReceiptLine[] {
  const receipt = receipts?.find(({ DocumentQualifier }) => DocumentQualifier === qualifier)
  return (receipt?.OutputContent.OutputText ?? [])
    .slice(0, MAX_LINES)
    .map(({ Text, CharacterStyle }) => receiptLine(Text, CharacterStyle === 'Bold'))
}

const ENTRY_MODES: ReadonlyMap<string, EntryMode> = new Map([
  ['ICC', 'chip'],
  ['SynchronousICC', 'chip'],
  ['Contactless', 'contactless'],
  ['Tapped', 'contactless'],
  ['MagStripe', 'magnetic-stripe'],
  ['Keyed', 'keyed'],
  ['Manual', 'keyed'],
  ['File', 'on-file'],
])

/** Names of card schemes on receipts, by the lower-cased name or abbreviation that a card terminal sends. */
const SCHEMES: ReadonlyMap<string, string> = new Map([
  ['visa', 'Visa'],
  ['mc', 'Mastercard'],
  ['mastercard', 'Mastercard'],
  ['amex', 'American Express'],
  ['discover', 'Discover'],
  ['interac', 'Interac'],
])

export function paidCard(response: PaymentResponse): PaidCard {
  const card = response.PaymentResult?.PaymentInstrumentData?.CardData
  const scheme = card?.PaymentBrand ?? ''
  const entryMode = card?.EntryMode?.map((mode) => ENTRY_MODES.get(mode)).find((mode) => mode !== undefined)
  return {
    // Text with digits or unexpected characters may be a number, and is dropped.
    scheme: /^[A-Za-z][A-Za-z _-]{0,29}$/.test(scheme) ? (SCHEMES.get(scheme.toLowerCase()) ?? scheme) : null,
    lastFour: /\d{4}$/.exec(card?.MaskedPan ?? '')?.[0] ?? null,
    entryMode: entryMode ?? null,
  }
}

export function authorisationCode(response: PaymentResponse): string | null {
  const code = response.PaymentResult?.PaymentAcquirerData?.ApprovalCode ?? ''
  return /^[A-Za-z0-9]{1,8}$/.test(code) ? code : null
}

const isCard = (text: string): boolean => /^\d+$/.test(text) && isPaymentNumber(Buffer.from(text), 0, text.length)

/**
 * Checks the transaction id of a card terminal. Such ids contain long numbers, and one in ten passes the Luhn check, so
 * an id is rejected as a card number only if it is one as a whole or between its separators. Also returns null for
 * missing or malformed data.
 */
export function terminalTransaction(data: PaymentResponse['POIData']): TerminalTransaction | null {
  if (data === undefined) return null
  const { TransactionID: id, TimeStamp: timestamp } = data.POITransactionID
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id) || [id.replaceAll(/[._-]/g, ''), ...id.split(/[._-]/)].some(isCard))
    return null
  return /^\d{4}-\d\d-\d\dT[\d:.]{5,15}(?:Z|[+-]\d\d:?\d\d)$/.test(timestamp) ? { id, timestamp } : null
}
