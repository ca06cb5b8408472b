import type { ChangePerson, NewPerson, Staff } from '../../contracts/staff/session.ts'
import { StaffId } from '../../contracts/core/ids.ts'
import type { Profile } from '../../contracts/core/profile.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import { PersonChange, PersonLocaleChange } from '../../contracts/store/changes.ts'
import type { Tx } from '../core/db/transact.ts'
import { ProblemError, refuseChanged } from '../core/problem.ts'
import type { ChangedAt, TakenChange } from '../store/changes.ts'
import { compareStamps, type Stamp } from '../store/changes.sql.ts'
import type { AuditDetail } from '../core/audit.ts'
import { bound } from '../core/context.ts'
import type { StaffModule } from './staff-module.ts'
import type { StaffRecord } from './staff.sql.ts'

type ProfilePerson = Profile['staff'][number]

const LONGEST_ID = 40
const slugOf = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_ID - 4)
    .replace(/^-+|-+$/g, '') || 'staff'

/** The part of a person's profile entry by which a changed entry is recognised; not the training PIN. */
const entryOf = ({ name, role, locale }: ProfilePerson): string => JSON.stringify({ name, role, locale })

type Rights = Pick<StaffRecord, 'role' | 'active'>
const RANKS = { cashier: 0, supervisor: 1, manager: 2 } as const satisfies Record<Staff['role'], number>
/** Rank of a person's permissions. A person who left counts as a cashier at most. */
const rankOf = ({ role, active }: Rights): number => (active ? RANKS[role] : RANKS.cashier)
const NO_RIGHTS: Rights = { role: 'cashier', active: false }

/**
 * Returns another lane’s state of a person. A person who left gets at most the role that this lane knows: a higher one
 * would count when they return.
 */
const withoutHigherRole = <Received extends Rights>(received: Received, known: Rights = NO_RIGHTS): Received =>
  received.active || RANKS[received.role] <= RANKS[known.role] ? received : { ...received, role: known.role }

/** The profile entry of a person in the store's last change of the person; undefined without such a change. */
function receivedEntry(staff: StaffModule, id: string): string | null | undefined {
  const value = staff.store?.changes.valueOf('person', id)
  return value === undefined ? undefined : PersonChange.parse(value).profileEntry
}

function sendPerson(
  staff: StaffModule,
  tx: Tx,
  id: string,
  actorId: string | null,
  profileEntry?: string | null,
): void {
  const person = staff.rows.record(id)
  const changes = staff.store?.changes
  if (!changes || !person) return
  const { name, role, locale, active } = person
  const knownEntry = receivedEntry(staff, id)
  const entry = profileEntry !== undefined ? profileEntry : knownEntry === undefined ? person.profileEntry : knownEntry
  const value: PersonChange = { name, role, locale, active, profileEntry: entry }
  changes.recordLocal(tx, { kind: 'person', subject: id, value, byId: actorId })
}

function isLater(staff: StaffModule, kind: 'person' | 'person-locale', id: string, than: Stamp): boolean {
  const changes = staff.store?.changes
  return changes !== undefined && compareStamps(changes.stampOf(kind, id), than) > 0
}

type StoredPerson = Pick<StaffRecord, 'name' | 'role' | 'locale' | 'active'>

function record(
  { audit }: StaffModule,
  tx: Tx,
  kind: 'added' | 'changed' | 'removed',
  actorId: string | null,
  { id, name, role, locale, active }: StoredPerson & Pick<StaffRecord, 'id'>,
  before?: StoredPerson,
  more: AuditDetail = {},
): void {
  const earlier = before && {
    nameBefore: before.name,
    roleBefore: before.role,
    localeBefore: before.locale,
    activeBefore: before.active,
  }
  const detail = { name, role, locale, active, ...earlier, ...more }
  audit.record(tx, { kind: `staff-${kind}`, actorId, subject: id, detail })
}

function update(
  staff: StaffModule,
  tx: Tx,
  known: StaffRecord,
  changed: StoredPerson,
  actorId: string | null,
  more?: AuditDetail,
): boolean {
  const same = (['name', 'role', 'locale', 'active'] as const).every((of) => known[of] === changed[of])
  if (same) return false
  staff.rows.update(tx, known.id, changed)
  const kind = known.active && !changed.active ? 'removed' : 'changed'
  record(staff, tx, kind, actorId, { ...known, ...changed }, known, more)
  return true
}

