import type { Staff, StaffLock } from '../../contracts/staff/session.ts'
import { StaffId } from '../../contracts/core/ids.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import type { Database } from '../core/db/database.ts'
import type { Tx } from '../core/db/transact.ts'

export interface Credentials {
  readonly pinHash: string | null
  /** Whether another person set the PIN: its owner must then change it before use. */
  readonly temporary: boolean
  /**
   * PIN that another lane of the store set, which was not used at this lane since; null if the lane's own PIN counts.
   */
  readonly ofStore: StorePin | null
}

/** A PIN verifier with a key generated for it; this lane's key seals that key. */
export interface StorePin {
  readonly verifier: string
  readonly keySealed: Uint8Array
  readonly temporary: boolean
}

interface CredentialsRow {
  pin_hash: string | null
  pin_temporary: 0 | 1
  verifier: string | null
  keySealed: Uint8Array | null
  temporary: 0 | 1 | null
}

function credentialsOf(row: CredentialsRow): Credentials {
  const { verifier, keySealed } = row
  if (verifier === null || keySealed === null)
    return { pinHash: row.pin_hash, temporary: row.pin_temporary === 1, ofStore: null }
  const temporary = row.temporary === 1
  return { pinHash: verifier, temporary, ofStore: { verifier, keySealed, temporary } }
}

interface StaffRow {
  id: string
  name: string
  role: Staff['role']
  locale: Locale
}

export interface StaffRecord extends Staff {
  readonly active: boolean
  /** JSON of the profile entry of the person that was applied last; null for a person who is not in the profile. */
  readonly profileEntry: string | null
}

const staffOf = ({ id, name, role, locale }: StaffRow): Staff => ({ id: StaffId.parse(id), name, role, locale })

type StoredRecord = StaffRow & { readonly active: 0 | 1; readonly profileEntry: string | null }

const BY_ROLE = "CASE role WHEN 'manager' THEN 1 WHEN 'supervisor' THEN 2 ELSE 3 END"
const RECORD = 'SELECT id, name, role, locale, active, profile_entry AS profileEntry FROM staff'
const recordOf = ({ active, ...row }: StoredRecord): StaffRecord => ({
  ...row,
  id: StaffId.parse(row.id),
  active: active === 1,
})

