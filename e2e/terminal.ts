import { randomUUID } from 'node:crypto'
import { KEY_HEADER, openWindowAt, windowHeaders } from '../contracts/core/window.ts'
import type { CurrentSale, Sale } from '../contracts/sales/sales.ts'
import type { TerminalEvent } from '../contracts/core/events.ts'
import type { Problem } from '../contracts/core/errors.ts'
import type { Lane } from './lane.ts'
import type { Wire } from './pty.ts'
import { track2 } from './wire.ts'

export interface Answer<Body> {
  readonly status: number
  readonly body: Body
}

/** A window without a screen: the local API and its events as the renderer uses them, over real HTTP. */
export interface TerminalClient {
  /** `key`: of a command that is asked for again; its own where left out. */
  call<Body = { sale: Sale }>(method: string, path: string, body?: unknown, key?: string): Promise<Answer<Body>>
  refused(method: string, path: string, body?: unknown): Promise<Problem>
  /** A file, byte by byte. */
  file(path: string): Promise<Buffer>
  current(): Promise<Sale | null>
  /** The first event, past or to come since the last `forget`, that fits. */
  event<Type extends TerminalEvent['type']>(
    type: Type,
    fits?: (event: Extract<TerminalEvent, { type: Type }>) => boolean,
  ): Promise<Extract<TerminalEvent, { type: Type }>>
  forget(): void
  readonly events: readonly TerminalEvent[]
  close(): void
}

export async function openTerminal(
  lane: Pick<Lane, 'url' | 'launchUrl'>,
  staff: { id: string; pin: string },
): Promise<TerminalClient> {
  const headers = await windowHeaders(lane.url, await openWindowAt(lane.url, lane.launchUrl))

  async function call<Body>(
    method: string,
    path: string,
    body?: unknown,
    key: string = randomUUID(),
  ): Promise<Answer<Body>> {
    const bare = { ...headers, ...(method === 'GET' ? {} : { [KEY_HEADER]: key }) }
    const response = await fetch(lane.url + path, {
      method,
      headers: body === undefined ? bare : { ...bare, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: (text ? JSON.parse(text) : null) as Body }
  }

  const events: TerminalEvent[] = []
  const waiting = new Set<() => void>()
  const stop = new AbortController()
  const name = randomUUID()
  const stream = await fetch(`${lane.url}/api/events?as=${name}`, {
    headers,
    signal: stop.signal,
  })
  void listen(stream, (event) => {
    events.push(event)
    for (const wake of waiting) wake()
  })
  const signIn = await call('POST', '/api/sign-in', { staffId: staff.id, pin: staff.pin, stream: name })
  if (signIn.status !== 200) throw new Error(`sign-in: ${JSON.stringify(signIn)}`)

  return {
    call,
    async refused(method, path, body) {
      const answer = await call<Problem>(method, path, body)
      if (answer.status < 400)
        throw new Error(`${method} ${path} was not refused: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    async file(path) {
      const response = await fetch(lane.url + path, { headers })
      if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`)
      return Buffer.from(await response.arrayBuffer())
    },
    current: async () => (await call<CurrentSale>('GET', '/api/sales/current')).body.sale,
    async event(type, fits = () => true) {
      type Wanted = Extract<TerminalEvent, { type: typeof type }>
      for (;;) {
        const found = events.find((event): event is Wanted => event.type === type && fits(event as Wanted))
        if (found) return found
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake)
            resolve()
          }
          waiting.add(wake)
        })
      }
    },
    forget: () => {
      events.length = 0
    },
    events,
    close: () => {
      stop.abort()
    },
  }
}

/** The collector's card goes through the reader; resolves when its collector is on the sale. */
export async function presentCard(client: TerminalClient, reader: Wire, collectorNumber: string): Promise<void> {
  await reader.send(track2(collectorNumber))
  await client.event('sale-changed', ({ sale }) => sale.member?.last4 === collectorNumber.slice(-4))
}

async function listen(stream: Response, onEvent: (event: TerminalEvent) => void): Promise<void> {
  const decoder = new TextDecoder()
  let pending = ''
  try {
    for await (const chunk of stream.body ?? []) {
      pending += decoder.decode(chunk, { stream: true })
      for (let end = pending.indexOf('\n\n'); end >= 0; end = pending.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(pending.slice(0, end))?.[1]
        pending = pending.slice(end + 2)
        if (data) onEvent(JSON.parse(data) as TerminalEvent)
      }
    }
  } catch {
    // The terminal was stopped or killed: the scenario that did it goes on.
  }
}
