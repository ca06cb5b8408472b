import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { BadgeSecret } from '../../../contracts/store/changes.ts'
import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'
import { placeOf, type Seal } from '../../outbox/seal.ts'
import type { Changes } from '../../store/changes/changes.ts'
import { compareStamps } from '../../store/changes/order.ts'

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
