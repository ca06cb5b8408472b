import { setImmediate as breathe } from 'node:timers/promises'
import { z } from 'zod'
import {
  type ForeignFact,
  type ProvenVector,
  type PullAnswer,
  Seq,
  StreamName,
  type Vector,
} from '../../contracts/store/protocol.ts'
import type { Ctx } from '../core/context.ts'
import type { Tx } from '../core/db/transact.ts'
import { changesOf } from './changes.ts'
import type { StoreSeal } from './store-seal.ts'

/**
 * Handles one fact of another lane, in the transaction that records it as read. A fact for which it throws is skipped
 * and recorded.
 */
export type TakeFact = (tx: Tx, fact: ForeignFact) => void

const Cursor = z.object({ stream: StreamName, seq: Seq })

/** Number of facts per commit, which takes a few milliseconds. */
const AT_ONCE = 20

export const RECORD_PROOF = `INSERT INTO store_heard (stream, seq, proof) VALUES (?, ?, ?)
  ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, proof = excluded.proof WHERE excluded.seq >= seq`

type Proofs = NonNullable<PullAnswer['proofs']>

export type ForeignFacts = ReturnType<typeof createForeignFacts>

/** Reads each fact of the other lanes once; `cursor`: table with the last number read of each stream. */
function createForeignFacts(ctx: Ctx, cursor: 'store_cursor' | 'store_change_cursor') {
  const { db, transact, clock, log } = ctx
  const cursors = db.prepare<[], { stream: string; seq: number }>(`SELECT stream, seq FROM ${cursor}`)
  const cursorOf = db.prepare<[string], number>(`SELECT seq FROM ${cursor} WHERE stream = ?`).pluck()
  const advance = db.prepare(
    `INSERT INTO ${cursor} (stream, seq) VALUES (?, ?)
      ON CONFLICT (stream) DO UPDATE SET seq = max(seq, excluded.seq)`,
  )
  const forget = db.prepare(`DELETE FROM ${cursor} WHERE stream = ?`)
  const recordProof = db.prepare(RECORD_PROOF)
  const insertSkipped = db.prepare(
    'INSERT OR IGNORE INTO store_aside (stream, seq, kind, subject, reason, at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const countSkipped = db.prepare<[], number>('SELECT count(*) FROM store_aside').pluck()
  const takes = new Map<string, TakeFact>()
  forgetImplausible()

  /** Deletes cursors that the server cannot have given, so that their streams are read again from the start. */
  function forgetImplausible(): void {
    const implausible = cursors.all().filter((row) => !Cursor.safeParse(row).success)
    if (implausible.length === 0) return
    transact((tx) => {
      for (const { stream } of implausible) tx.run(forget, stream)
    })
    log.warn(
      { cursors: implausible.map(({ stream, seq }) => ({ stream: stream.slice(0, 40), seq })) },
      'dropped implausible cursors; their streams are read again from the start',
    )
  }

  function takeOne(tx: Tx, fact: ForeignFact): void {
    const { stream, seq, kind, subject } = fact
    if (seq <= (cursorOf.get(stream) ?? 0)) return
    try {
      // In a savepoint of its own, so that a handler that throws loses only its own writes.
      transact((inner) => takes.get(kind)?.(inner, fact))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      tx.run(insertSkipped, stream, seq, kind, subject, reason.slice(0, 200), clock.now())
      log.warn({ stream, seq, kind }, 'skipped a fact of another lane that could not be applied')
    }
    tx.run(advance, stream, seq)
  }

  function take(facts: readonly ForeignFact[], vector: Vector, proofs: Proofs = {}): void {
    transact((tx) => {
      for (const fact of facts) takeOne(tx, fact)
      for (const [stream, seq] of Object.entries(vector)) {
        const proof = proofs[stream]
        tx.run(advance, stream, seq)
        if (proof !== undefined) tx.run(recordProof, stream, seq, proof)
      }
    })
  }

  return {
    follow: (kind: string, take: TakeFact): void => {
      takes.set(kind, take)
    },
    kinds: (): string[] => [...takes.keys()],
    vector: (): Vector => Object.fromEntries(cursors.all().map(({ stream, seq }) => [stream, seq])),
    take,
    async takeAll(facts: readonly ForeignFact[], vector: Vector, proofs: Proofs = {}): Promise<void> {
      for (let from = 0; from < facts.length; from += AT_ONCE) {
        take(facts.slice(from, from + AT_ONCE), {})
        await breathe()
      }
      take([], vector, proofs)
    },
    skipped: (): number => countSkipped.get() ?? 0,
  }
}

export type ForeignGroups = ReturnType<typeof createForeignGroups>

/**
 * Facts of other lanes, with two sets of cursors. Closed documents are read once. Changes by managers may be applied
 * any number of times: after a program update all are read again, because the older program may have skipped some.
 */
export function createForeignGroups(ctx: Ctx, version: string, storeSeal: () => StoreSeal | null) {
  const { db, transact } = ctx
  const changes = changesOf(ctx)
  const closed = createForeignFacts(ctx, 'store_cursor')
  const changed = createForeignFacts(ctx, 'store_change_cursor')
  const proofRows = db.prepare<[], ProvenVector[string] & { stream: string }>(
    'SELECT stream, seq, proof FROM store_heard',
  )
  const recordProof = db.prepare(RECORD_PROOF)
  const known = db.prepare<[], string>('SELECT kinds FROM store_change_kinds').pluck()
  const setKnown = db.prepare(
    `INSERT INTO store_change_kinds (id, kinds) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET kinds = excluded.kinds`,
  )
  const resetCursors = db.prepare('DELETE FROM store_change_cursor')
  const clearSkipped = db.prepare('DELETE FROM store_aside WHERE kind IN (SELECT value FROM json_each(?))')
  const pulled = (): ForeignFacts[] => [closed, changed].filter((group) => group.kinds().length > 0)

  return {
    follow: (kind: string, take: TakeFact): void => {
      closed.follow(kind, take)
    },
    /** Starts to read changes. Call it when every kind of change has its handler. */
    followChanges(): void {
      const kinds = changes.kinds()
      for (const kind of kinds)
        changed.follow(kind, (tx, fact) => {
          changes.take(tx, fact, storeSeal())
        })
      // The version is an entry of the list of kinds, because the previous release compares only that list.
      const reads = JSON.stringify([...kinds.toSorted(), `program ${version}`])
      if (reads === known.get()) return
      transact((tx) => {
        tx.run(resetCursors)
        tx.run(clearSkipped, JSON.stringify(kinds))
        tx.run(setKnown, reads)
      })
    },
    pulled,
    readChangesAgain(): void {
      transact((tx) => {
        tx.run(resetCursors)
      })
    },
    kinds: (): string[] => pulled().flatMap((group) => group.kinds()),
    vector(): Vector {
      const [first, ...others] = pulled().map((group) => group.vector())
      return others.reduce((least, vector) => leastOf(least, vector), first ?? {})
    },
    /**
     * Stores how far the server proves that this lane has read each stream; call it even when there are no new facts.
     */
    recordProofs(proven: ProvenVector): void {
      const all = Object.entries(proven)
      if (all.length === 0) return
      transact((tx) => {
        for (const [stream, { seq, proof }] of all) tx.run(recordProof, stream, seq, proof)
      })
    },
    provenPositions: (): ProvenVector => Object.fromEntries(proofRows.all().map(({ stream, ...of }) => [stream, of])),
    skipped: closed.skipped,
  }
}

const leastOf = (one: Vector, other: Vector): Vector =>
  Object.fromEntries(
    Object.entries(one).flatMap(([stream, seq]) => {
      const there = other[stream]
      return there === undefined ? [] : [[stream, Math.min(seq, there)]]
    }),
  )
