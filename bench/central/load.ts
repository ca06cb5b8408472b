import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from './connection.ts'

/**
 * Sends one request over a connection and resolves after its response; rejects if the request fails. `lane`: index of
 * the connection. `number`: count of the requests of this run, for a unique id.
 */
export type Send = (connection: Connection, connectionIndex: number, number: number) => Promise<void>

export interface Loaded {
  readonly samples: readonly number[]
  readonly perSecond: number
}

/**
 * Keeps one request in flight on every connection for `forMs` milliseconds. Returns the milliseconds from each request
 * to its response.
 */
export async function atOnce(
  connections: readonly Connection[],
  forMs: number,
  signal: AbortSignal,
  send: Send,
): Promise<Loaded> {
  const samples: number[] = []
  const began = performance.now()
  let number = 0
  await Promise.all(
    connections.map(async (connection, connectionIndex) => {
      while (performance.now() - began < forMs) {
        signal.throwIfAborted()
        const from = performance.now()
        await send(connection, connectionIndex, (number += 1))
        samples.push(performance.now() - from)
      }
    }),
  )
  return { samples, perSecond: (samples.length * 1_000) / (performance.now() - began) }
}

/**
 * Sends requests at a fixed rate, even if responses are late. Returns the milliseconds from the scheduled time of each
 * request to its response, so that they include waiting for a free connection.
 */
export async function atRate(
  connections: readonly Connection[],
  perSecond: number,
  forMs: number,
  signal: AbortSignal,
  send: Send,
): Promise<Loaded> {
  const samples: number[] = []
  const free = connections.map((connection, connectionIndex) => ({ connection, connectionIndex }))
  const waiting: { due: number; number: number }[] = []
  const failures: Error[] = []
  const total = Math.floor((forMs * perSecond) / 1_000)
  const began = performance.now()
  let [number, open] = [0, 0]
  const go = (): void => {
    for (;;) {
      const next = waiting[0]
      const spare = free[0]
      if (!next || !spare) return
      waiting.shift()
      free.shift()
      open += 1
      send(spare.connection, spare.connectionIndex, next.number)
        .then(
          () => {
            samples.push(performance.now() - next.due)
          },
          (reason: unknown) => {
            failures.push(reason instanceof Error ? reason : new Error(String(reason)))
          },
        )
        .finally(() => {
          open -= 1
          free.push(spare)
          go()
        })
    }
  }
  while (number < total || open > 0 || waiting.length > 0) {
    signal.throwIfAborted()
    if (failures[0]) throw failures[0]
    const due = Math.min(total, Math.floor(((performance.now() - began) * perSecond) / 1_000))
    while (number < due) {
      waiting.push({ due: began + (number * 1_000) / perSecond, number })
      number += 1
    }
    go()
    await pause(1)
  }
  return { samples, perSecond: (samples.length * 1_000) / forMs }
}
