import type { Staff } from '../../contracts/staff/session.ts'
import { StaffId } from '../../contracts/core/ids.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import type { Database } from '../core/db/database.ts'
import type { Tx } from '../core/db/transact.ts'

export interface Credentials {
  readonly pinHash: string | null
  /** Set by another than its owner: good for nothing but to be changed. */
  readonly temporary: boolean
  /** Set at another lane of the store, and not used here since; null: the lane's own. */
  readonly ofStore: StorePin | null
}

/** A verifier under a key of its own, which is sealed with the lane's. */
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

/** A person as the lane keeps them, also who has left. */
export interface StaffRecord extends Staff {
  readonly active: boolean
  /** JSON of the profile's entry, as it was when it was last taken over; null of who is the lane's own. */
  readonly profileEntry: string | null
}

type StoredRecord = StaffRow & { readonly active: 0 | 1; readonly profileEntry: string | null }

const BY_ROLE = "CASE role WHEN 'manager' THEN 1 WHEN 'supervisor' THEN 2 ELSE 3 END"
const RECORD = 'SELECT id, name, role, locale, active, profile_entry AS profileEntry FROM staff'
const recordOf = ({ active, ...row }: StoredRecord): StaffRecord => ({
  ...row,
  id: StaffId.parse(row.id),
  active: active === 1,
})

export type BadgeState = 'none' | 'active' | 'inactive'

export interface StaffRepository {
  active(): Staff[]
  find(id: string): Staff | undefined
  /** The name of anybody who ever worked here: documents and lists go on naming who has left. */
  nameOf(id: string): string | undefined
  credentials(id: string): Credentials | undefined
  /** Of anybody who ever worked here. */
  record(id: string): StaffRecord | undefined
  /** Everybody, whoever works here first: managers, supervisors, cashiers, then who has left. */
  all(): StaffRecord[]
  insert(tx: Tx, person: Staff, profileEntry: string | null): void
  update(tx: Tx, id: string, change: Pick<StaffRecord, 'name' | 'role' | 'locale' | 'active'>): void
  setProfileEntry(tx: Tx, id: string, entry: string | null): void
  setPinHash(tx: Tx, id: string, hash: string, pin: { readonly temporary: boolean }): void
  setStorePin(tx: Tx, id: string, pin: StorePin): void
  setLocale(tx: Tx, id: string, locale: Locale): void
  /** Of anybody who ever had it. */
  byBadge(hash: Uint8Array): { readonly id: string; readonly active: boolean } | undefined
  badgeOf(id: string): BadgeState
  setBadge(tx: Tx, id: string, hash: Uint8Array): void
  setBadgeActive(tx: Tx, id: string, active: boolean): void
  dropBadge(tx: Tx, id: string): void
}

export function createStaffRepository(db: Database): StaffRepository {
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
  const putStorePin = db.prepare(
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

  const selectBadge = db.prepare<[Uint8Array], { id: string; active: 0 | 1 }>(
    'SELECT id, badge_active AS active FROM staff WHERE badge_hash = +?',
  )
  const selectBadgeState = db
    .prepare<[string], BadgeState>(
      `SELECT CASE coalesce(iif(badge_hash IS NULL, badge.active, badge_active), -1) WHEN 1 THEN 'active'
        WHEN 0 THEN 'inactive' ELSE 'none' END FROM staff LEFT JOIN staff_store_badge AS badge
        ON badge.staff_id = staff.id AND badge.of_hash IS badge_hash WHERE staff.id = +?`,
    )
    .pluck()
  const updateBadge = db.prepare('UPDATE staff SET badge_hash = ?, badge_active = 1 WHERE id = ?')
  const dropBadge = db.prepare('UPDATE staff SET badge_hash = NULL WHERE id = ?')
  const updateBadgeActive = db.prepare('UPDATE staff SET badge_active = ? WHERE id = ?')

  const staffOf = (row: StaffRow): Staff => ({
    id: StaffId.parse(row.id),
    name: row.name,
    role: row.role,
    locale: row.locale,
  })

  return {
    active: () => selectActive.all().map(staffOf),
    find: (id) => {
      const row = selectOne.get(id)
      return row && staffOf(row)
    },
    nameOf: (id) => selectAny.get(id)?.name,
    credentials: (id) => {
      const row = selectCredentials.get(id)
      return row && credentialsOf(row)
    },
    record(id) {
      const row = selectAny.get(id)
      return row && recordOf(row)
    },
    all: () => selectAll.all().map(recordOf),
    insert: (tx, { id, name, role, locale }, profileEntry) => {
      tx.run(insert, id, name, role, locale, profileEntry)
    },
    update: (tx, id, { active, ...change }) => {
      tx.run(update, { id, ...change, active: active ? 1 : 0 })
    },
    setProfileEntry: (tx, id, entry) => {
      tx.run(updateEntry, entry, id)
    },
    setPinHash: (tx, id, hash, { temporary }) => {
      tx.run(updatePin, hash, temporary ? 1 : 0, id)
      tx.run(dropStorePin, id)
    },
    setStorePin: (tx, id, { verifier, keySealed, temporary }) => {
      tx.run(putStorePin, { id, verifier, keySealed, temporary: temporary ? 1 : 0 })
    },
    setLocale: (tx, id, locale) => {
      tx.run(updateLocale, locale, id)
    },
    byBadge(hash) {
      const row = selectBadge.get(hash)
      return row && { id: row.id, active: row.active === 1 }
    },
    badgeOf: (id) => selectBadgeState.get(id) ?? 'none',
    setBadge: (tx, id, hash) => {
      tx.run(updateBadge, hash, id)
    },
    dropBadge: (tx, id) => {
      tx.run(dropBadge, id)
    },
    setBadgeActive: (tx, id, active) => {
      tx.run(updateBadgeActive, active ? 1 : 0, id)
    },
  }
}

/**
 * Where a PIN is typed, and who is counted there. At the sign-in screen the person whose PIN it is. At an approval both
 * who asks (a throttle on one pair of hands) and whose PIN it is (a limit on all hands together), and neither of them
 * at sign-in: what is tried at a sale locks nobody out of the store.
 */
export type PinDoor = 'sign-in' | 'approval-asker' | 'approval-approver'

export interface PinDoorRow {
  readonly failed: number
  readonly lockouts: number
  readonly lockedMs: number | null
  readonly writtenAtUptimeMs: number | null
}

export type PinDoorRepository = ReturnType<typeof createPinDoorRepository>

export function createPinDoorRepository(db: Database) {
  const select = db.prepare<[string, string], PinDoorRow>(
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
    find: (door: PinDoor, staffId: string): PinDoorRow | undefined => select.get(door, staffId),
    put: (tx: Tx, door: PinDoor, staffId: string, row: PinDoorRow): void => {
      tx.run(put, { door, staffId, ...row })
    },
    remove: (tx: Tx, door: PinDoor, staffId: string): void => {
      tx.run(remove, door, staffId)
    },
  }
}
