export interface GateOptions {
  readonly atOnce: number
  readonly waiting: number
  /** Maximum active and queued work per caller, so that one caller cannot use the whole limit. */
  readonly ofOne: number
}

/**
 * Limits concurrent work and queues it in order of arrival; returns null at once when the queue is full or the caller
 * has reached its limit. Lanes that reconnect together queue briefly, which is faster than a retry after seconds.
 */
export function createGate({ atOnce, waiting, ofOne }: GateOptions) {
  const queue: (() => void)[] = []
  const callers = new Map<string, number>()
  let working = 0

  async function enter<Result>(work: () => Promise<Result>): Promise<Result | null> {
    if (working >= atOnce) {
      if (queue.length >= waiting) return null
      await new Promise<void>((resolve) => queue.push(resolve))
    } else working += 1
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else working -= 1
    }
  }

  return async <Result>(caller: string, work: () => Promise<Result>): Promise<Result | null> => {
    const own = callers.get(caller) ?? 0
    if (own >= ofOne) return null
    callers.set(caller, own + 1)
    try {
      return await enter(work)
    } finally {
      const left = (callers.get(caller) ?? 1) - 1
      if (left === 0) callers.delete(caller)
      else callers.set(caller, left)
    }
  }
}

/** Notice that a store has new facts. `kinds`: null if their kinds are unknown. */
export interface FactNotice {
  readonly store: string
  readonly kinds: ReadonlySet<string> | null
}

interface Reader {
  readonly kinds: readonly string[] | null
  readonly wake: () => void
}

/**
 * Maximum kinds in a notice: NOTIFY payloads are limited to 8,000 bytes, enough for this many kinds of 40 characters.
 */
const MAX_KINDS = 40

export const notice = (store: string, kinds: ReadonlySet<string>): string =>
  [store, ...(kinds.size > MAX_KINDS ? [] : kinds)].join('\n')

/** Parses a notice. It has no kinds if they are too many, or if a server of the previous release sent it. */
export function readNotice(payload: string): FactNotice {
  const [store = '', ...kinds] = payload.split('\n')
  return { store, kinds: kinds.length === 0 ? null : new Set(kinds) }
}

/**
 * Wakes readers that wait for facts of a store. A lost notification delays a reader, which then queries again, but
 * loses no fact.
 */
export function createFactNotices() {
  const waiting = new Map<string, Set<Reader>>()
  const isFor = (reader: Reader, kinds: FactNotice['kinds']): boolean =>
    kinds === null || reader.kinds === null || reader.kinds.some((kind) => kinds.has(kind))
  const wake = ({ store, kinds }: FactNotice): void => {
    for (const reader of waiting.get(store) ?? []) if (isFor(reader, kinds)) reader.wake()
  }
  return {
    /** Wakes the readers that wait for the facts of the notice; null wakes all readers. */
    publish: (notices: FactNotice | null): void => {
      for (const one of notices === null ? [...waiting.keys()].map((store) => ({ store, kinds: null })) : [notices])
        wake(one)
    },
    /**
     * Subscribes to a store's facts. Subscribe before reading the database, so that facts published in between end the
     * wait at once. Always call `end`.
     */
    listen(store: string, kinds: Reader['kinds']) {
      const woken = Promise.withResolvers<boolean>()
      const reader: Reader = { kinds, wake: () => woken.resolve(true) }
      const all = waiting.get(store) ?? new Set()
      waiting.set(store, all.add(reader))
      return {
        /** Waits for new facts. Returns true when there are any, false on timeout or when the caller disconnected. */
        async wait(ms: number, disconnected: AbortSignal): Promise<boolean> {
          const stop = (): void => woken.resolve(false)
          const timer = setTimeout(stop, ms)
          disconnected.addEventListener('abort', stop, { once: true })
          if (disconnected.aborted) stop()
          try {
            return await woken.promise
          } finally {
            clearTimeout(timer)
            disconnected.removeEventListener('abort', stop)
          }
        },
        end(): void {
          all.delete(reader)
          if (all.size === 0 && waiting.get(store) === all) waiting.delete(store)
        },
      }
    },
  }
}
