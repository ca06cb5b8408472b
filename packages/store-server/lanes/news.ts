export interface GateOptions {
  readonly atOnce: number
  /** So many more wait for their turn. */
  readonly waiting: number
  /** Of one caller, at work and waiting together: it cannot take the places of the others. */
  readonly ofOne: number
}

/**
 * Lets so many work at once, in the order in which they came; answers null at once to whoever is one too many. Lanes
 * that come back together wait a moment for each other, in place of trying again for seconds.
 */
export function createGate({ atOnce, waiting, ofOne }: GateOptions) {
  const queue: (() => void)[] = []
  const callers = new Map<string, number>()
  let working = 0

  async function enter<Result>(work: () => Promise<Result>): Promise<Result | null> {
    if (working >= atOnce) {
      if (queue.length >= waiting) return null
      // Whoever ends hands its place on.
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

/** New facts of a store. `kinds` null: perhaps of any kind. */
export interface News {
  readonly store: string
  readonly kinds: ReadonlySet<string> | null
}

interface Reader {
  /** Kinds that it follows; null: all. */
  readonly kinds: readonly string[] | null
  readonly wake: () => void
}

/** A payload of NOTIFY has less than 8,000 bytes; so many kinds of at most 40 characters fit. */
const MOST_KINDS = 40

/** The store, and each kind in a line of its own: no kinds where they are too many. */
export const notice = (store: string, kinds: ReadonlySet<string>): string =>
  [store, ...(kinds.size > MOST_KINDS ? [] : kinds)].join('\n')

/** A server of the release before names the store alone. */
export function readNotice(payload: string): News {
  const [store = '', ...kinds] = payload.split('\n')
  return { store, kinds: kinds.length === 0 ? null : new Set(kinds) }
}

/** Readers that wait for news of a store. A hint that was missed costs a wait, never a fact: the reader asks again. */
export function createNews() {
  const waiting = new Map<string, Set<Reader>>()
  const isFor = (reader: Reader, kinds: News['kinds']): boolean =>
    kinds === null || reader.kinds === null || reader.kinds.some((kind) => kinds.has(kind))
  const tell = ({ store, kinds }: News): void => {
    for (const reader of waiting.get(store) ?? []) if (isFor(reader, kinds)) reader.wake()
  }
  return {
    /** Wakes the readers of these news; null: all readers of every store. */
    told: (news: News | null): void => {
      for (const one of news === null ? [...waiting.keys()].map((store) => ({ store, kinds: null })) : [news]) tell(one)
    },
    /**
     * Subscribes to news of the store. Subscribe before reading the database: news published between the read and
     * `wait` end the wait at once. Always call `end`.
     */
    listen(store: string, kinds: Reader['kinds']) {
      const heard = Promise.withResolvers<boolean>()
      const reader: Reader = { kinds, wake: () => heard.resolve(true) }
      const all = waiting.get(store) ?? new Set()
      waiting.set(store, all.add(reader))
      return {
        /** True once there are news; false after so many milliseconds, or when the caller is gone. */
        async wait(ms: number, gone: AbortSignal): Promise<boolean> {
          const leave = (): void => heard.resolve(false)
          const timer = setTimeout(leave, ms)
          gone.addEventListener('abort', leave, { once: true })
          if (gone.aborted) leave()
          try {
            return await heard.promise
          } finally {
            clearTimeout(timer)
            gone.removeEventListener('abort', leave)
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
