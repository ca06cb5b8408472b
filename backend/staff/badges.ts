import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Staff } from '../../contracts/staff/session.ts'
import { BadgeSecret, type BadgeChange } from '../../contracts/store/changes.ts'
import { bound } from '../core/context.ts'
import type { Tx } from '../core/db/transact.ts'
import { placeOf } from '../core/integrity/seal.ts'
import { ProblemError } from '../core/problem.ts'
import type { TakenChange } from '../store/changes.ts'
import { compareStamps } from '../store/changes.sql.ts'
import { refuseLocked } from './pin-checks.ts'
import type { StaffModule } from './staff-module.ts'

const KEY_BYTES = 32
const place = (staffId: string): string => placeOf('staff_store_badge', 'key_sealed', staffId)
const hashUnder = (key: Uint8Array, number: string): Buffer =>
  createHmac('sha256', key).update(`staff badge ${number.trim().toUpperCase()}`).digest()

type Holder = { readonly id: string; readonly active: boolean } | undefined

function refuse(
  { atOnce, audit }: StaffModule,
  code: 'badges-off' | 'badge-unknown' | 'badge-inactive',
  staffId?: string,
): ProblemError {
  atOnce((tx) => {
    const subject = staffId === undefined ? {} : { subject: staffId }
    audit.record(tx, { kind: 'badge-refused', actorId: null, ...subject, detail: { reason: code } })
  })
  return new ProblemError(code)
}

/**
 * Finds the person of a badge that another lane assigned and that was not used at this lane yet. Two disconnected lanes
 * may assign one badge to two people: the later assignment counts, also against the assignment `own` of this lane.
 */
function foreignHolder({ store, badgeRows }: StaffModule, number: string, own: string | undefined): Holder {
  if (!store) return undefined
  const stampOf = (id: string) => store.changes.stampOf('person-badge', id)
  let best: Holder
  for (const { staffId, hash, keySealed, active } of badgeRows.foreign()) {
    if (!timingSafeEqual(hash, hashUnder(store.seal.open(keySealed, place(staffId)), number))) continue
    const rival = best?.id ?? own
    if (rival === undefined || compareStamps(stampOf(staffId), stampOf(rival)) > 0)
      best = { id: staffId, active: active === 1 }
  }
  return best
}

/** Finds the person of a badge. Stores a hash under this lane's key for a badge that another lane assigned. */
function findHolder(staff: StaffModule, number: string): Holder {
  const hash = hashUnder(staff.pinKey, number)
  const own = staff.badgeRows.byHash(hash)
  const foreign = foreignHolder(staff, number, own?.id)
  if (foreign && !own)
    staff.atOnce((tx) => {
      staff.badgeRows.setOwn(tx, foreign.id, hash, foreign.active)
      staff.badgeRows.setPlaceOf(tx, foreign.id, hash)
    })
  return foreign ?? own
}

/** Returns the person of a badge. Throws ProblemError `badges-off`, `badge-unknown`, `badge-inactive`. */
function holder(staff: StaffModule, number: string): Staff {
  if (!staff.badgesAllowed()) throw refuse(staff, 'badges-off')
  const known = findHolder(staff, number)
  if (!known) throw refuse(staff, 'badge-unknown')
  const person = known.active ? staff.rows.find(known.id) : undefined
  if (!person) throw refuse(staff, 'badge-inactive', known.id)
  return person
}

function signIn(staff: StaffModule, number: string): Staff {
  const person = holder(staff, number)
  const credentials = staff.rows.credentials(person.id)
  if (credentials?.pinHash == null) throw new ProblemError('pin-not-set')
  if (credentials.temporary) throw new ProblemError('pin-change-required')
  refuseLocked(staff, person.id, null)
  return person
}

