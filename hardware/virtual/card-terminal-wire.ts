import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { deriveKey, openMessage, SealedMessage, sealMessage, type SharedKey } from '../card-terminal/nexo/crypto.ts'
import type { TerminalAddress } from '../card-terminal/nexo/exchange.ts'
import { selfSigned } from './self-signed.ts'

/** What goes wrong with an answer on its way: the terminal did what it did. */
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
/** What a lane said, as far as the simulated terminal looks at it. */
export type Message = z.infer<typeof Message>
export type Header = Message['MessageHeader']

export const answerHeader = (header: Header): Header => ({ ...header, MessageType: 'Response' })

/** How the terminal answers one message. */
export interface Reply {
  say(body: object, fault?: AnswerFault): void
  /** Nothing that could be read, as after an abort. */
  nothing(): void
  /** Cuts the connection. */
  cut(): void
}

export interface CardTerminalWire {
  readonly address: TerminalAddress
  close(): Promise<void>
}

const HOST = '127.0.0.1'

/** The far end's side of the wire: a listener on loopback, its certificate, and the sealing of messages. */
export async function openCardTerminalWire(
  poiId: string,
  key: SharedKey | null,
  serve: (message: Message, reply: Reply) => Promise<void>,
): Promise<CardTerminalWire> {
  const { read, write } = sealing(key)
  const sockets = new Set<Socket>()

  const replyTo = (header: Header, response: ServerResponse): Reply => ({
    say(body, fault) {
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
    // Whatever it cannot read, it hangs up on.
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
    /** null for what was not sealed with our key. */
    read(body: string): Message | null {
      const outer: unknown = JSON.parse(body)
      if (own === null) return z.object({ SaleToPOIRequest: Message }).parse(outer).SaleToPOIRequest
      const opened = openMessage(own, z.object({ SaleToPOIRequest: SealedMessage }).parse(outer).SaleToPOIRequest)
      return opened === null ? null : z.object({ SaleToPOIRequest: Message }).parse(JSON.parse(opened)).SaleToPOIRequest
    },
    /** `wrong-hmac` without a key is an answer that is sealed where none should be. */
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
