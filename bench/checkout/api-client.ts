import { randomUUID } from 'node:crypto'
import { request, type IncomingMessage } from 'node:http'
import { KEY_HEADER } from '../../contracts/command-headers.ts'
import { z } from 'zod'
import { Sale } from '../../contracts/api/sales.ts'
import { TerminalEvent } from '../../contracts/events.ts'
import { now } from './clock.ts'

/** No more of an answer is read than is needed: the client's own work is measured with the calls. */
const SaleToPay = Sale.pick({ id: true, version: true, state: true }).extend({
  totals: Sale.shape.totals.pick({ dueCents: true }),
})
type SaleToPay = z.infer<typeof SaleToPay>

/** A plain client of the local API: signs in, hears the events with their time of arrival, and closes sales. */
export interface ApiClient {
  /** The session that the browser shares. */
  readonly cookie: { readonly name: string; readonly value: string }
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
  const launchToken = new URL(launchUrl).hash.replace('#launch=', '')
  const post = async (path: string, body: unknown, cookie?: string): Promise<Response> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        origin: url,
        'content-type': 'application/json',
        [KEY_HEADER]: randomUUID(),
        ...(cookie ? { cookie } : {}),
      },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response
  }
  const session = await post('/api/session', { launchToken })
  const cookieOf = (response: Response): { name: string; value: string } => {
    const [, name, value] = /^([\w-]+)=([^;]+)/.exec(response.headers.get('set-cookie') ?? '') ?? []
    if (name === undefined || value === undefined) throw new Error('the terminal gave no session')
    return { name, value }
  }
  let given = cookieOf(session)
  const cookie = (): string => `${given.name}=${given.value}`
  let pin = staff.pin
  const name = randomUUID()
  // Signing in gives the window another secret.
  const signIn = async (newPin?: string): Promise<void> => {
    given = cookieOf(await post('/api/sign-in', { staffId: staff.id, pin, newPin, stream: name }, cookie()))
    pin = newPin ?? pin
  }
  await signIn(staff.newPin)
  const command = async (path: string, body: unknown): Promise<SaleToPay> => {
    const answer = await post(path, body, cookie())
    return z.object({ sale: SaleToPay }).parse(await answer.json()).sale
  }

  const listeners = new Set<(event: TerminalEvent, at: number) => void>()
  const stream = await openStream(`${url}/api/events?as=${name}`, cookie())
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
    get cookie() {
      return given
    },
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
      await post('/api/sign-out', {}, cookie())
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
      const answer = await fetch(url + path, { headers: { origin: url, cookie: cookie() } })
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as Answer
    },
    async post<Answer>(path: string, body: unknown) {
      return (await (await post(path, body, cookie())).json()) as Answer
    },
    close: () => {
      stream.destroy()
    },
  }
}

function openStream(url: string, cookie: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers: { cookie, accept: 'text/event-stream' } })
    outgoing.once('error', reject)
    outgoing.once('response', (response) => {
      if (response.statusCode === 200) resolve(response)
      else reject(new Error(`the event stream answered ${response.statusCode}`))
    })
    outgoing.end()
  })
}
