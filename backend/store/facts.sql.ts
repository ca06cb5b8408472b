import type { Database } from '../core/db/database.ts'
import type { Tx } from '../core/db/transact.ts'

/** A history of this database (migration 0002). */
export interface Stream {
  readonly epoch: number
  readonly name: string
  /** The last number that the server has confirmed. */
  readonly told: number
}

export interface FactRow {
  readonly seq: number
  readonly kind: string
  readonly subject: string
}

export const NEXT_FACTS = `SELECT seq, kind, subject FROM store_fact WHERE epoch = @epoch AND seq > @told
  ORDER BY seq LIMIT @limit`
/** Of a stream that a restore has cut short the server may have more than this lane: that is none less to tell. */
export const UNTOLD = `SELECT coalesce(sum(max(0, newest - told)), 0) FROM (SELECT told,
  coalesce((SELECT max(seq) FROM store_fact WHERE epoch = stream.epoch), 0) AS newest FROM store_stream AS stream)`

export type FactsRepository = ReturnType<typeof createFactsRepository>

/** What this lane has to tell its store, and how far it has. */
export function createFactsRepository(db: Database) {
  const streams = db.prepare<[], Stream>('SELECT epoch, name, told FROM store_stream ORDER BY epoch')
  const next = db.prepare<{ epoch: number; told: number; limit: number }, FactRow>(NEXT_FACTS)
  const untold = db.prepare<[], number>(UNTOLD).pluck()
  const newest = db.prepare<[number], number>('SELECT coalesce(max(seq), 0) FROM store_fact WHERE epoch = ?').pluck()
  const confirm = db.prepare('UPDATE store_stream SET told = @told WHERE epoch = @epoch AND told <> @told')
  const tellInNewest = db.prepare(
    `INSERT INTO store_told (kind, subject) SELECT kind, subject FROM store_fact
      WHERE epoch = @epoch AND seq > (SELECT told FROM store_stream WHERE epoch = @epoch) ORDER BY seq`,
  )
  return {
    /** Oldest first. */
    streams: (): Stream[] => streams.all(),
    /** The next that the server has not confirmed, in their order. */
    next: ({ epoch, told }: Pick<Stream, 'epoch' | 'told'>, limit: number): FactRow[] =>
      next.all({ epoch, told, limit }),
    /** The last number of a history. */
    newest: (epoch: number): number => newest.get(epoch) ?? 0,
    /** How many the server has not confirmed. */
    untold: (): number => untold.get() ?? 0,
    /** What was not told of an earlier history is told in the newest: under their own numbers others were told. */
    leave: (tx: Tx, epoch: number): void => {
      tx.run(tellInNewest, { epoch })
      tx.run(confirm, { epoch, told: newest.get(epoch) ?? 0 })
    },
    confirm: (tx: Tx, epoch: number, told: number): void => {
      tx.run(confirm, { epoch, told })
    },
  }
}
