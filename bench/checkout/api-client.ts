import { randomUUID } from 'node:crypto'
import { request, type IncomingMessage } from 'node:http'
import { KEY_HEADER, openWindowAt, windowHeaders } from '../../contracts/core/window.ts'
import { z } from 'zod'
import { Sale } from '../../contracts/sales/sales.ts'
import { TerminalEvent } from '../../contracts/core/events.ts'
import { now } from './clock.ts'

/** No more of an answer is read than is needed: the client's own work is measured with the calls. */
const SaleToPay = Sale.pick({ id: true, version: true, state: true }).extend({
  totals: Sale.shape.totals.pick({ dueCents: true }),
})
type SaleToPay = z.infer<typeof SaleToPay>

/** A plain client of the local API: signs in, hears the events with their time of arrival, and closes sales. */
export interface ApiClient {
  /** What it shows the lane, for calls past this client and for a browser that shares its session. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * What `find` makes of the next event of which it makes anything. `at`: when its bytes were in this process, before
   * they were read.
   */
  event<Value>(find: (event: TerminalEvent) => Value | null): Promise<{ readonly at: number; readonly value: Value }>
  /** The cashier leaves, so that a window shows who may sign in; and comes back. */
  signOut(): Promise<void>
  signIn(): Promise<void>
  /** Rings one piece and answers the sale with it. */
  ring(sku: string): Promise<SaleToPay>
  /** Pays what is due by card. */
  payByCard(sale: SaleToPay): Promise<void>
  /** Any other call of whoever is signed in; answers its body. */
  get<Answer>(path: string): Promise<Answer>
  post<Answer>(path: string, body: unknown): Promise<Answer>
  close(): void
}

export async function openApiClient(
  { url, launchUrl }: { readonly url: string; readonly launchUrl: string },
  staff: { readonly id: string; readonly pin: string; readonly newPin?: string },
): Promise<ApiClient> {
  const headers = await windowHeaders(url, await openWindowAt(url, launchUrl))
  const post = async (path: string, body: unknown): Promise<Response> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', [KEY_HEADER]: randomUUID() },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response
  }
  let pin = staff.pin
  const name = randomUUID()
  const signIn = async (newPin?: string): Promise<void> => {
    await post('/api/sign-in', { staffId: staff.id, pin, newPin, stream: name })
    pin = newPin ?? pin
  }
  await signIn(staff.newPin)
  const command = async (path: string, body: unknown): Promise<SaleToPay> => {
    const answer = await post(path, body)
    return z.object({ sale: SaleToPay }).parse(await answer.json()).sale
  }

  const listeners = new Set<(event: TerminalEvent, at: number) => void>()
  const stream = await openStream(`${url}/api/events?as=${name}`, headers)
  let pending = ''
  stream.setEncoding('utf8')
  stream.on('error', () => undefined)
  stream.on('data', (text: string) => {
    const at = now()
    pending += text
    for (let end = pending.indexOf('\n\n'); end >= 0; end = pending.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(pending.slice(0, end))?.[1]
      pending = pending.slice(end + 2)
      if (data === undefined || listeners.size === 0) continue
      const event = TerminalEvent.parse(JSON.parse(data))
      for (const listener of listeners) listener(event, at)
    }
  })

  return {
    headers,
    event: (find) =>
      new Promise((resolve) => {
        const take = (event: TerminalEvent, at: number): void => {
          const found = find(event)
          if (found === null) return
          listeners.delete(take)
          resolve({ at, value: found })
        }
        listeners.add(take)
      }),
    signIn,
    async signOut() {
      await post('/api/sign-out', {})
    },
    ring: (sku) => command('/api/sales/current/lines', { sku, quantity: 1 }),
    async payByCard(sale) {
      const paid = await command(`/api/sales/${sale.id}/tenders`, {
        kind: 'card',
        version: sale.version,
        amountCents: sale.totals.dueCents,
        reference: 'BENCH',
      })
      if (paid.state !== 'completed') throw new Error(`the sale is ${paid.state} after it was paid`)
    },
    async get<Answer>(path: string) {
      const answer = await fetch(url + path, { headers })
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as Answer
    },
    async post<Answer>(path: string, body: unknown) {
      return (await (await post(path, body)).json()) as Answer
    },
    close: () => {
      stream.destroy()
    },
  }
}

function openStream(url: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers: { ...headers, accept: 'text/event-stream' } })
    outgoing.once('error', reject)
    outgoing.once('response', (response) => {
      if (response.statusCode === 200) resolve(response)
      else reject(new Error(`the event stream answered ${response.statusCode}`))
    })
    outgoing.end()
  })
}
