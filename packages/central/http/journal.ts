import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** A request as it arrived. `processedAt` is set once its effect is durable, whether or not an answer could leave. */
export interface ReceivedRequest {
  readonly number: number
  readonly at: string
  readonly method: string
  readonly path: string
  /** Without the token. */
  readonly headers: Record<string, string | readonly string[]>
  /** Of the exact bytes of the body. */
  readonly sha256: string
  readonly body: unknown
  processedAt: string | null
}

export type Stage = 'received' | 'processed'

/** Enough for any rehearsal; the oldest leave first. */
const KEPT = 10_000

/** What the services received, in memory, for whoever rehearses. Kept only while the control port is on. */
export function createRequestJournal(enabled: boolean) {
  let kept: ReceivedRequest[] = []
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
    /** Notes an arrival. Returns what marks it as processed. */
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
      kept.push(seen)
      if (kept.length > KEPT) kept = kept.slice(-KEPT / 2)
      count('received', path)
      return () => {
        if (seen.processedAt !== null) return
        seen.processedAt = new Date().toISOString()
        count('processed', path)
      }
    },
    list: (path: string | undefined): ReceivedRequest[] =>
      path === undefined ? kept : kept.filter((request) => request.path === path),
    /** Forgets everything, counts included. */
    clear(): void {
      kept = []
      totals.received.clear()
      totals.processed.clear()
    },
    total: (stage: Stage, path: string): number => totals[stage].get(path) ?? 0,
    /** Resolves true once `wanted` requests to the path reached the stage, false when the signal aborts first. */
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
