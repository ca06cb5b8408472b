import { createHmac } from 'node:crypto'
import type { Staff } from '../../../contracts/api/session.ts'
import type { Tx } from '../../db/transact.ts'
import { ProblemError } from '../../http/problem.ts'
import type { AuditTrail } from './audit.ts'
import type { StaffRepository } from './repository.ts'
import type { StoreBadges } from './store-badges.ts'

export interface BadgesOptions {
  readonly rows: StaffRepository
  readonly audit: Pick<AuditTrail, 'record'>
  /** Of the PIN verifiers; never in the database. */
  readonly key: Uint8Array
  readonly atOnce: <Result>(work: (tx: Tx) => Result) => Result
  /** Whether the store lets a badge sign in now. */
  readonly allowed: () => boolean
  /** Why a person may not sign in at all now. Throws ProblemError. */
  readonly refuseLocked: (staffId: string) => void
  /** Badges of the store; left out: nobody follows. */
  readonly store?: StoreBadges | undefined
}

export type Badges = ReturnType<typeof createBadges>

/**
 * Badges of the staff. A badge says who stands there and nothing more: it signs in where the store lets it, and
 * approves nothing. The database holds a keyed hash of its number.
 */
export function createBadges({ rows, audit, key, atOnce, allowed, refuseLocked, store }: BadgesOptions) {
  const hashOf = (number: string): Buffer =>
    createHmac('sha256', key).update(`staff badge ${number.trim().toUpperCase()}`).digest()

  function refuse(code: 'badges-off' | 'badge-unknown' | 'badge-inactive', staffId?: string): ProblemError {
    atOnce((tx) => {
      audit.record(tx, {
        kind: 'badge-refused',
        actorId: null,
        ...(staffId === undefined ? {} : { subject: staffId }),
        detail: { reason: code },
      })
    })
    return new ProblemError(code)
  }

  /** Whose badge it is, also where it was given at another lane: from then on it is known here. */
  function whose(number: string) {
    const own = rows.byBadge(hashOf(number))
    const foreign = store?.holder(number, own?.id)
    if (foreign && !own)
      atOnce((tx) => {
        store?.learn(tx, foreign.id, hashOf(number), foreign.active)
      })
    return foreign ?? own
  }

  /** Whose badge it is. Throws ProblemError `badges-off`, `badge-unknown`, `badge-inactive`. */
  function holder(number: string): Staff {
    if (!allowed()) throw refuse('badges-off')
    const known = whose(number)
    if (!known) throw refuse('badge-unknown')
    const person = known.active ? rows.find(known.id) : undefined
    if (!person) throw refuse('badge-inactive', known.id)
    return person
  }

  /** The same, for a person who has a PIN of their own and is not locked. */
  function signIn(number: string): Staff {
    const person = holder(number)
    const credentials = rows.credentials(person.id)
    if (credentials?.pinHash == null) throw new ProblemError('pin-not-set')
    if (credentials.temporary) throw new ProblemError('pin-change-required')
    refuseLocked(person.id)
    return person
  }

  return {
    signIn,
    /** Another badge takes the place of the one before. Throws ProblemError `not-found`, `badge-taken`. */
    assign(tx: Tx, staffId: string, number: string, actorId: string): void {
      if (!rows.find(staffId)) throw new ProblemError('not-found')
      const hash = hashOf(number)
      const own = rows.byBadge(hash)
      const other = store?.holder(number, own?.id) ?? own
      if (other && other.id !== staffId) throw new ProblemError('badge-taken')
      // Whoever had it at this lane before another gave it away elsewhere.
      if (own && own.id !== staffId) rows.dropBadge(tx, own.id)
      rows.setBadge(tx, staffId, hash)
      store?.given(tx, staffId, number, actorId)
      audit.record(tx, { kind: 'badge-set', actorId, subject: staffId })
    },
    /** A lost badge: it stays known, so that whoever brings it is told why it opens nothing. */
    deactivate(tx: Tx, staffId: string, actorId: string): void {
      if (rows.badgeOf(staffId) !== 'active') throw new ProblemError('not-found')
      rows.setBadgeActive(tx, staffId, false)
      store?.deactivated(tx, staffId, actorId)
      audit.record(tx, { kind: 'badge-deactivated', actorId, subject: staffId })
    },
  }
}
