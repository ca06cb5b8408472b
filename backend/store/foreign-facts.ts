import { setImmediate as breathe } from 'node:timers/promises'
import { z } from 'zod'
import {
  type ForeignFact,
  type Heard,
  type PullAnswer,
  Seq,
  StreamName,
  type Vector,
} from '../../contracts/store/protocol.ts'
import type { Ctx } from '../core/context.ts'
import type { Tx } from '../core/db/transact.ts'
import { changesOf } from './changes.ts'
import type { StoreSeal } from './store-seal.ts'

/** Takes one fact of another lane, inside the transaction that moves the cursor. A throw sets the fact aside. */
export type TakeFact = (tx: Tx, fact: ForeignFact) => void

const Cursor = z.object({ stream: StreamName, seq: Seq })

/** Taken in one commit: some milliseconds. */
const AT_ONCE = 20

export const HEAR = `INSERT INTO store_heard (stream, seq, proof) VALUES (?, ?, ?)
  ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, proof = excluded.proof WHERE excluded.seq >= seq`

type Proofs = NonNullable<PullAnswer['proofs']>

export type ForeignFacts = ReturnType<typeof createForeignFacts>

/** What the other lanes told, taken once each; `cursor` keeps how far this lane has come in it. */
function createForeignFacts(ctx: Ctx, cursor: 'store_cursor' | 'store_change_cursor') {
  const { db, transact, clock, log } = ctx
  const cursors = db.prepare<[], { stream: string; seq: number }>(`SELECT stream, seq FROM ${cursor}`)
  const cursorOf = db.prepare<[string], number>(`SELECT seq FROM ${cursor} WHERE stream = ?`).pluck()
  const advance = db.prepare(
    `INSERT INTO ${cursor} (stream, seq) VALUES (?, ?)
      ON CONFLICT (stream) DO UPDATE SET seq = max(seq, excluded.seq)`,
  )
  const forget = db.prepare(`DELETE FROM ${cursor} WHERE stream = ?`)
  const hear = db.prepare(HEAR)
  const setAside = db.prepare(
    'INSERT OR IGNORE INTO store_aside (stream, seq, kind, subject, reason, at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const asideCount = db.prepare<[], number>('SELECT count(*) FROM store_aside').pluck()
  const takes = new Map<string, TakeFact>()
  forgetImplausible()

  /** A cursor that no server can have given is never sent to one: its stream is read again from the beginning. */
  function forgetImplausible(): void {
    const implausible = cursors.all().filter((row) => !Cursor.safeParse(row).success)
    if (implausible.length === 0) return
    transact((tx) => {
      for (const { stream } of implausible) tx.run(forget, stream)
    })
    log.warn(
      { cursors: implausible.map(({ stream, seq }) => ({ stream: stream.slice(0, 40), seq })) },
      'implausible cursors were dropped; their streams are read again from the beginning',
    )
  }

  function takeOne(tx: Tx, fact: ForeignFact): void {
    const { stream, seq, kind, subject } = fact
    if (seq <= (cursorOf.get(stream) ?? 0)) return
    try {
      // A savepoint: what it wrote before it threw is taken back, and nothing else.
      transact((inner) => takes.get(kind)?.(inner, fact))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      tx.run(setAside, stream, seq, kind, subject, reason.slice(0, 200), clock.now())
      log.warn({ stream, seq, kind }, 'a fact of another lane was set aside')
    }
    tx.run(advance, stream, seq)
  }

  /** Facts of each stream in their order, then where the reader stands behind them: one commit. */
  function take(facts: readonly ForeignFact[], vector: Vector, proofs: Proofs = {}): void {
    transact((tx) => {
      for (const fact of facts) takeOne(tx, fact)
      for (const [stream, seq] of Object.entries(vector)) {
        const proof = proofs[stream]
        tx.run(advance, stream, seq)
        if (proof !== undefined) tx.run(hear, stream, seq, proof)
      }
    })
  }

  return {
    /** Whose facts of this kind are wanted, and who takes them. */
    follow: (kind: string, take: TakeFact): void => {
      takes.set(kind, take)
    },
    kinds: (): string[] => [...takes.keys()],
    vector: (): Vector => Object.fromEntries(cursors.all().map(({ stream, seq }) => [stream, seq])),
    take,
    /** The same in a few commits, with whatever else waits between them: a lane that was off hears of much at once. */
    async takeAll(facts: readonly ForeignFact[], vector: Vector, proofs: Proofs = {}): Promise<void> {
      for (let from = 0; from < facts.length; from += AT_ONCE) {
        take(facts.slice(from, from + AT_ONCE), {})
        await breathe()
      }
      take([], vector, proofs)
    },
    aside: (): number => asideCount.get() ?? 0,
  }
}

export type ForeignGroups = ReturnType<typeof createForeignGroups>

/**
 * What other lanes tell, by two cursors. What is closed is taken once. What managers change may be taken again without
 * harm: so another program than the one before reads it from the beginning, and misses nothing that came while an older
 * one ran, which did not know its kind or could not read it.
 */
export function createForeignGroups(ctx: Ctx, version: string, storeSeal: () => StoreSeal | null) {
  const { db, transact } = ctx
  const changes = changesOf(ctx)
  const closed = createForeignFacts(ctx, 'store_cursor')
  const changed = createForeignFacts(ctx, 'store_change_cursor')
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
