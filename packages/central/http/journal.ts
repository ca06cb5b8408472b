import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** A received request. `processedAt` is set when its effect is durable, even if the answer was not sent. */
export interface ReceivedRequest {
  readonly number: number
  readonly at: string
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string | readonly string[]>
  readonly sha256: string
  readonly body: unknown
  processedAt: string | null
}

export type Stage = 'received' | 'processed'

/** Limits the memory of the journal; the oldest requests are dropped first. */
const MAX_REQUESTS = 10_000

/** Records received requests in memory. Enabled only with the control port. */
export function createRequestJournal(enabled: boolean) {
  let stored: ReceivedRequest[] = []
  let next = 1
  let waiting: (() => void)[] = []
  const totals: Record<Stage, Map<string, number>> = { received: new Map(), processed: new Map() }

  const count = (stage: Stage, path: string): void => {
    totals[stage].set(path, (totals[stage].get(path) ?? 0) + 1)
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }

  return {
    receive(method: string, path: string, headers: IncomingHttpHeaders, bytes: Buffer, body: unknown): () => void {
      if (!enabled) return () => undefined
      const seen: ReceivedRequest = {
        number: next++,
        at: new Date().toISOString(),
        method,
        path,
        headers: withoutToken(headers),
        sha256: createHash('sha256').update(bytes).digest('hex'),
        body,
        processedAt: null,
      }
      stored.push(seen)
      if (stored.length > MAX_REQUESTS) stored = stored.slice(-MAX_REQUESTS / 2)
      count('received', path)
      return () => {
        if (seen.processedAt !== null) return
        seen.processedAt = new Date().toISOString()
        count('processed', path)
      }
    },
    list: (path: string | undefined): ReceivedRequest[] =>
      path === undefined ? stored : stored.filter((request) => request.path === path),
    clear(): void {
      stored = []
      totals.received.clear()
      totals.processed.clear()
    },
    total: (stage: Stage, path: string): number => totals[stage].get(path) ?? 0,
    async reached(stage: Stage, path: string, wanted: number, signal: AbortSignal): Promise<boolean> {
      while ((totals[stage].get(path) ?? 0) < wanted) {
        if (signal.aborted) return false
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
      }
      return true
    },
  }
}

function withoutToken(headers: IncomingHttpHeaders): Record<string, string | readonly string[]> {
  const shown: Record<string, string | readonly string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    shown[name] = name === 'authorization' ? 'Bearer •••' : value
  }
  return shown
}
