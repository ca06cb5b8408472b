import { randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { KEY_HEADER, type WindowKey, openWindowAt, windowHeaders } from '../../../contracts/core/window.ts'
import type { CurrentSale, ReceiptView, Sale } from '../../../contracts/sales/sales.ts'
import type { Problem } from '../../../contracts/core/errors.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'

type EventOf<Type extends TerminalEvent['type']> = Extract<TerminalEvent, { type: Type }>
type SaleChange = EventOf<'sale-changed'>

export type LaneBody = { sale: Sale } & ReceiptView & Problem & Record<string, unknown>
export interface LaneAnswer {
  readonly status: number
  readonly body: LaneBody
}

/** A window without a screen: the local API and its events as the renderer uses them, over HTTP. */
export interface Window {
  /** Identifies the window; the same key is used after a restart, because sessions of windows continue then. */
  readonly key: WindowKey
  readonly headers: Readonly<Record<string, string>>
  readonly stream: string
  /**
   * Sends a call. `key`: the idempotency key of a repeated call; default: a new one. Throws TerminalGoneError without a
   * response.
   */
  call(method: string, path: string, body?: object, key?: string): Promise<LaneAnswer>
  /** Sends a call that must succeed; returns the body of its response. */
  get<Body>(path: string): Promise<Body>
  post<Body>(path: string, body: object): Promise<Body>
  /** Sends a call that must be refused; returns its problem. */
  refused(method: string, path: string, body?: object): Promise<Problem>
  file(path: string): Promise<Buffer>
  signIn(staff: { readonly id: string; readonly pin: string; readonly newPin?: string }): Promise<void>
  current(): Promise<Sale | null>
  /**
   * Resolves with the newest matching event since the last `forget`, `swipe` or `present`, or the next one. Throws
   * after two minutes without one, and if the stream has ended: TerminalGoneError, or another error if the terminal
   * still runs.
   */
  event<Found extends TerminalEvent>(fits: (event: TerminalEvent) => event is Found): Promise<Found>
  /** Like `event`, but resolves with the oldest matching event, of one type. */
  first<Type extends TerminalEvent['type']>(
    type: Type,
    fits?: (event: EventOf<Type>) => boolean,
  ): Promise<EventOf<Type>>
  /**
   * Calls `find` with each future event and resolves with its first result that is not null. `at`: arrival of that
   * event’s bytes, in epoch milliseconds.
   */
  follow<Value>(find: (event: TerminalEvent) => Value | null): Promise<{ readonly at: number; readonly value: Value }>
  until(fits: (sale: Sale) => boolean): Promise<Sale>
  /**
   * Like `until`, but also accepts the present state of the open sale, because changes before this window opened have
   * no event.
   */
  reached(fits: (sale: Sale) => boolean): Promise<Sale>
  present(cardId: string): Promise<string>
  /**
   * Forgets the events so far and swipes a training card at the virtual reader; resolves after INQUIRE has ended, with
   * or without a response.
   */
  swipe(cardId: string): Promise<Sale>
  /** Resolves at the next event of any kind, or when the stream ends. Throws like `event` if it has already ended. */
  next(): Promise<void>
  /** Returns every event that the window received since the last `forget`, `swipe` or `present`, oldest first. */
  events(): readonly TerminalEvent[]
  forget(): void
  close(): void
}

export class TerminalGoneError extends Error {
  override name = 'TerminalGoneError'
}

/** Time limit for waiting for an event, so that a missing event does not block the whole run. */
const EVENT_TIMEOUT_MS = 120_000

function requestTo(url: string) {
  return (path: string, init: RequestInit): Promise<Response> =>
    fetch(url + path, init).catch(() => {
      throw new TerminalGoneError(`${path}: no response`)
    })
}

export function callerAt(url: string, shown: Readonly<Record<string, string>>): Window['call'] {
  const request = requestTo(url)
  return async (method, path, body, commandKey = randomUUID()) => {
    const headers = {
      ...shown,
      ...(method === 'GET' ? {} : { [KEY_HEADER]: commandKey }),
      ...(body ? { 'content-type': 'application/json' } : {}),
    }
    const response = await request(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    const text = await response.text().catch(() => {
      throw new TerminalGoneError(`${path}: the response is incomplete`)
    })
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as LaneBody }
  }
}

export async function openWindow(
  url: string,
  way: { readonly launchUrl: string } | { readonly key: WindowKey },
): Promise<Window> {
  const answered = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answer.catch((error: unknown) => {
      throw error instanceof TypeError ? new TerminalGoneError('no response to the window') : error
    })
  const key = 'key' in way ? way.key : await answered(openWindowAt(url, way.launchUrl))
  const shown = await answered(windowHeaders(url, key))
  const request = requestTo(url)
  const ask = callerAt(url, shown)
  const name = randomUUID()
  // The sign-in names the window’s event stream, so that the stream continues after it.
  const call: Window['call'] = (method, path, body, commandKey) =>
    ask(method, path, path === '/api/sign-in' ? { ...body, stream: name } : body, commandKey)
  async function good<Body>(method: string, path: string, body?: object): Promise<Body> {
    const answer = await call(method, path, body)
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as Body
  }

  const events: TerminalEvent[] = []
  const waiting = new Set<() => void>()
  const wakeAll = (): void => {
    for (const wake of waiting) wake()
  }
  const listeners = new Set<(event: TerminalEvent, at: number) => void>()
  let [ended, isClosed] = [false, false]
  const stream = await openEvents(`${url}/api/events?as=${name}`, shown)
  listen(stream, (event, at) => {
    events.push(event)
    for (const listener of listeners) listener(event, at)
    wakeAll()
  })
  stream.once('close', () => {
    ended = true
    wakeAll()
  })

  /**
   * Distinguishes a crash from an event stream that ended while the terminal runs: without a crash, waiting for a
   * restart would never end.
   */
  const whyEnded = (): Promise<Error> =>
    isClosed
      ? Promise.resolve(new TerminalGoneError('the window was closed'))
      : fetch(url).then(
          () => new Error('the event stream ended, but the terminal is running'),
          () => new TerminalGoneError('the event stream ended'),
        )

  async function found<Found>(find: () => Found | undefined): Promise<Found> {
    const until = performance.now() + EVENT_TIMEOUT_MS
    for (;;) {
      const found = find()
      if (found !== undefined) return found
      if (performance.now() > until)
        throw new Error(
          `no matching event within ${EVENT_TIMEOUT_MS / 1_000} s; the last event was ${events.at(-1)?.type}`,
        )
      await next(until)
    }
  }
  const event: Window['event'] = (fits) => found(() => events.findLast(fits))
  async function next(until = Infinity): Promise<void> {
    if (ended) throw await whyEnded()
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        waiting.delete(wake)
        resolve()
      }
      const timer = Number.isFinite(until) ? setTimeout(wake, until - performance.now()) : undefined
      waiting.add(wake)
    })
  }
  const changed = async (fits: (change: SaleChange) => boolean): Promise<Sale> =>
    (await event((candidate): candidate is SaleChange => candidate.type === 'sale-changed' && fits(candidate))).sale
  const until: Window['until'] = (fits) => changed(({ sale }) => fits(sale))

  async function reached(fits: (sale: Sale) => boolean): Promise<Sale> {
    const { sale } = (await call('GET', '/api/sales/current')).body as CurrentSale
    return sale && fits(sale) ? sale : until(fits)
  }

  async function present(cardId: string): Promise<string> {
    events.length = 0
    await call('POST', '/api/input/claims', { what: 'cards', claimed: true, stream: name })
    await call('POST', '/api/training/swipe', { cardId })
    await call('POST', '/api/input/claims', { what: 'cards', claimed: false, stream: name })
    return (
      await event(
        (candidate): candidate is Extract<TerminalEvent, { type: 'card-claimed' }> => candidate.type === 'card-claimed',
      )
    ).readId
  }

  return {
    key,
    headers: shown,
    stream: name,
    call,
    get: (path) => good('GET', path),
    post: (path, body) => good('POST', path, body),
    async refused(method, path, body) {
      const answer = await call(method, path, body)
      if (answer.status < 400) throw new Error(`${method} ${path} was not refused: ${JSON.stringify(answer)}`)
      return answer.body
    },
    async file(path) {
      const response = await request(path, { headers: shown })
      if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`)
      return Buffer.from(await response.arrayBuffer())
    },
    async signIn({ id, ...pins }) {
      await good('POST', '/api/sign-in', { staffId: id, ...pins })
    },
    event,
    first: <Type extends TerminalEvent['type']>(type: Type, fits: (event: EventOf<Type>) => boolean = () => true) =>
      found(() => events.find((event): event is EventOf<Type> => event.type === type && fits(event as EventOf<Type>))),
    follow: (find) =>
      new Promise((resolve) => {
        const listener = (event: TerminalEvent, at: number): void => {
          const value = find(event)
          if (value === null) return
          listeners.delete(listener)
          resolve({ at, value })
        }
        listeners.add(listener)
      }),
    until,
    reached,
    current: async () => ((await call('GET', '/api/sales/current')).body as CurrentSale).sale,
    present,
    async swipe(cardId) {
      events.length = 0
      await call('POST', '/api/training/swipe', { cardId })
      // Wait for the change that the card caused: a preview for the card before may also arrive with the state of the
      // new card.
      return changed(
        ({ cause, sale: { member } }) => cause === 'member' && member !== null && member.state !== 'pending',
      )
    },
    next,
    events: () => events,
    forget: () => {
      events.length = 0
    },
    close: () => {
      isClosed = true
      stream.destroy()
    },
  }
}

function openEvents(url: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { headers: { ...headers, accept: 'text/event-stream' } })
      .once('error', () => reject(new TerminalGoneError('no response to the window')))
      .once('response', (stream) => {
        if (stream.statusCode === 200) resolve(stream)
        else reject(new Error(`the event stream has status ${stream.statusCode}`))
      })
      .end()
  })
}

function listen(stream: IncomingMessage, onEvent: (event: TerminalEvent, at: number) => void): void {
  let pending = ''
  stream.setEncoding('utf8')
  // Ignore the error: the window was closed or the terminal ended, and the event `close` follows.
  stream.on('error', () => undefined)
  stream.on('data', (text: string) => {
    const at = performance.timeOrigin + performance.now()
    pending += text
    for (let end = pending.indexOf('\n\n'); end >= 0; end = pending.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(pending.slice(0, end))?.[1]
      pending = pending.slice(end + 2)
      if (data) onEvent(JSON.parse(data) as TerminalEvent, at)
    }
  })
}
