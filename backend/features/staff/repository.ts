import type { Staff } from '../../../contracts/api/session.ts'
import { StaffId } from '../../../contracts/ids.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { Database } from '../../db/open.ts'

export interface Credentials {
  readonly pinHash: string | null
  readonly failedAttempts: number
  readonly lockouts: number
  /** Epoch ms. */
  readonly lockedUntil: number | null
}

interface StaffRow { id: string; name: string; role: 'cashier' | 'manager'; supervises: 0 | 1; locale: Locale }

/** A supervisor is a cashier with a mark beside the role (migration 0008). */
const roleOf = ({ role, supervises }: Pick<StaffRow, 'role' | 'supervises'>): Staff['role'] => (role === 'cashier' && supervises === 1 ? 'supervisor' : role)
const storedRole = (role: Staff['role']): 'cashier' | 'manager' => (role === 'manager' ? 'manager' : 'cashier')

export interface StaffRepository {
  active(): Staff[]
  find(id: string): Staff | undefined
  /** The name of anybody who ever worked here: papers and lists go on naming who has left. */
  nameOf(id: string): string | undefined
  credentials(id: string): Credentials | undefined
  /** Adds a person, or brings name and role up to date. The language is theirs once they are known. */
  upsert(person: { id: string; name: string; role: Staff['role']; locale: Locale }): 'added' | 'changed' | 'same'
  deactivateAllBut(ids: readonly string[]): string[]
  setPinHash(id: string, hash: string): void
  setLocale(id: string, locale: Locale): void
  setAttempts(id: string, attempts: Omit<Credentials, 'pinHash'>): void
}

export function createStaffRepository(db: Database): StaffRepository {
  const selectActive = db.prepare<[], StaffRow>('SELECT id, name, role, supervises, locale FROM staff WHERE active = 1 ORDER BY role DESC, supervises DESC, name, id')
  const selectOne = db.prepare<[string], StaffRow>('SELECT id, name, role, supervises, locale FROM staff WHERE id = ? AND active = 1')
  const selectCredentials = db.prepare<[string], { pin_hash: string | null; failed_attempts: number; lockouts: number; locked_until: number | null }>(
    'SELECT pin_hash, failed_attempts, lockouts, locked_until FROM staff WHERE id = ? AND active = 1',
  )
  const insert = db.prepare('INSERT INTO staff (id, name, role, supervises, locale) VALUES (?, ?, ?, ?, ?)')
  const selectAny = db.prepare<[string], Pick<StaffRow, 'name' | 'role' | 'supervises'> & { active: number }>('SELECT name, role, supervises, active FROM staff WHERE id = ?')
  const update = db.prepare('UPDATE staff SET name = ?, role = ?, supervises = ?, active = 1 WHERE id = ?')
  const deactivate = db.prepare('UPDATE staff SET active = 0 WHERE id = ?')
  const updatePin = db.prepare('UPDATE staff SET pin_hash = ?, failed_attempts = 0, lockouts = 0, locked_until = NULL WHERE id = ?')
  const updateLocale = db.prepare('UPDATE staff SET locale = ? WHERE id = ?')
  const updateAttempts = db.prepare('UPDATE staff SET failed_attempts = ?, lockouts = ?, locked_until = ? WHERE id = ?')

  const staffOf = (row: StaffRow): Staff => ({ id: StaffId.parse(row.id), name: row.name, role: roleOf(row), locale: row.locale })

  return {
    active: () => selectActive.all().map(staffOf),
    find: (id) => { const row = selectOne.get(id); return row && staffOf(row) },
    nameOf: (id) => selectAny.get(id)?.name,
    credentials: (id) => {
      const row = selectCredentials.get(id)
      return row && { pinHash: row.pin_hash, failedAttempts: row.failed_attempts, lockouts: row.lockouts, lockedUntil: row.locked_until }
    },
    upsert({ id, name, role, locale }) {
      const known = selectAny.get(id)
      if (!known) {
        insert.run(id, name, storedRole(role), role === 'supervisor' ? 1 : 0, locale)
        return 'added'
      }
      if (known.name === name && roleOf(known) === role && known.active === 1) return 'same'
      update.run(name, storedRole(role), role === 'supervisor' ? 1 : 0, id)
      return 'changed'
    },
    deactivateAllBut(ids) {
      const gone = selectActive.all().map((row) => row.id).filter((id) => !ids.includes(id))
      for (const id of gone) deactivate.run(id)
      return gone
    },
    setPinHash: (id, hash) => { updatePin.run(hash, id) },
    setLocale: (id, locale) => { updateLocale.run(locale, id) },
    setAttempts: (id, { failedAttempts, lockouts, lockedUntil }) => { updateAttempts.run(failedAttempts, lockouts, lockedUntil, id) },
  }
}
