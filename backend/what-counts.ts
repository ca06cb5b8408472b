import type { Database } from './db/open.ts'
import { STANDS } from './features/maintenance/restore-tables.ts'

/**
 * Entries that a program makes by starting and ending, with nobody at the lane: of its own backups, and that whoever
 * was signed in before the start is not any more.
 */
const BY_ITSELF = `((actor_id IS NULL
    AND kind IN ('backup-made', 'backup-failed', 'backup-copied', 'backup-copy-failed'))
  OR (kind = 'sign-out' AND detail ->> '$.why' = 'restart'))`

/**
 * The heads of the chains and what of each kind there is, in plain SQL over tables and columns that no migration takes
 * away (docs/releases.md): the same answer of two databases says that neither holds an entry, a paper or a call that
 * the other has not, and that neither has handed anything over to the store that the other still has.
 */
const COUNTS = `SELECT json_array(
  (SELECT json_array(seq, hex(hash)) FROM journal_entry ORDER BY seq DESC LIMIT 1),
  (SELECT count(*) FROM audit_entry WHERE NOT ${BY_ITSELF}),
  (SELECT json_array(id, hex(hash)) FROM audit_entry WHERE NOT ${BY_ITSELF} ORDER BY id DESC LIMIT 1),
  (SELECT json_group_array(json_array(state, number, begun)) FROM (
    SELECT state, count(*) AS number, count(started_at) AS begun FROM print_job GROUP BY state ORDER BY state)),
  (SELECT count(*) FROM operation_call),
  (SELECT max(number) FROM lane_epoch),
  (SELECT json_group_array((SELECT max(seq) FROM store_fact WHERE epoch = stream.epoch))
    FROM (SELECT epoch FROM store_stream ORDER BY epoch) AS stream),
  (SELECT json_group_array(json_array(id, state)) FROM (SELECT id, state FROM store_hold ORDER BY id)),
  (${STANDS}))`

/** One text that moves with the journal, the audit trail, papers, calls, and all that a restore would name. */
export const whatCounts = (db: Database): string => db.prepare<[], string>(COUNTS).pluck().get() ?? ''

/** Number of the newest journal entry; 0 where there is none. */
export const newestEntry = (db: Database): number =>
  db.prepare<[], number | null>('SELECT max(seq) FROM journal_entry').pluck().get() ?? 0
