import { randomBytes } from 'node:crypto'

/**
 * What the simulated card terminal says, written by hand after the public examples of the protocol and not by the
 * driver's types: more than a lane may keep, as real terminals do.
 */

/** A test number of the schemes; no card has it. */
export const CARD_NUMBER = '4761739281740119'
const MASKED = `${CARD_NUMBER.slice(0, 6)}******${CARD_NUMBER.slice(-4)}`

export interface AskedTransaction {
  readonly kind: 'payment' | 'refund'
  readonly serviceId: string
  readonly saleId: string
  readonly amount: number
  readonly currency: string
}

const line = (name: string, value: string | null, key: string): object => ({
  CharacterStyle: key === 'approved' ? 'Bold' : 'Normal',
  EndOfLineFlag: true,
  OutputFormat: 'Text',
  Text: new URLSearchParams({ name, ...(value === null ? {} : { value }), key }).toString(),
})

const receipt = (qualifier: string, title: string, { amount, currency }: AskedTransaction, id: string): object => ({
  DocumentQualifier: qualifier,
  RequiredSignatureFlag: false,
  OutputContent: {
    OutputFormat: 'Text',
    OutputText: [
      line(title, null, 'title'),
      line('Card', `************${CARD_NUMBER.slice(-4)}`, 'pan'),
      line('Card type', 'visa', 'cardType'),
      line('Entry mode', 'Contactless chip', 'posEntryMode'),
      line('AID', 'A0000000031010', 'aid'),
      line('Auth. code', '012345', 'authCode'),
      line('Tender', id.split('.')[0] ?? '', 'txRef'),
      line('TOTAL', `${currency} ${amount.toFixed(2)}`, 'totalAmount'),
      line('APPROVED', null, 'approved'),
    ],
  },
})

const posTransaction = (id: string): object => ({
  POIReconciliationID: '1000',
  POITransactionID: { TransactionID: id, TimeStamp: new Date().toISOString() },
})

const freshId = (): string => `${randomBytes(6).toString('hex')}.${randomBytes(8).toString('hex').toUpperCase()}`

/** An approval of `moved`, which is less than was asked in a partial one. */
export function approved(asked: AskedTransaction, moved: number, withReceipts: boolean): object {
  const id = freshId()
  const Response = {
    Result: moved < asked.amount ? 'Partial' : 'Success',
    AdditionalResponse: String(
      new URLSearchParams({
        tid: '47110815',
        cardBin: CARD_NUMBER.slice(0, 6),
        cardSummary: CARD_NUMBER.slice(-4),
        expiryMonth: '12',
      }),
    ),
  }
  const PaymentReceipt = withReceipts
    ? [receipt('CashierReceipt', 'MERCHANT COPY', asked, id), receipt('CustomerReceipt', 'CARDHOLDER COPY', asked, id)]
    : undefined
  const POIData = posTransaction(id)
  if (asked.kind === 'refund') return { ReversalResponse: { Response, POIData, ReversedAmount: moved, PaymentReceipt } }
  const CardData = {
    CardCountryCode: '124',
    EntryMode: ['Contactless'],
    MaskedPan: MASKED,
    PaymentBrand: 'visa',
    SensitiveCardData: { ExpiryDate: '1249', TrackData: [{ TrackNumb: 2, TrackValue: `;${CARD_NUMBER}=4912?` }] },
  }
  const PaymentResult = {
    OnlineFlag: true,
    AmountsResp: { AuthorizedAmount: moved, Currency: asked.currency },
    PaymentAcquirerData: {
      AcquirerPOIID: 'V400m-123456789',
      ApprovalCode: '012345',
      MerchantID: 'STORE',
    },
    ...(withReceipts ? { PaymentInstrumentData: { PaymentInstrumentType: 'Card', CardData } } : {}),
  }
  const SaleData = {
    SaleTransactionID: { TransactionID: asked.saleId, TimeStamp: new Date().toISOString() },
  }
  return { PaymentResponse: { Response, SaleData, POIData, PaymentResult, PaymentReceipt } }
}

/** A transaction that moved nothing. */
export function failed(kind: AskedTransaction['kind'], condition: string): object {
  const Response = {
    Result: 'Failure',
    ErrorCondition: condition,
    AdditionalResponse: `refusalReason=made%20up&cardBin=${CARD_NUMBER}`,
  }
  const body = { Response, POIData: posTransaction(freshId()) }
  return kind === 'payment' ? { PaymentResponse: body } : { ReversalResponse: body }
}

/** The answer as it is told, where it tells of other money than was moved. A reversal's names no currency. */
export function toldOtherwise(body: object, fault: string | undefined): object {
  const text = JSON.stringify(body)
  const told =
    fault === 'wrong-amount'
      ? text.replace(/"(?:AuthorizedAmount|ReversedAmount)":/, (field) => `${field}1`)
      : fault === 'wrong-currency'
        ? text.replace(/"Currency":"[A-Z]+"/, '"Currency":"XXX"')
        : text
  return JSON.parse(told) as object
}

export const statusFound = (header: object, body: object): object => ({
  TransactionStatusResponse: {
    Response: { Result: 'Success' },
    RepeatedMessageResponse: { MessageHeader: header, RepeatedResponseMessageBody: body },
  },
})

export const statusFailed = (condition: 'InProgress' | 'NotFound'): object => ({
  TransactionStatusResponse: {
    Response: { Result: 'Failure', ErrorCondition: condition, AdditionalResponse: 'message=made+up' },
  },
})

export const diagnosis = (status: string): object => ({
  DiagnosisResponse: {
    Response: { Result: 'Success' },
    POIStatus: { GlobalStatus: status, CommunicationOKFlag: true },
  },
})
