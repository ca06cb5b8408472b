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
