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
import type { StaffParts } from './staff-parts.ts'

const KEY_BYTES = 32
const place = (staffId: string): string => placeOf('staff_store_badge', 'key_sealed', staffId)
const hashUnder = (key: Uint8Array, number: string): Buffer =>
  createHmac('sha256', key).update(`staff badge ${number.trim().toUpperCase()}`).digest()

type Holder = { readonly id: string; readonly active: boolean } | undefined

function refuse(
  { atOnce, audit }: StaffParts,
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
 * Whose badge it is of those that were given elsewhere and not read here yet. Two lanes that were apart may give one to
 * two people: it is whose it became last, `own` among them.
 */
function foreignHolder({ store, badgeRows }: StaffParts, number: string, own: string | undefined): Holder {
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

/** Whose badge it is, also where it was given at another lane: from then on this lane knows it by a hash of its own. */
function whose(staff: StaffParts, number: string): Holder {
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

/** Whose badge it is. Throws ProblemError `badges-off`, `badge-unknown`, `badge-inactive`. */
function holder(staff: StaffParts, number: string): Staff {
  if (!staff.badgesAllowed()) throw refuse(staff, 'badges-off')
  const known = whose(staff, number)
  if (!known) throw refuse(staff, 'badge-unknown')
  const person = known.active ? staff.rows.find(known.id) : undefined
  if (!person) throw refuse(staff, 'badge-inactive', known.id)
  return person
}

/** The same, for a person who has a PIN of their own and is not locked. */
function signIn(staff: StaffParts, number: string): Staff {
  const person = holder(staff, number)
  const credentials = staff.rows.credentials(person.id)
  if (credentials?.pinHash == null) throw new ProblemError('pin-not-set')
  if (credentials.temporary) throw new ProblemError('pin-change-required')
  refuseLocked(staff, person.id, null)
  return person
}

/** Another badge takes the place of the one before. Throws ProblemError `not-found`, `badge-taken`. */
function assign(staff: StaffParts, tx: Tx, staffId: string, number: string, actorId: string): void {
  const { badgeRows, audit } = staff
  if (!staff.rows.find(staffId)) throw new ProblemError('not-found')
  const hash = hashUnder(staff.pinKey, number)
  const own = badgeRows.byHash(hash)
  const other = foreignHolder(staff, number, own?.id) ?? own
  if (other && other.id !== staffId) throw new ProblemError('badge-taken')
  // Whoever had it at this lane before another gave it away elsewhere.
  if (own && own.id !== staffId) badgeRows.drop(tx, own.id)
  badgeRows.setOwn(tx, staffId, hash, true)
  tellGiven(staff, tx, staffId, number, actorId)
  audit.record(tx, { kind: 'badge-set', actorId, subject: staffId })
}

/**
 * A lane's own hashes are keyed with the lane's key and say nothing elsewhere; what travels is a hash under a key that
 * was drawn for it alone, as with PINs (decision 30).
 */
function tellGiven(staff: StaffParts, tx: Tx, staffId: string, number: string, actorId: string): void {
  if (!staff.store) return
  const key = randomBytes(KEY_BYTES)
  const secret = { hash: hashUnder(key, number).toString('base64'), key: key.toString('base64') }
  keep(staff, staff.store.seal, tx, staffId, secret, true)
  const change = { kind: 'person-badge', subject: staffId, value: { active: true }, byId: actorId, secret } as const
  staff.store.changes.tell(tx, change)
}

type StoreSeal = NonNullable<StaffParts['store']>['seal']

function keep(
  { badgeRows }: StaffParts,
  seal: StoreSeal,
  tx: Tx,
  id: string,
  { hash, key }: BadgeSecret,
  active: boolean,
): void {
  const keySealed = seal.seal(Buffer.from(key, 'base64'), place(id))
  badgeRows.putOfStore(tx, { id, hash: Buffer.from(hash, 'base64'), keySealed, active: active ? 1 : 0 })
}

/** A lost badge: it stays known, so that whoever brings it is told why it opens nothing. */
function deactivate({ store, badgeRows, audit }: StaffParts, tx: Tx, staffId: string, actorId: string): void {
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
    store.changes.tell(tx, { ...change, ...(secret ? { secret } : {}) })
  }
  audit.record(tx, { kind: 'badge-deactivated', actorId, subject: staffId })
}

/**
 * A badge as it was given, or deactivated, at another lane: takes the place of whatever badge the person had here.
 * Without its secret it only opens nothing any more.
 */
export function takeBadge(staff: StaffParts, tx: Tx, change: TakenChange<BadgeChange>): void {
  const { store, badgeRows, audit } = staff
  if (!store) throw new Error('nobody follows the badges of the store here')
  const { subject, value, byId: actorId, secret, detail } = change
  if (secret === null) {
    if (value.active) throw new Error('a badge came without its hash')
    badgeRows.setActive(tx, subject, false)
    badgeRows.setActiveOfStore(tx, subject, false)
  } else {
    const read = BadgeSecret.parse(secret)
    badgeRows.setOwn(tx, subject, null, value.active)
    keep(staff, store.seal, tx, subject, read, value.active)
  }
  audit.record(tx, { kind: value.active ? 'badge-set' : 'badge-deactivated', actorId, subject, detail })
}

/**
 * Badges of the staff. A badge says who stands there and nothing more: it signs in where the store lets it, and
 * approves nothing. The database holds a keyed hash of its number.
 */
export const createBadges = (staff: StaffParts) => bound(staff, { signIn, assign, deactivate })
