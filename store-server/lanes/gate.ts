export interface GateOptions {
  readonly atOnce: number
  /** So many more wait for their turn. */
  readonly waiting: number
}

/**
 * Lets so many work at once, in the order in which they came; answers null at once to whoever is one too many. Lanes
 * that come back together wait a moment for each other, in place of trying again for seconds.
 */
export function createGate({ atOnce, waiting }: GateOptions) {
  const queue: (() => void)[] = []
  let working = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result | null> => {
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
}
