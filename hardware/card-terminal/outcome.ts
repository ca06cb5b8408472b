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

/**
 * What of an answer may go on: a card's last four digits, and text in which no card number can stand. A terminal masks
 * numbers by itself; nothing here trusts that it did.
 */

/**
 * Twelve digits or more, whole or in groups: a card number, a track, or a piece of one (ISO/IEC 7812 allows 12 to 19).
 * Before it what a receipt must name and no card number can hide in: an application identifier of ISO/IEC 7816-5.
 */
const LONG_NUMBER = /\bA0{6}[0-9A-F]{4,9}\b|\d(?:[ .=^/_-]{0,3}\d){11,}/g
const LONGEST_LINE = 64
const MOST_LINES = 200

/** All but the last four digits of every long number become stars. */
export const maskNumbers = (text: string): string =>
  text.replace(LONG_NUMBER, (number) => {
    if (number.startsWith('A')) return number
    const digits = number.replaceAll(/\D/g, '')
    return '*'.repeat(digits.length - 4) + digits.slice(-4)
  })

/** A masked number as terminals write it, with the first six digits or without them: only the last four go on. */
const maskPan = (text: string): string => (/\d{4}$/.test(text) ? `${'*'.repeat(12)}${text.slice(-4)}` : '')

const clean = (text: string): string => maskNumbers(printableText(text)).slice(0, LONGEST_LINE)

/** A line is a form: `name=Card&value=%2A%2A1111&key=pan`, or a filler without a name. */
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
    .slice(0, MOST_LINES)
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

/** Terminals name the schemes in small letters and short; people read the name on the card. */
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
    // Letters only, so that a number in the wrong field ends here.
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
 * The terminal's own name of a transaction holds long numbers of its own, one in ten of which sums up as a card's does:
 * null only for one that is a card's number, whole or between its points.
 */
export function terminalTransaction(data: PaymentResponse['POIData']): TerminalTransaction | null {
  if (data === undefined) return null
  const { TransactionID: id, TimeStamp: timestamp } = data.POITransactionID
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id) || [id.replaceAll(/[._-]/g, ''), ...id.split(/[._-]/)].some(isCard))
    return null
  return /^\d{4}-\d\d-\d\dT[\d:.]{5,15}(?:Z|[+-]\d\d:?\d\d)$/.test(timestamp) ? { id, timestamp } : null
}
