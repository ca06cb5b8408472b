import { randomInt } from 'node:crypto'
import { z } from 'zod'
import { dollarsNumber } from '../../contracts/core/money.ts'
import type { CardRequest } from './terminal.ts'

/**
 * Messages of the nexo Retailer protocol 3.0 in JSON, as used by public APIs of card terminals. The schemas strip every
 * field that they do not name.
 */

export type MessageCategory = 'Payment' | 'Reversal' | 'Abort' | 'TransactionStatus' | 'Diagnosis'

export interface Parties {
  readonly saleId: string
  readonly poiId: string
}

export interface RequestHeader {
  readonly ProtocolVersion: '3.0'
  readonly MessageClass: 'Service'
  readonly MessageCategory: MessageCategory
  readonly MessageType: 'Request'
  readonly ServiceID: string
  readonly SaleID: string
  readonly POIID: string
}

export interface SaleToPoiRequest {
  readonly MessageHeader: RequestHeader
  readonly [body: `${string}Request`]: object
}

/** Returns a new message id. The protocol requires that it was not used by this lane in the last 48 hours. */
export const freshServiceId = (): string =>
  Array.from({ length: 10 }, () => randomInt(36).toString(36).toUpperCase()).join('')

export const categoryOf = ({ kind }: CardRequest): MessageCategory => (kind === 'payment' ? 'Payment' : 'Reversal')

const header = (category: MessageCategory, serviceId: string, { saleId, poiId }: Parties): RequestHeader => ({
  ProtocolVersion: '3.0',
  MessageClass: 'Service',
  MessageCategory: category,
  MessageType: 'Request',
  ServiceID: serviceId,
  SaleID: saleId,
  POIID: poiId,
})

/**
 * Request for a payment, or for the reversal of all or a portion of a payment, identified by the terminal's transaction
 * id.
 */
export function transactionRequest(request: CardRequest, parties: Parties, now: Date): SaleToPoiRequest {
  const amount = dollarsNumber(request.amountCents)
  const SaleTransactionID = { TransactionID: request.saleId, TimeStamp: now.toISOString() }
  const MessageHeader = header(categoryOf(request), request.reference, parties)
  if (request.kind === 'payment')
    return {
      MessageHeader,
      PaymentRequest: {
        SaleData: { SaleTransactionID },
        PaymentTransaction: { AmountsReq: { Currency: request.currency, RequestedAmount: amount } },
      },
    }
  const { id, timestamp } = request.original
  return {
    MessageHeader,
    ReversalRequest: {
      OriginalPOITransaction: { POITransactionID: { TransactionID: id, TimeStamp: timestamp } },
      ReversalReason: 'MerchantCancel',
      ReversedAmount: amount,
      // A reversal has no currency field; these card terminals read the currency from this field.
      SaleData: { SaleTransactionID, SaleToAcquirerData: `currency=${request.currency}` },
    },
  }
}

const reference = (request: CardRequest, { saleId, poiId }: Parties): object => ({
  MessageCategory: categoryOf(request),
  ServiceID: request.reference,
  SaleID: saleId,
  POIID: poiId,
})

export const abortRequest = (request: CardRequest, serviceId: string, parties: Parties): SaleToPoiRequest => ({
  MessageHeader: header('Abort', serviceId, parties),
  AbortRequest: { AbortReason: 'MerchantAbort', MessageReference: reference(request, parties) },
})

export const statusRequest = (request: CardRequest, serviceId: string, parties: Parties): SaleToPoiRequest => ({
  MessageHeader: header('TransactionStatus', serviceId, parties),
  TransactionStatusRequest: {
    ReceiptReprintFlag: true,
    DocumentQualifier: ['CashierReceipt', 'CustomerReceipt'],
    MessageReference: reference(request, parties),
  },
})

export const diagnosisRequest = (serviceId: string, parties: Parties): SaleToPoiRequest => ({
  MessageHeader: header('Diagnosis', serviceId, parties),
  DiagnosisRequest: { HostDiagnosisFlag: false },
})

const ResponseHeader = z.object({
  MessageClass: z.literal('Service'),
  MessageCategory: z.string(),
  MessageType: z.literal('Response'),
  ServiceID: z.string(),
  SaleID: z.string(),
  POIID: z.string(),
})
export type ResponseHeader = z.infer<typeof ResponseHeader>

const Result = z.object({ Result: z.enum(['Success', 'Partial', 'Failure']), ErrorCondition: z.string().optional() })

/** Reads a missing or malformed value as undefined: such a field does not invalidate an approval. */
const lenient = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined)

const TransactionId = z.object({ TransactionID: z.string(), TimeStamp: z.string() })
const PoiData = lenient(z.object({ POITransactionID: TransactionId }))
const SaleData = z.object({ SaleTransactionID: z.object({ TransactionID: z.string() }) }).optional()

const Receipts = lenient(
  z.array(
    z.object({
      DocumentQualifier: z.string(),
      OutputContent: z.object({
        OutputText: z
          .array(z.object({ Text: z.string().default(''), CharacterStyle: z.string().optional() }))
          .default([]),
      }),
    }),
  ),
)

const PaymentResponse = z.object({
  Response: Result,
  SaleData,
  POIData: PoiData,
  PaymentResult: z
    .object({
      AmountsResp: z.object({ AuthorizedAmount: z.number(), Currency: z.string() }).optional(),
      PaymentInstrumentData: lenient(
        z.object({
          CardData: z.object({
            MaskedPan: lenient(z.string()),
            PaymentBrand: lenient(z.string()),
            EntryMode: lenient(z.array(z.string())),
          }),
        }),
      ),
      PaymentAcquirerData: lenient(z.object({ ApprovalCode: z.string() })),
    })
    .optional(),
  PaymentReceipt: Receipts,
})
export type PaymentResponse = z.infer<typeof PaymentResponse>

const ReversalResponse = z.object({
  Response: Result,
  POIData: PoiData,
  ReversedAmount: z.number().optional(),
  PaymentReceipt: Receipts,
})
export type ReversalResponse = z.infer<typeof ReversalResponse>

const transactionBody = { PaymentResponse: PaymentResponse.optional(), ReversalResponse: ReversalResponse.optional() }
const TransactionBody = z.object(transactionBody)
export type TransactionBody = z.infer<typeof TransactionBody>

export const SaleToPoiResponse = z.object({
  MessageHeader: ResponseHeader,
  ...transactionBody,
  TransactionStatusResponse: z
    .object({
      Response: Result,
      RepeatedMessageResponse: z
        .object({ MessageHeader: ResponseHeader, RepeatedResponseMessageBody: TransactionBody })
        .optional(),
    })
    .optional(),
  DiagnosisResponse: z
    .object({ Response: Result, POIStatus: lenient(z.object({ GlobalStatus: z.string() })) })
    .optional(),
})
export type SaleToPoiResponse = z.infer<typeof SaleToPoiResponse>
