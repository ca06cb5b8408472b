import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { SealedMessage, type SharedKey, deriveKey, openMessage, sealMessage } from '../card-terminal/crypto.ts'
import type { TerminalAddress } from '../card-terminal/exchange.ts'
import { selfSigned } from './self-signed.ts'

/**
 * Messages of the simulated card terminal, written from the public examples of the protocol and not from the driver's
 * types. Like real card terminals, it sends more data than a lane may store.
 */

export const CARD_NUMBER = '4761739281740119'
const MASKED = `${CARD_NUMBER.slice(0, 6)}******${CARD_NUMBER.slice(-4)}`

export interface RequestedTransaction {
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

const receipt = (qualifier: string, title: string, { amount, currency }: RequestedTransaction, id: string): object => ({
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

export function approved(requested: RequestedTransaction, moved: number, withReceipts: boolean): object {
  const id = freshId()
  const Response = {
    Result: moved < requested.amount ? 'Partial' : 'Success',
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
    ? [
        receipt('CashierReceipt', 'MERCHANT COPY', requested, id),
        receipt('CustomerReceipt', 'CARDHOLDER COPY', requested, id),
      ]
    : undefined
  const POIData = posTransaction(id)
  if (requested.kind === 'refund')
    return { ReversalResponse: { Response, POIData, ReversedAmount: moved, PaymentReceipt } }
  const CardData = {
    CardCountryCode: '124',
    EntryMode: ['Contactless'],
    MaskedPan: MASKED,
    PaymentBrand: 'visa',
    SensitiveCardData: { ExpiryDate: '1249', TrackData: [{ TrackNumb: 2, TrackValue: `;${CARD_NUMBER}=4912?` }] },
  }
  const PaymentResult = {
    OnlineFlag: true,
    AmountsResp: { AuthorizedAmount: moved, Currency: requested.currency },
    PaymentAcquirerData: {
      AcquirerPOIID: 'V400m-123456789',
      ApprovalCode: '012345',
      MerchantID: 'STORE',
    },
    ...(withReceipts ? { PaymentInstrumentData: { PaymentInstrumentType: 'Card', CardData } } : {}),
  }
  const SaleData = {
    SaleTransactionID: { TransactionID: requested.saleId, TimeStamp: new Date().toISOString() },
  }
  return { PaymentResponse: { Response, SaleData, POIData, PaymentResult, PaymentReceipt } }
}

export function failed(kind: RequestedTransaction['kind'], condition: string): object {
  const Response = {
    Result: 'Failure',
    ErrorCondition: condition,
    AdditionalResponse: `refusalReason=made%20up&cardBin=${CARD_NUMBER}`,
  }
  const body = { Response, POIData: posTransaction(freshId()) }
  return kind === 'payment' ? { PaymentResponse: body } : { ReversalResponse: body }
}

/** Applies a fault that reports another amount or currency than was moved. A reversal has no currency. */
export function withWrongAmount(body: object, fault: string | undefined): object {
  const text = JSON.stringify(body)
  const altered =
    fault === 'wrong-amount'
      ? text.replace(/"(?:AuthorizedAmount|ReversedAmount)":/, (field) => `${field}1`)
      : fault === 'wrong-currency'
        ? text.replace(/"Currency":"[A-Z]+"/, '"Currency":"XXX"')
        : text
  return JSON.parse(altered) as object
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

/** Faults of an answer on its way to the lane, after the transaction itself is complete. */
export const ANSWER_FAULTS = ['answer-lost', 'wrong-echo', 'garbled', 'wrong-hmac'] as const
export type AnswerFault = (typeof ANSWER_FAULTS)[number]

const Reference = z.object({ MessageReference: z.object({ ServiceID: z.string() }) })
const SaleData = z.object({
  SaleTransactionID: z.object({ TransactionID: z.string() }),
  SaleToAcquirerData: z.string().default(''),
})
const AmountsReq = z.object({ Currency: z.string(), RequestedAmount: z.number() })
const Message = z.object({
  MessageHeader: z.looseObject({ MessageCategory: z.string(), ServiceID: z.string() }),
  PaymentRequest: z.object({ SaleData, PaymentTransaction: z.object({ AmountsReq }) }).optional(),
  ReversalRequest: z.object({ SaleData, ReversedAmount: z.number() }).optional(),
  AbortRequest: Reference.optional(),
  TransactionStatusRequest: Reference.optional(),
})
export type Message = z.infer<typeof Message>
export type Header = Message['MessageHeader']

export const answerHeader = (header: Header): Header => ({ ...header, MessageType: 'Response' })

export interface Reply {
  send(body: object, fault?: AnswerFault): void
  /** Answers with the text `ok` instead of a message, as card terminals answer an abort request. */
  nothing(): void
  cut(): void
}

export interface CardTerminalWire {
  readonly address: TerminalAddress
  close(): Promise<void>
}

const HOST = '127.0.0.1'

/**
 * Far end of the wire to the simulated card terminal: a loopback listener, its certificate, and the sealing of
 * messages.
 */
export async function openCardTerminalWire(
  poiId: string,
  key: SharedKey | null,
  serve: (message: Message, reply: Reply) => Promise<void>,
): Promise<CardTerminalWire> {
  const { read, write } = sealing(key)
  const sockets = new Set<Socket>()

  const replyTo = (header: Header, response: ServerResponse): Reply => ({
    send(body, fault) {
      if (fault === 'answer-lost') response.destroy()
      else response.writeHead(200, { 'content-type': 'application/json' }).end(write(answerHeader(header), body, fault))
    },
    nothing: () => void response.writeHead(200).end('ok'),
    cut: () => void response.destroy(),
  })

  async function take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const message = read(await text(incoming))
    if (message === null) response.writeHead(400).end()
    else await serve(message, replyTo(message.MessageHeader, response))
  }

  const { certificate, key: privateKey } = selfSigned(poiId)
  const server = createServer({ key: privateKey, cert: certificate }, (incoming, response) => {
    response.on('error', () => undefined)
    take(incoming, response).catch(() => response.destroy())
  })
  server.on('secureConnection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: { host: HOST, port, certificate, commonName: poiId },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function sealing(key: SharedKey | null) {
  const own = key && deriveKey(key)
  const other = deriveKey({ identifier: key?.identifier ?? '', version: key?.version ?? 0, passphrase: 'another' })
  return {
    read(body: string): Message | null {
      const outer: unknown = JSON.parse(body)
      if (own === null) return z.object({ SaleToPOIRequest: Message }).parse(outer).SaleToPOIRequest
      const opened = openMessage(own, z.object({ SaleToPOIRequest: SealedMessage }).parse(outer).SaleToPOIRequest)
      return opened === null ? null : z.object({ SaleToPOIRequest: Message }).parse(JSON.parse(opened)).SaleToPOIRequest
    },
    /** Without a shared key, the fault `wrong-hmac` is a sealed answer where a plain one is expected. */
    write(header: Header, body: object, fault: AnswerFault | undefined): string {
      const MessageHeader = fault === 'wrong-echo' ? { ...header, ServiceID: 'ANOTHER' } : header
      const plain = JSON.stringify({ SaleToPOIResponse: { MessageHeader, ...body } })
      if (fault === 'garbled') return plain.slice(0, plain.length / 2)
      const sealer = fault === 'wrong-hmac' ? other : own
      return sealer === null
        ? plain
        : JSON.stringify({ SaleToPOIResponse: { MessageHeader, ...sealMessage(sealer, plain) } })
    },
  }
}
