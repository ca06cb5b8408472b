import { randomUUID } from 'node:crypto'
import { KEY_HEADER, type WindowKey, openWindowAt, windowHeaders } from '../../../contracts/core/window.ts'
import type { CurrentSale, ReceiptView, Sale } from '../../../contracts/sales/sales.ts'
import type { Problem } from '../../../contracts/core/errors.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'

type SaleChange = Extract<TerminalEvent, { type: 'sale-changed' }>

/** A window without a screen: the local API and its events as the renderer uses them, over real HTTP. */
export interface Window {
  /** By which it is the same window at a later process: sessions outlive the process. */
  readonly key: WindowKey
  /** For calls past this client. */
  readonly headers: Readonly<Record<string, string>>
  /** The name of its stream of events. */
  readonly stream: string
  /**
   * `key`: of a command that is asked for again; its own where left out. Throws TerminalGoneError when nobody answers.
   */
  call(
    method: string,
    path: string,
    body?: object,
    key?: string,
  ): Promise<{ status: number; body: { sale: Sale } & ReceiptView & Problem & Record<string, unknown> }>
  current(): Promise<Sale | null>
  /**
   * The newest event, past since the last `forget` or to come, that fits. Throws TerminalGoneError when the stream ends
   * before.
   */
  event<Found extends TerminalEvent>(fits: (event: TerminalEvent) => event is Found): Promise<Found>
  /** The newest state of the sale that fits, as the events tell it. */
  until(fits: (sale: Sale) => boolean): Promise<Sale>
  /** As `until`, or the open sale as it stands: what came about before this window looked is told by no event. */
  reached(fits: (sale: Sale) => boolean): Promise<Sale>
  /** Swipes a training card for a form that asks for one; answers its read. */
  present(cardId: string): Promise<string>
  /** Swipes a training card at the virtual reader; answers when INQUIRE has been answered. */
  swipe(cardId: string): Promise<Sale>
  /** Resolves with the next event of any kind. Throws TerminalGoneError when there will be none. */
  next(): Promise<void>
  /** Every event since the last `forget`, oldest first. */
  heard(): readonly TerminalEvent[]
  forget(): void
  close(): void
}

/** The terminal ended under somebody's hands. */
export class TerminalGoneError extends Error {
  override name = 'TerminalGoneError'
}

/** Whoever waits longer for an event would wait for good, and keep a whole run waiting. */
const PATIENCE_MS = 120_000

export async function openWindow(
  url: string,
  way: { readonly launchUrl: string } | { readonly key: WindowKey },
): Promise<Window> {
  const answered = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answer.catch((error: unknown) => {
      throw error instanceof TypeError ? new TerminalGoneError('nobody answers the window') : error
    })
  const key = 'key' in way ? way.key : await answered(openWindowAt(url, way.launchUrl))
  const shown = await answered(windowHeaders(url, key))
  const request = (path: string, init: RequestInit): Promise<Response> =>
    fetch(url + path, init).catch(() => {
      throw new TerminalGoneError(`${path}: nobody answers`)
    })

  const name = randomUUID()

  const call: Window['call'] = async (method, path, given, commandKey = randomUUID()) => {
    // The stream that this window listens to goes on.
    const body = path === '/api/sign-in' ? { ...given, stream: name } : given
    const headers = {
      ...shown,
      ...(method === 'GET' ? {} : { [KEY_HEADER]: commandKey }),
      ...(body ? { 'content-type': 'application/json' } : {}),
    }
    const response = await request(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    const text = await response.text().catch(() => {
      throw new TerminalGoneError(`${path}: the answer broke off`)
    })
    return {
      status: response.status,
      body: (text ? JSON.parse(text) : {}) as Awaited<ReturnType<Window['call']>>['body'],
    }
  }

  const events: TerminalEvent[] = []
  const waiting = new Set<() => void>()
  const wakeAll = (): void => {
    for (const wake of waiting) wake()
  }
  const stop = new AbortController()
  let ended = false
  const stream = await request(`/api/events?as=${name}`, { headers: shown, signal: stop.signal })
  void listen(stream, (event) => {
    events.push(event)
    wakeAll()
  }).then(() => {
    ended = true
    wakeAll()
  })

  /** A terminal that goes on without telling anything is no crash: whoever waited for its next start would wait on. */
  const whyEnded = (): Promise<Error> =>
    stop.signal.aborted
      ? Promise.resolve(new TerminalGoneError('the window was closed'))
      : fetch(url).then(
          () => new Error('the events ended, and the terminal goes on'),
          () => new TerminalGoneError('the events ended'),
        )

  const event: Window['event'] = async (fits) => {
    const until = performance.now() + PATIENCE_MS
    for (;;) {
      const found = events.findLast(fits)
      if (found) return found
      if (performance.now() > until)
        throw new Error(`it did not come in ${PATIENCE_MS / 1_000} s; the last event was ${events.at(-1)?.type}`)
      await next(until)
    }
  }
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
    event,
    until,
    reached,
    current: async () => ((await call('GET', '/api/sales/current')).body as CurrentSale).sale,
    present,
    async swipe(cardId) {
      events.length = 0
      await call('POST', '/api/training/swipe', { cardId })
      // Of the card alone: a preview of the card before may still come, with that card's answer in it.
      return changed(
        ({ cause, sale: { member } }) => cause === 'member' && member !== null && member.state !== 'pending',
      )
    },
    next,
    heard: () => events,
    forget: () => {
      events.length = 0
    },
    close: () => {
      stop.abort()
    },
  }
}

/** Resolves when the stream ends, however it ends. */
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
    // The window was closed, or the terminal ended: the scenario that did it goes on.
  }
}
