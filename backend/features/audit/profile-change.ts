import { createHash } from 'node:crypto'
import type { Profile } from '../../../contracts/profile.ts'
import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'
import type { AuditTrail } from '../staff/audit.ts'

const DIGEST_CHARACTERS = 12
/** Ordered by id and not by time: the clock may have been ahead when an earlier entry was written. */
const LAST = `SELECT detail ->> '$.digests' FROM audit_entry INDEXED BY audit_entry_kind WHERE kind = 'profile-changed'
  ORDER BY id DESC LIMIT 1`

/**
 * The profile is the lane's settings: a start with another than the last one stands in the trail, with the names of the
 * sections that differ. Digests alone are kept: what a profile says may be nobody's business who reads the trail.
 */
export function recordProfile(tx: Tx, db: Database, audit: Pick<AuditTrail, 'record'>, profile: Profile): void {
  const now = Object.entries(profile).map(([section, value]) => `${section}=${digestOf(value)}`)
  const digests = now.join(' ')
  const before = db.prepare<[], string>(LAST).pluck().get()
  if (before === digests) return
  const was = new Set(before?.split(' '))
  const names = (entries: readonly string[]): string[] => entries.map((entry) => entry.slice(0, entry.indexOf('=')))
  const changed = names(now.filter((entry) => !was.has(entry)))
  const gone = names([...was]).filter((section) => !names(now).includes(section))
  audit.record(tx, {
    kind: 'profile-changed',
    actorId: null,
    detail: { changed: before === undefined ? null : [...changed, ...gone].join(', '), digests },
  })
}

const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')
    .slice(0, DIGEST_CHARACTERS)