export function createStaffRepository(db: Database) {
  const selectActive = db.prepare<[], StaffRow>(
    `SELECT id, name, role, locale FROM staff WHERE active = 1 ORDER BY ${BY_ROLE}, name, id`,
  )
  const selectOne = db.prepare<[string], StaffRow>(
    'SELECT id, name, role, locale FROM staff WHERE id = ? AND active = 1',
  )
  const selectCredentials = db.prepare<[string], CredentialsRow>(
    `SELECT pin_hash, pin_temporary, verifier, key_sealed AS keySealed, temporary FROM staff
      LEFT JOIN staff_store_pin ON staff_id = id AND in_place_of IS pin_hash WHERE id = ? AND active = 1`,
  )
  const upsertStorePin = db.prepare(
    `INSERT INTO staff_store_pin (staff_id, verifier, key_sealed, temporary, in_place_of)
      SELECT id, @verifier, @keySealed, @temporary, pin_hash FROM staff WHERE id = @id
      ON CONFLICT (staff_id) DO UPDATE SET verifier = excluded.verifier, key_sealed = excluded.key_sealed,
      temporary = excluded.temporary, in_place_of = excluded.in_place_of`,
  )
  const dropStorePin = db.prepare('DELETE FROM staff_store_pin WHERE staff_id = ?')
  const insert = db.prepare('INSERT INTO staff (id, name, role, locale, profile_entry) VALUES (?, ?, ?, ?, ?)')
  const selectAny = db.prepare<[string], StoredRecord>(`${RECORD} WHERE id = ?`)
  const selectAll = db.prepare<[], StoredRecord>(`${RECORD} ORDER BY active DESC, ${BY_ROLE}, name, id`)
  const update = db.prepare(
    'UPDATE staff SET name = @name, role = @role, locale = @locale, active = @active WHERE id = @id',
  )
  const updateEntry = db.prepare('UPDATE staff SET profile_entry = ? WHERE id = ?')
  const updatePin = db.prepare('UPDATE staff SET pin_hash = ?, pin_temporary = ? WHERE id = ?')
  const updateLocale = db.prepare('UPDATE staff SET locale = ? WHERE id = ?')

  return {
    active: (): Staff[] => selectActive.all().map(staffOf),
    find(id: string): Staff | undefined {
      const row = selectOne.get(id)
      return row && staffOf(row)
    },
    nameOf: (id: string): string | undefined => selectAny.get(id)?.name,
    credentials(id: string): Credentials | undefined {
      const row = selectCredentials.get(id)
      return row && credentialsOf(row)
    },
    record(id: string): StaffRecord | undefined {
      const row = selectAny.get(id)
      return row && recordOf(row)
    },
    all: (): StaffRecord[] => selectAll.all().map(recordOf),
    insert(tx: Tx, { id, name, role, locale }: Staff, profileEntry: string | null): void {
      tx.run(insert, id, name, role, locale, profileEntry)
    },
    update(tx: Tx, id: string, { active, ...change }: Pick<StaffRecord, 'name' | 'role' | 'locale' | 'active'>): void {
      tx.run(update, { id, ...change, active: active ? 1 : 0 })
    },
    setProfileEntry(tx: Tx, id: string, entry: string | null): void {
      tx.run(updateEntry, entry, id)
    },
    setPinHash(tx: Tx, id: string, hash: string, { temporary }: { readonly temporary: boolean }): void {
      tx.run(updatePin, hash, temporary ? 1 : 0, id)
      tx.run(dropStorePin, id)
    },
    setStorePin(tx: Tx, id: string, { verifier, keySealed, temporary }: StorePin): void {
      tx.run(upsertStorePin, { id, verifier, keySealed, temporary: temporary ? 1 : 0 })
    },
    setLocale(tx: Tx, id: string, locale: Locale): void {
      tx.run(updateLocale, locale, id)
    },
  }
}

interface StoreBadgeRow {
  readonly staffId: string
  readonly hash: Buffer
  readonly keySealed: Buffer
}

