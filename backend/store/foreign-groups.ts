import type { Heard, Vector } from '../../contracts/store/protocol.ts'
import type { Changes } from './changes/changes.ts'
import {
  createForeignFacts,
  HEAR,
  type ForeignFacts,
  type ForeignFactsOptions,
  type TakeFact,
} from './foreign-facts.ts'
import type { StoreSeal } from './store-seal.ts'

export interface ForeignGroupsOptions extends Omit<ForeignFactsOptions, 'cursor'> {
  readonly changes: Changes
  /** Of this program. */
  readonly version: string
  readonly storeSeal: () => StoreSeal | null
}

export type ForeignGroups = ReturnType<typeof createForeignGroups>

/**
 * What other lanes tell, by two cursors. What is closed is taken once. What managers change may be taken again without
 * harm: so another program than the one before reads it from the beginning, and misses nothing that came while an older
 * one ran, which did not know its kind or could not read it.
 */
export function createForeignGroups({ changes, storeSeal, version, ...options }: ForeignGroupsOptions) {
  const { db, transact } = options
  const closed = createForeignFacts(options)
  const changed = createForeignFacts({ ...options, cursor: 'store_change_cursor' })
  const heard = db.prepare<[], Heard[string] & { stream: string }>('SELECT stream, seq, proof FROM store_heard')
  const hear = db.prepare(HEAR)
  const known = db.prepare<[], string>('SELECT kinds FROM store_change_kinds').pluck()
  const setKnown = db.prepare(
    `INSERT INTO store_change_kinds (id, kinds) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET kinds = excluded.kinds`,
  )
  const beginAnew = db.prepare('DELETE FROM store_change_cursor')
  const forgetAside = db.prepare('DELETE FROM store_aside WHERE kind IN (SELECT value FROM json_each(?))')
  const pulled = (): ForeignFacts[] => [closed, changed].filter((group) => group.kinds().length > 0)

  return {
    /** Whose facts of this kind are wanted, and who takes them. */
    follow: (kind: string, take: TakeFact): void => {
      closed.follow(kind, take)
    },
    /** Every kind of change has somebody who takes it by now. */
    followChanges(): void {
      const kinds = changes.kinds()
      for (const kind of kinds)
        changed.follow(kind, (tx, fact) => {
          changes.take(tx, fact, storeSeal())
        })
      // A program of a release back compares the list alone: the version stands in it as what is no kind.
      const reads = JSON.stringify([...kinds.toSorted(), `program ${version}`])
      if (reads === known.get()) return
      transact((tx) => {
        tx.run(beginAnew)
        tx.run(forgetAside, JSON.stringify(kinds))
        tx.run(setKnown, reads)
      })
    },
    pulled,
    /** Reads the changes of the other lanes from the beginning. */
    readChangesAgain(): void {
      transact((tx) => {
        tx.run(beginAnew)
      })
    },
    kinds: (): string[] => pulled().flatMap((group) => group.kinds()),
    /** How far every one of them has come. */
    vector(): Vector {
      const [first, ...others] = pulled().map((group) => group.vector())
      return others.reduce((least, vector) => leastOf(least, vector), first ?? {})
    },
    /** The server proves how far the streams are, also where nothing that is followed is new. */
    hear(proven: Heard): void {
      const all = Object.entries(proven)
      if (all.length === 0) return
      transact((tx) => {
        for (const [stream, { seq, proof }] of all) tx.run(hear, stream, seq, proof)
      })
    },
    /** What the server gave proofs for. */
    heard: (): Heard => Object.fromEntries(heard.all().map(({ stream, ...of }) => [stream, of])),
    aside: closed.aside,
  }
}

const leastOf = (one: Vector, other: Vector): Vector =>
  Object.fromEntries(
    Object.entries(one).flatMap(([stream, seq]) => {
      const there = other[stream]
      return there === undefined ? [] : [[stream, Math.min(seq, there)]]
    }),
  )
