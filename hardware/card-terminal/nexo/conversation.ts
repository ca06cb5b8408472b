import { z } from 'zod'
import { type MessageKey, openMessage, SealedMessage, sealMessage } from './crypto.ts'
import { exchange, type TerminalAddress } from './exchange.ts'
import { type SaleToPoiRequest, SaleToPoiResponse } from './messages.ts'

/** What came of one message: an answer, or why there is none. A reason names the wire, never what came over it. */
export type Answer =
  | { readonly kind: 'message'; readonly message: SaleToPoiResponse }
  | { readonly kind: 'never-sent' | 'no-answer' | 'not-understood'; readonly reason: string }

export type Ask = (request: SaleToPoiRequest, deadlineMs: number) => Promise<Answer>

/** Asks the terminal at this address, sealed where there is a key. Each call is one exchange, and none is repeated. */
export function createAsk(address: TerminalAddress, key: MessageKey | null, stop: AbortSignal): Ask {
  return async (request, deadlineMs) => {
    const exchanged = await exchange(address, written(request, key), deadlineMs, stop)
    if (exchanged.kind !== 'answer') return exchanged
    const message = readAnswer(exchanged.bytes, key)
    exchanged.bytes.fill(0)
    return message === null
      ? { kind: 'not-understood', reason: 'the answer is not understood, or not sealed with our key' }
      : { kind: 'message', message }
  }
}

function written(request: SaleToPoiRequest, key: MessageKey | null): string {
  const plain = { SaleToPOIRequest: request }
  if (key === null) return JSON.stringify(plain)
  const { MessageHeader } = request
  return JSON.stringify({ SaleToPOIRequest: { MessageHeader, ...sealMessage(key, JSON.stringify(plain)) } })
}

const Plain = z.object({ SaleToPOIResponse: SaleToPoiResponse })
const Sealed = z.object({ SaleToPOIResponse: SealedMessage })

/** null for whatever is not a message of this protocol; where there is a key, for whatever was not sealed with it. */
export function readAnswer(bytes: Buffer, key: MessageKey | null): SaleToPoiResponse | null {
  let text = bytes.toString('utf8')
  if (key !== null) {
    const sealed = Sealed.safeParse(parseJson(text))
    const opened = sealed.success ? openMessage(key, sealed.data.SaleToPOIResponse) : null
    if (opened === null) return null
    text = opened
  }
  const message = Plain.safeParse(parseJson(text))
  return message.success ? message.data.SaleToPOIResponse : null
}

/** undefined for what is no JSON. The parser's message quotes what it read, and goes nowhere. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