/**
 * Applies a new profile entry of a person, and sends the entry with the change, so that a lane that gets the profile
 * later does not apply it again.
 */
function changeByProfile(
  staff: StaffModule,
  tx: Tx,
  known: StaffRecord,
  changed: StaffRecord,
  entry: string | null,
): void {
  const received = receivedEntry(staff, known.id)
  if (received === entry) followSince(staff, tx, known, changed)
  else if (update(staff, tx, known, changed, null) || received !== undefined)
    sendPerson(staff, tx, known.id, null, entry)
}

/**
 * Another lane has already sent this profile entry, and perhaps a later change. This lane reads the profile itself: a
 * later change with more permissions than the profile waits for a confirmation.
 */
function followSince(staff: StaffModule, tx: Tx, known: StaffRecord, proposed: StaffRecord): void {
  const changes = staff.store?.changes
  const change = PersonChange.parse(changes?.valueOf('person', known.id))
  if (rankOf(change) > rankOf(proposed)) {
    update(staff, tx, known, proposed, null)
    changes?.holdBack(tx, 'person', known.id)
    return
  }
  const { name, role, active } = withoutHigherRole(change, known)
  update(staff, tx, known, { ...known, name, role, active }, null)
  changes?.dropWaiting(tx, 'person', known.id)
}

function takeOver(staff: StaffModule, tx: Tx, person: ProfilePerson): void {
  const { rows } = staff
  const entry = entryOf(person)
  const known = rows.record(person.id)
  if (!known) {
    const added = { ...person, id: StaffId.parse(person.id) }
    rows.insert(tx, added, entry)
    record(staff, tx, 'added', null, { ...added, active: true })
    return
  }
  // A known person keeps the language that they chose.
  if (known.profileEntry !== entry)
    changeByProfile(staff, tx, known, { ...known, name: person.name, role: person.role, active: true }, entry)
  rows.setProfileEntry(tx, person.id, entry)
}

function idFor(staff: StaffModule, name: string): StaffId {
  // The lane's suffix: two disconnected lanes may each add a person of this name, and these are two people.
  const suffix = staff.store?.changes.idSuffix() ?? ''
  const slug = slugOf(name).slice(0, LONGEST_ID - 4 - suffix.length) + suffix
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? slug : `${slug}-${number}`
    if (!staff.rows.record(id)) return StaffId.parse(id)
  }
}

/** Throws ProblemError `last-manager` if no manager would remain. */
function refuseWithoutManager({ rows }: StaffModule, without: string): void {
  if (!rows.active().some(({ id, role }) => role === 'manager' && id !== without))
    throw new ProblemError('last-manager')
}

/** Applies new entries of the profile. People who are no longer in it count as having left. */
function takeOverProfile(staff: StaffModule, tx: Tx, people: readonly ProfilePerson[]): void {
  for (const person of people) takeOver(staff, tx, person)
  const named = new Set(people.map(({ id }) => id))
  for (const known of staff.rows.all()) {
    if (known.profileEntry === null || named.has(known.id)) continue
    changeByProfile(staff, tx, known, { ...known, active: false }, null)
    staff.rows.setProfileEntry(tx, known.id, null)
  }
}

/**
 * Restores a person of the profile in spite of all later changes, for an installer with access to the machine. The
 * other lanes do not get it.
 */
function reinstate(staff: StaffModule, tx: Tx, { id, role }: Pick<ProfilePerson, 'id' | 'role'>): void {
  const known = staff.rows.record(id)
  if (known) update(staff, tx, known, { ...known, role, active: true }, null)
}

function add(staff: StaffModule, tx: Tx, { name, role, locale }: NewPerson, actorId: string): Staff {
  const person = { id: idFor(staff, name), name, role, locale }
  staff.rows.insert(tx, person, null)
  record(staff, tx, 'added', actorId, { ...person, active: true })
  sendPerson(staff, tx, person.id, actorId)
  return person
}

