import type { Database } from '../core/db/database.ts'
import type { Tx } from '../core/db/transact.ts'

export interface Stream {
  readonly epoch: number
  readonly name: string
  readonly confirmed: number
}

export interface FactRow {
  readonly seq: number
  readonly kind: string
  readonly subject: string
}

export const NEXT_FACTS = `SELECT seq, kind, subject FROM store_fact WHERE epoch = @epoch AND seq > @confirmed
  ORDER BY seq LIMIT @limit`
/** Never negative: after a restore the server may have more facts of a stream than this lane. */
export const UNCONFIRMED_COUNT = `SELECT coalesce(sum(max(0, newest - told)), 0) FROM (SELECT told,
  coalesce((SELECT max(seq) FROM store_fact WHERE epoch = stream.epoch), 0) AS newest FROM store_stream AS stream)`

export type FactsRepository = ReturnType<typeof createFactsRepository>

/** Facts that this lane sends to its store server, and how far the server has confirmed each stream. */
export function createFactsRepository(db: Database) {
  const streams = db.prepare<[], Stream>('SELECT epoch, name, told AS confirmed FROM store_stream ORDER BY epoch')
  const next = db.prepare<{ epoch: number; confirmed: number; limit: number }, FactRow>(NEXT_FACTS)
  const unconfirmed = db.prepare<[], number>(UNCONFIRMED_COUNT).pluck()
  const newest = db.prepare<[number], number>('SELECT coalesce(max(seq), 0) FROM store_fact WHERE epoch = ?').pluck()
  const confirm = db.prepare('UPDATE store_stream SET told = @seq WHERE epoch = @epoch AND told <> @seq')
  const moveToNewest = db.prepare(
    `INSERT INTO store_told (kind, subject) SELECT kind, subject FROM store_fact
      WHERE epoch = @epoch AND seq > (SELECT told FROM store_stream WHERE epoch = @epoch) ORDER BY seq`,
  )
  return {
    streams: (): Stream[] => streams.all(),
    next: ({ epoch, confirmed }: Pick<Stream, 'epoch' | 'confirmed'>, limit: number): FactRow[] =>
      next.all({ epoch, confirmed, limit }),
    newest: (epoch: number): number => newest.get(epoch) ?? 0,
    unconfirmed: (): number => unconfirmed.get() ?? 0,
    /**
     * Moves unconfirmed facts of an earlier stream to the newest one, because the server has other facts under their
     * numbers.
     */
    leave: (tx: Tx, epoch: number): void => {
      tx.run(moveToNewest, { epoch })
      tx.run(confirm, { epoch, seq: newest.get(epoch) ?? 0 })
    },
    confirm: (tx: Tx, epoch: number, seq: number): void => {
      tx.run(confirm, { epoch, seq })
    },
  }
}
