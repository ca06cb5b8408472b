import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Staff } from '../../contracts/staff/session.ts'
import type { Tx } from '../core/db/transact.ts'
import { ProblemError } from '../core/problem.ts'
import type { AuditTrail } from '../core/audit.ts'
import type { StaffRepository } from './staff.sql.ts'
import { BadgeSecret } from '../../contracts/store/changes.ts'
import type { Database } from '../core/db/database.ts'
import { type Seal, placeOf } from '../core/integrity/seal.ts'
import type { Changes } from '../store/changes.ts'
import { compareStamps } from '../store/changes.sql.ts'

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

export interface StoreBadgesOptions {
  readonly db: Database
  readonly seal: Pick<Seal, 'seal' | 'open'>
  readonly changes: Changes
}

export type StoreBadges = ReturnType<typeof createStoreBadges>

const KEY_BYTES = 32
const place = (staffId: string): string => placeOf('staff_store_badge', 'key_sealed', staffId)
const hashUnder = (key: Uint8Array, number: string): Buffer =>
  createHmac('sha256', key).update(`staff badge ${number.trim().toUpperCase()}`).digest()

interface BadgeRow {
  readonly staffId: string
  readonly hash: Buffer
  readonly keySealed: Buffer
}

/**
 * Badges that every lane of the store reads. A lane's own hashes are keyed with the lane's key and say nothing
 * elsewhere; what travels is a hash under a key that was drawn for it alone, as with PINs (decision 0094).
 */
export function createStoreBadges({ db, seal, changes }: StoreBadgesOptions) {
  const COLUMNS = 'staff_id AS staffId, hash, key_sealed AS keySealed'
  const selectOne = db.prepare<[string], BadgeRow>(
    `SELECT ${COLUMNS} FROM staff_store_badge JOIN staff ON id = staff_id AND of_hash IS badge_hash WHERE staff_id = ?`,
  )
  const selectForeign = db.prepare<[], BadgeRow & { active: 0 | 1 }>(
    `SELECT ${COLUMNS}, staff_store_badge.active FROM staff_store_badge JOIN staff ON id = staff_id
      WHERE of_hash IS NULL AND badge_hash IS NULL`,
  )
  const put = db.prepare(
    `INSERT INTO staff_store_badge (staff_id, hash, key_sealed, active, of_hash)
      SELECT id, @hash, @keySealed, @active, badge_hash FROM staff WHERE id = @id ON CONFLICT (staff_id) DO UPDATE
      SET hash = excluded.hash, key_sealed = excluded.key_sealed, active = excluded.active, of_hash = excluded.of_hash`,
  )
  const setActive = db.prepare('UPDATE staff_store_badge SET active = ? WHERE staff_id = ?')
  const setOwn = db.prepare('UPDATE staff SET badge_hash = ?, badge_active = ? WHERE id = ?')
  const setOwnActive = db.prepare('UPDATE staff SET badge_active = ? WHERE id = ?')
  const setOf = db.prepare('UPDATE staff_store_badge SET of_hash = ? WHERE staff_id = ?')

  const isOf = ({ staffId, hash, keySealed }: BadgeRow, number: string): boolean =>
    timingSafeEqual(hash, hashUnder(seal.open(keySealed, place(staffId)), number))

  function keep(tx: Tx, staffId: string, { hash, key }: BadgeSecret, active: boolean): void {
    const keySealed = seal.seal(Buffer.from(key, 'base64'), place(staffId))
    tx.run(put, { id: staffId, hash: Buffer.from(hash, 'base64'), keySealed, active: active ? 1 : 0 })
  }

  function secretOf(staffId: string): BadgeSecret | undefined {
    const row = selectOne.get(staffId)
    return (
      row && {
        hash: row.hash.toString('base64'),
        key: seal.open(row.keySealed, place(staffId)).toString('base64'),
      }
    )
  }

  return {
    /** A badge was given here, and stands among the staff. */
    given(tx: Tx, staffId: string, number: string, actorId: string): void {
      const key = randomBytes(KEY_BYTES)
      const secret = { hash: hashUnder(key, number).toString('base64'), key: key.toString('base64') }
      keep(tx, staffId, secret, true)
      changes.tell(tx, { kind: 'person-badge', subject: staffId, value: { active: true }, byId: actorId, secret })
    },
    /** A badge opens nothing any more. */
    deactivated(tx: Tx, staffId: string, actorId: string): void {
      const secret = secretOf(staffId)
      tx.run(setActive, 0, staffId)
      const value = { active: false }
      changes.tell(tx, { kind: 'person-badge', subject: staffId, value, byId: actorId, ...(secret ? { secret } : {}) })
    },
    /** Takes the place of whatever badge the person had here. Without its secret it only opens nothing any more. */
    take(tx: Tx, staffId: string, secret: unknown, active: boolean): void {
      if (secret === null) {
        if (active) throw new Error('a badge came without its hash')
        tx.run(setOwnActive, 0, staffId)
        tx.run(setActive, 0, staffId)
        return
      }
      const read = BadgeSecret.parse(secret)
      tx.run(setOwn, null, active ? 1 : 0, staffId)
      keep(tx, staffId, read, active)
    },
    /**
     * Whose badge it is of those that were given elsewhere and not read here yet. Two lanes that were apart may give
     * one to two people: it is whose it became last, `own` among them.
     */
    holder(number: string, own: string | undefined): { readonly id: string; readonly active: boolean } | undefined {
      const stampOf = (id: string) => changes.stampOf('person-badge', id)
      let best: { id: string; active: boolean } | undefined
      for (const row of selectForeign.all()) {
        if (!isOf(row, number)) continue
        const rival = best?.id ?? own
        if (rival === undefined || compareStamps(stampOf(row.staffId), stampOf(rival)) > 0)
          best = { id: row.staffId, active: row.active === 1 }
      }
      return best
    },
    /** It was read at this lane, which knows it by a hash of its own from now on. */
    learn(tx: Tx, staffId: string, ownHash: Uint8Array, active: boolean): void {
      tx.run(setOwn, ownHash, active ? 1 : 0, staffId)
      tx.run(setOf, ownHash, staffId)
    },
  }
}
