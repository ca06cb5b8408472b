/** Lets so many pieces of work run at once; the rest wait in the order in which they came. */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>

export function createGate(places: number): Gate {
  const waiting: (() => void)[] = []
  let taken = 0
  return async (work) => {
    if (taken >= places) await new Promise<void>((enter) => waiting.push(enter))
    else taken += 1
    try {
      return await work()
    } finally {
      // The place is handed on, not given back, while somebody waits for it.
      const next = waiting.shift()
      if (next) next()
      else taken -= 1
    }
  }
}
