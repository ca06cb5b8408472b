/** Gives out turns by name: whoever takes a name waits until everyone before them has released it. */
export interface Turns {
  /** Resolves with the function that ends the turn. */
  take(name: string): Promise<() => void>
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>()
  return {
    async take(name) {
      const before = last.get(name)
      let end: () => void = () => undefined
      const mine = new Promise<void>((resolve) => {
        end = resolve
      })
      const tail = before ? before.then(() => mine) : mine
      last.set(name, tail)
      await before
      return () => {
        end()
        if (last.get(name) === tail) last.delete(name)
      }
    },
  }
}
