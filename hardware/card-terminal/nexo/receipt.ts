import { printableText } from '../../../contracts/printable-text.ts'
import type { CardReceiptLine, EntryMode, PaidCard, TerminalTransaction } from '../terminal.ts'
import { isPaymentNumber } from '../../../contracts/payment-number.ts'
import type { PaymentResponse } from './messages.ts'

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