/** Assigns a badge to a person in place of their previous one. Throws ProblemError `not-found`, `badge-taken`. */
function assign(staff: StaffModule, tx: Tx, staffId: string, number: string, actorId: string): void {
  const { badgeRows, audit } = staff
  if (!staff.rows.find(staffId)) throw new ProblemError('not-found')
  const hash = hashUnder(staff.pinKey, number)
  const own = badgeRows.byHash(hash)
  const other = foreignHolder(staff, number, own?.id) ?? own
  if (other && other.id !== staffId) throw new ProblemError('badge-taken')
  // Another lane has assigned the badge to this person since, so its earlier holder at this lane lost it.
  if (own && own.id !== staffId) badgeRows.drop(tx, own.id)
  badgeRows.setOwn(tx, staffId, hash, true)
  sendBadge(staff, tx, staffId, number, actorId)
  audit.record(tx, { kind: 'badge-set', actorId, subject: staffId })
}

/**
 * Sends the badge to the other lanes, with a hash under a key that is generated for it, as for PINs (decision 30). This
 * lane's own hash uses its own key and would be useless there.
 */
function sendBadge(staff: StaffModule, tx: Tx, staffId: string, number: string, actorId: string): void {
  if (!staff.store) return
  const key = randomBytes(KEY_BYTES)
  const secret = { hash: hashUnder(key, number).toString('base64'), key: key.toString('base64') }
  storeBadge(staff, staff.store.seal, tx, staffId, secret, true)
  const change = { kind: 'person-badge', subject: staffId, value: { active: true }, byId: actorId, secret } as const
  staff.store.changes.recordLocal(tx, change)
}

type StoreSeal = NonNullable<StaffModule['store']>['seal']

function storeBadge(
  { badgeRows }: StaffModule,
  seal: StoreSeal,
  tx: Tx,
  id: string,
  { hash, key }: BadgeSecret,
  active: boolean,
): void {
  const keySealed = seal.seal(Buffer.from(key, 'base64'), place(id))
  badgeRows.putOfStore(tx, { id, hash: Buffer.from(hash, 'base64'), keySealed, active: active ? 1 : 0 })
}

/**
 * Deactivates a lost badge. It stays known, so that a later use can be explained. Throws ProblemError `not-found`
 * without an active badge.
 */
function deactivate({ store, badgeRows, audit }: StaffModule, tx: Tx, staffId: string, actorId: string): void {
  if (badgeRows.stateOf(staffId) !== 'active') throw new ProblemError('not-found')
  badgeRows.setActive(tx, staffId, false)
  if (store) {
    const row = badgeRows.ofStore(staffId)
    const secret = row && {
      hash: row.hash.toString('base64'),
      key: store.seal.open(row.keySealed, place(staffId)).toString('base64'),
    }
    const change = { kind: 'person-badge', subject: staffId, value: { active: false }, byId: actorId } as const
    badgeRows.setActiveOfStore(tx, staffId, false)
    store.changes.recordLocal(tx, { ...change, ...(secret ? { secret } : {}) })
  }
  audit.record(tx, { kind: 'badge-deactivated', actorId, subject: staffId })
}

/**
 * Applies a badge that another lane assigned or deactivated: it replaces the person's badge at this lane. A change
 * without a secret only deactivates the badge.
 */
export function takeBadge(staff: StaffModule, tx: Tx, change: TakenChange<BadgeChange>): void {
  const { store, badgeRows, audit } = staff
  if (!store) throw new Error('a lane without a store received a badge of a store')
  const { subject, value, byId: actorId, secret, detail } = change
  if (secret === null) {
    if (value.active) throw new Error('a badge arrived without its hash')
    badgeRows.setActive(tx, subject, false)
    badgeRows.setActiveOfStore(tx, subject, false)
  } else {
    const read = BadgeSecret.parse(secret)
    badgeRows.setOwn(tx, subject, null, value.active)
    storeBadge(staff, store.seal, tx, subject, read, value.active)
  }
  audit.record(tx, { kind: value.active ? 'badge-set' : 'badge-deactivated', actorId, subject, detail })
}

/**
 * Badges of the staff. A badge identifies a person: it can sign in if the store allows it, and approves nothing. The
 * database has only a keyed hash of its number.
 */
export const createBadges = (staff: StaffModule) => bound(staff, { signIn, assign, deactivate })
