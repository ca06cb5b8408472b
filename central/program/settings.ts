import type { Db } from '../db/open.ts'

/** Small facts that a data folder keeps about itself: its seed, its secrets. */
export interface Settings {
  get(name: string): string | undefined
  /** The value under this name; the first call makes and keeps it. */
  once(name: string, make: () => string): string
}

export function createSettings(db: Db): Settings {
  const read = db.prepare<[string], { value: string }>('SELECT value FROM setting WHERE name = ?')
  const write = db.prepare('INSERT INTO setting (name, value) VALUES (?, ?)')
  return {
    get: (name) => read.get(name)?.value,
    once(name, make) {
      const kept = read.get(name)?.value
      if (kept !== undefined) return kept
      const made = make()
      write.run(name, made)
      return made
    },
  }
}
