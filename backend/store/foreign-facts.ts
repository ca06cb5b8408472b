import { setImmediate as breathe } from 'node:timers/promises'
import { z } from 'zod'
import { Seq, StreamName, type ForeignFact, type PullAnswer, type Vector } from '../../contracts/store/protocol.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Transact, Tx } from '../db/transact.ts'
import type { Logger } from '../log.ts'

/** Takes one fact of another lane, inside the transaction that moves the cursor. A throw sets the fact aside. */
export type TakeFact = (tx: Tx, fact: ForeignFact) => void

export interface ForeignFactsOptions {
  readonly db: Database
  readonly transact: Transact
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Logger, 'warn'>
  /** Where it keeps how far it has come. */
  readonly cursor?: 'store_cursor' | 'store_change_cursor'
}

const Cursor = z.object({ stream: StreamName, seq: Seq })

/** Taken in one commit: some milliseconds. */
const AT_ONCE = 20

export const HEAR = `INSERT INTO store_heard (stream, seq, proof) VALUES (?, ?, ?)
  ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, proof = excluded.proof WHERE excluded.seq >= seq`

type Proofs = NonNullable<PullAnswer['proofs']>

export type ForeignFacts = ReturnType<typeof createForeignFacts>

/** What the other lanes told, taken once each, and how far this lane has come in it. */
export function createForeignFacts({ db, transact, clock, log, cursor = 'store_cursor' }: ForeignFactsOptions) {
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