/**
 * Changes a person. Throws ProblemError `not-found`, `changed-meanwhile`, `staff-self` for managers who would lower
 * their own permissions, `last-manager`.
 */
function change(staff: StaffModule, tx: Tx, id: string, { seen, ...changed }: ChangePerson, actorId: string): void {
  const known = staff.rows.record(id)
  if (!known) throw new ProblemError('not-found')
  const { name, role, locale, active } = known
  refuseChanged(seen, { name, role, locale, active })
  const losesRights = !changed.active || changed.role !== known.role
  if (id === actorId && losesRights) throw new ProblemError('staff-self')
  if (known.role === 'manager' && known.active && losesRights) refuseWithoutManager(staff, id)
  if (update(staff, tx, known, changed, actorId)) sendPerson(staff, tx, id, actorId)
}

/** Sends only the language, because only a manager may change the other data of the person. */
function sendLocale(staff: StaffModule, tx: Tx, id: string, locale: Locale): void {
  const value: PersonLocaleChange = { locale }
  staff.store?.changes.recordLocal(tx, { kind: 'person-locale', subject: id, value, byId: id })
}

/** Applies the language that a person chose at another lane, unless this lane knows a later change of the person. */
function takeLocale(
  staff: StaffModule,
  tx: Tx,
  { subject, value: { locale }, byId, stamp, detail }: TakenChange<PersonLocaleChange>,
): void {
  const known = staff.rows.record(subject)
  if (known && !isLater(staff, 'person', subject, stamp)) update(staff, tx, known, { ...known, locale }, byId, detail)
}

const raises = (
  { rows }: StaffModule,
  { subject, value }: Pick<TakenChange<PersonChange>, 'subject' | 'value'>,
): boolean => rankOf(value) > rankOf(rows.record(subject) ?? NO_RIGHTS)

/** Whether the PIN or badge of this person gives permissions, or would after a waiting change is confirmed. */
const hasRights = ({ rows, store }: StaffModule, id: string): boolean =>
  RANKS[rows.record(id)?.role ?? 'cashier'] > RANKS.cashier || store?.changes.isWaiting('person', id) === true

/**
 * Sends this lane's state of a person to every lane; for a person unknown here: that they do not work at this store.
 */
function sendCurrent(staff: StaffModule, tx: Tx, id: string, name: string, actorId: string): void {
  if (!staff.rows.record(id)) staff.store?.changes.addPerson(tx, { id, name })
  sendPerson(staff, tx, id, actorId)
}

/** Applies another lane's change of a person, even of the last manager: if it needed a confirmation, it has one. */
function take(staff: StaffModule, tx: Tx, { subject, value, byId, stamp, detail }: TakenChange<PersonChange>): void {
  const known = staff.rows.record(subject)
  const { name, role, active } = withoutHigherRole(value, known)
  const locale = isLater(staff, 'person-locale', subject, stamp)
    ? PersonLocaleChange.parse(staff.store?.changes.valueOf('person-locale', subject)).locale
    : value.locale
  if (known) {
    update(staff, tx, known, { name, role, locale, active }, byId, detail)
    return
  }
  const added = { id: StaffId.parse(subject), name, role, locale }
  staff.rows.insert(tx, added, null)
  if (!active) staff.rows.update(tx, subject, { name, role, locale, active })
  record(staff, tx, 'added', byId, { ...added, active }, undefined, detail)
}

export type People = ReturnType<typeof createPeople>

/**
 * People of the lane. At first they are those of the profile. A change at the lane counts until the profile has a
 * changed entry of the person.
 */
export const createPeople = (staff: StaffModule) =>
  bound(staff, {
    all: ({ rows }: StaffModule): StaffRecord[] => rows.all(),
    takeOverProfile,
    reinstate,
    add,
    change,
    sendLocale: sendLocale,
    takeLocale,
    raises,
    hasRights,
    sendCurrent: sendCurrent,
    take,
    /**
     * Lane and author of the latest change of a person; null without one, or while another lane’s change waits for a
     * confirmation.
     */
    changedAt: ({ store }: StaffModule, id: string): ChangedAt | null => store?.changes.changedAt('person', id) ?? null,
  })
