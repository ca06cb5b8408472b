import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { requireProof, fetchFromLane } from './window-session.ts'

/** Name of this window's event stream (contracts/staff/session.ts). */
export const streamName = crypto.randomUUID()

const REOPEN_MS = 1_000

export interface EventStreamListener {
  readonly onEvent: (event: TerminalEvent) => void
  /** `fresh` if no event was received before: the window's state is unknown and must be loaded. */
  readonly onOpen: (fresh: boolean) => void
  readonly onLost: () => void
}

/**
 * Receives the backend's events (GET /api/events). When the stream ends, opens it again and sends the id of the last
 * event, so that the backend replays missed ones. Does not use EventSource, which cannot send headers. Returns a
 * function that closes the stream.
 */
export function openEventStream(listener: EventStreamListener): () => void {
  const end = new AbortController()
  let lastId: string | null = null

  function take(frame: string): void {
    const field = (name: string): string | undefined => new RegExp(`^${name}: ?(.*)$`, 'm').exec(frame)?.[1]
    lastId = field('id') ?? lastId
    const data = field('data')
    if (data === undefined) return
    try {
      listener.onEvent(JSON.parse(data) as TerminalEvent)
    } catch (error) {
      // An event that fails does not stop the processing of the following events.
      reportError(error)
    }
  }

  async function follow(): Promise<void> {
    const request = new Request(`/api/events?as=${streamName}`, {
      headers: lastId === null ? {} : { 'last-event-id': lastId },
      signal: end.signal,
    })
    const { ok, body } = await fetchFromLane(request)
    if (!ok || body === null) return
    listener.onOpen(lastId === null)
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    let pending = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const frames = (pending + value).split('\n\n')
      pending = frames.pop() ?? ''
      frames.forEach(take)
    }
  }

  async function keepFollowing(): Promise<void> {
    while (!end.signal.aborted) {
      await follow().catch(() => undefined)
      if (end.signal.aborted) return
      requireProof()
      listener.onLost()
      await new Promise((resolve) => setTimeout(resolve, REOPEN_MS))
    }
  }
  void keepFollowing()

  return () => {
    end.abort()
  }
}