export function createBadgeRows(db: Database) {
  const selectBadge = db.prepare<[Uint8Array], { id: string; active: 0 | 1 }>(
    'SELECT id, badge_active AS active FROM staff WHERE badge_hash = +?',
  )
  const selectBadgeState = db
    .prepare<[string], StaffLock['badge']>(
      `SELECT CASE coalesce(iif(badge_hash IS NULL, badge.active, badge_active), -1) WHEN 1 THEN 'active'
        WHEN 0 THEN 'inactive' ELSE 'none' END FROM staff LEFT JOIN staff_store_badge AS badge
        ON badge.staff_id = staff.id AND badge.of_hash IS badge_hash WHERE staff.id = +?`,
    )
    .pluck()
  const dropBadge = db.prepare('UPDATE staff SET badge_hash = NULL WHERE id = ?')
  const updateBadgeActive = db.prepare('UPDATE staff SET badge_active = ? WHERE id = ?')
  const updateOwn = db.prepare('UPDATE staff SET badge_hash = ?, badge_active = ? WHERE id = ?')

  const columns = 'staff_id AS staffId, hash, key_sealed AS keySealed'
  const selectOfStore = db.prepare<[string], StoreBadgeRow>(
    `SELECT ${columns} FROM staff_store_badge JOIN staff ON id = staff_id AND of_hash IS badge_hash WHERE staff_id = ?`,
  )
  const selectForeign = db.prepare<[], StoreBadgeRow & { active: 0 | 1 }>(
    `SELECT ${columns}, staff_store_badge.active FROM staff_store_badge JOIN staff ON id = staff_id
      WHERE of_hash IS NULL AND badge_hash IS NULL`,
  )
  const upsertStoreBadge = db.prepare(
    `INSERT INTO staff_store_badge (staff_id, hash, key_sealed, active, of_hash)
      SELECT id, @hash, @keySealed, @active, badge_hash FROM staff WHERE id = @id ON CONFLICT (staff_id) DO UPDATE
      SET hash = excluded.hash, key_sealed = excluded.key_sealed, active = excluded.active, of_hash = excluded.of_hash`,
  )
  const updateActiveOfStore = db.prepare('UPDATE staff_store_badge SET active = ? WHERE staff_id = ?')
  const updatePlace = db.prepare('UPDATE staff_store_badge SET of_hash = ? WHERE staff_id = ?')

  return {
    byHash(hash: Uint8Array): { readonly id: string; readonly active: boolean } | undefined {
      const row = selectBadge.get(hash)
      return row && { id: row.id, active: row.active === 1 }
    },
    stateOf: (id: string): StaffLock['badge'] => selectBadgeState.get(id) ?? 'none',
    setOwn(tx: Tx, id: string, hash: Uint8Array | null, active: boolean): void {
      tx.run(updateOwn, hash, active ? 1 : 0, id)
    },
    drop(tx: Tx, id: string): void {
      tx.run(dropBadge, id)
    },
    setActive(tx: Tx, id: string, active: boolean): void {
      tx.run(updateBadgeActive, active ? 1 : 0, id)
    },
    /** Badge of a person that another lane assigned, unless this lane has assigned one since. */
    ofStore: (id: string): StoreBadgeRow | undefined => selectOfStore.get(id),
    foreign: () => selectForeign.all(),
    putOfStore(tx: Tx, row: { id: string; hash: Buffer; keySealed: Uint8Array; active: 0 | 1 }): void {
      tx.run(upsertStoreBadge, row)
    },
    setActiveOfStore(tx: Tx, id: string, active: boolean): void {
      tx.run(updateActiveOfStore, active ? 1 : 0, id)
    },
    setPlaceOf(tx: Tx, id: string, ownHash: Uint8Array): void {
      tx.run(updatePlace, ownHash, id)
    },
  }
}

/**
 * Context in which a PIN is entered, and whose attempts are counted. At the sign-in screen: the owner of the PIN. At an
 * approval: the person who asks (a limit per person), and the owner of the PIN (a limit over all people), both separate
 * from sign-in, so that attempts at a sale lock no one out of the store.
 */
export type PinContext = 'sign-in' | 'approval-asker' | 'approval-approver'

export interface PinLimitRow {
  readonly failed: number
  readonly lockouts: number
  readonly lockedMs: number | null
  readonly writtenAtUptimeMs: number | null
}

export type PinLimitRepository = ReturnType<typeof createPinLimitRepository>

export function createPinLimitRepository(db: Database) {
  const select = db.prepare<[string, string], PinLimitRow>(
    `SELECT failed, lockouts, locked_ms AS lockedMs, written_at_uptime_ms AS writtenAtUptimeMs FROM pin_door
      WHERE door = ? AND staff_id = ?`,
  )
  const put = db.prepare(`INSERT INTO pin_door (door, staff_id, failed, lockouts, locked_ms, written_at_uptime_ms)
      VALUES (@door, @staffId, @failed, @lockouts, @lockedMs, @writtenAtUptimeMs)
    ON CONFLICT (door, staff_id) DO UPDATE
    SET failed = excluded.failed, lockouts = excluded.lockouts, locked_ms = excluded.locked_ms,
    written_at_uptime_ms = excluded.written_at_uptime_ms`)
  const remove = db.prepare('DELETE FROM pin_door WHERE door = ? AND staff_id = ?')
  return {
    find: (context: PinContext, staffId: string): PinLimitRow | undefined => select.get(context, staffId),
    put: (tx: Tx, context: PinContext, staffId: string, row: PinLimitRow): void => {
      tx.run(put, { door: context, staffId, ...row })
    },
    remove: (tx: Tx, context: PinContext, staffId: string): void => {
      tx.run(remove, context, staffId)
    },
  }
}
