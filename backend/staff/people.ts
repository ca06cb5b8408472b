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
import type { StaffParts } from './staff-parts.ts'
import type { StaffRecord } from './staff.sql.ts'

type ProfilePerson = Profile['staff'][number]

const LONGEST_ID = 40
/** Accents go, everything else that an id does not take becomes a dash. */
const slugOf = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_ID - 4)
    .replace(/^-+|-+$/g, '') || 'staff'

/** What of the profile's entry is the lane's business: a PIN for training is not. */
const entryOf = ({ name, role, locale }: ProfilePerson): string => JSON.stringify({ name, role, locale })

type Rights = Pick<StaffRecord, 'role' | 'active'>
const RANKS = { cashier: 0, supervisor: 1, manager: 2 } as const satisfies Record<Staff['role'], number>
/** What a person may do, to compare: a person who left may do no more than a cashier. */
const rankOf = ({ role, active }: Rights): number => (active ? RANKS[role] : RANKS.cashier)
const NO_RIGHTS: Rights = { role: 'cashier', active: false }

/** As another lane says it; of a person who left not a higher role than they have here, which a return would give. */
const withoutRise = <Said extends Rights>(said: Said, known: Rights = NO_RIGHTS): Said =>
  said.active || RANKS[said.role] <= RANKS[known.role] ? said : { ...said, role: known.role }

/** What the profile had said when the store was last told of a person; undefined: it never was. */
function heardEntry(staff: StaffParts, id: string): string | null | undefined {
  const value = staff.store?.changes.valueOf('person', id)
  return value === undefined ? undefined : PersonChange.parse(value).profileEntry
}

function tell(staff: StaffParts, tx: Tx, id: string, actorId: string | null, profileEntry?: string | null): void {
  const person = staff.rows.record(id)
  const changes = staff.store?.changes
  if (!changes || !person) return
  const { name, role, locale, active } = person
  const heard = heardEntry(staff, id)
  const entry = profileEntry !== undefined ? profileEntry : heard === undefined ? person.profileEntry : heard
  const value: PersonChange = { name, role, locale, active, profileEntry: entry }
  changes.tell(tx, { kind: 'person', subject: id, value, byId: actorId })
}

function isLater(staff: StaffParts, kind: 'person' | 'person-locale', id: string, than: Stamp): boolean {
  const changes = staff.store?.changes
  return changes !== undefined && compareStamps(changes.stampOf(kind, id), than) > 0
}

type Kept = Pick<StaffRecord, 'name' | 'role' | 'locale' | 'active'>

function record(
  { audit }: StaffParts,
  tx: Tx,
  kind: 'added' | 'changed' | 'removed',
  actorId: string | null,
  { id, name, role, locale, active }: Kept & Pick<StaffRecord, 'id'>,
  before?: Kept,
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
  staff: StaffParts,
  tx: Tx,
  known: StaffRecord,
  changed: Kept,
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

/** What the profile says anew, told with it: a lane that hears it later does not take it over a second time. */
function changeByProfile(
  staff: StaffParts,
  tx: Tx,
  known: StaffRecord,
  changed: StaffRecord,
  entry: string | null,
): void {
  const heard = heardEntry(staff, known.id)
  if (heard === entry) followSince(staff, tx, known, changed)
  else if (update(staff, tx, known, changed, null) || heard !== undefined) tell(staff, tx, known.id, null, entry)
}

/**
 * The store knows what the profile says, and perhaps a later change. This lane reads the profile itself: a later change
 * that gives more rights than the profile does waits for a confirmation.
 */
function followSince(staff: StaffParts, tx: Tx, known: StaffRecord, word: StaffRecord): void {
  const changes = staff.store?.changes
  const said = PersonChange.parse(changes?.valueOf('person', known.id))
  if (rankOf(said) > rankOf(word)) {
    update(staff, tx, known, word, null)
    changes?.holdBack(tx, 'person', known.id)
    return
  }
  const { name, role, active } = withoutRise(said, known)
  update(staff, tx, known, { ...known, name, role, active }, null)
  changes?.dropWaiting(tx, 'person', known.id)
}

function takeOver(staff: StaffParts, tx: Tx, person: ProfilePerson): void {
  const { rows } = staff
  const entry = entryOf(person)
  const known = rows.record(person.id)
  if (!known) {
    const added = { ...person, id: StaffId.parse(person.id) }
    rows.insert(tx, added, entry)
    record(staff, tx, 'added', null, { ...added, active: true })
    return
  }
  // The language is a person's own once they are known.
  if (known.profileEntry !== entry)
    changeByProfile(staff, tx, known, { ...known, name: person.name, role: person.role, active: true }, entry)
  rows.setProfileEntry(tx, person.id, entry)
}

function idFor(staff: StaffParts, name: string): StaffId {
  // Two lanes that are apart may each add somebody of this name: they are two people.
  const suffix = staff.store?.changes.idSuffix() ?? ''
  const slug = slugOf(name).slice(0, LONGEST_ID - 4 - suffix.length) + suffix
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? slug : `${slug}-${number}`
    if (!staff.rows.record(id)) return StaffId.parse(id)
  }
}

/** Somebody must be left who can manage the lane. Throws ProblemError `last-manager`. */
function refuseWithoutManager({ rows }: StaffParts, without: string): void {
  if (!rows.active().some(({ id, role }) => role === 'manager' && id !== without))
    throw new ProblemError('last-manager')
}

/** What the profile says of its people, where it says something new. Who is no longer in it leaves. */
function takeOverProfile(staff: StaffParts, tx: Tx, people: readonly ProfilePerson[]): void {
  for (const person of people) takeOver(staff, tx, person)
  const named = new Set(people.map(({ id }) => id))
  for (const known of staff.rows.all()) {
    if (known.profileEntry === null || named.has(known.id)) continue
    changeByProfile(staff, tx, known, { ...known, active: false }, null)
    staff.rows.setProfileEntry(tx, known.id, null)
  }
}

/**
 * A person works here as the profile says, whatever was changed since: for whoever has the machine in hand. No other
 * lane is told.
 */
function reinstate(staff: StaffParts, tx: Tx, { id, role }: Pick<ProfilePerson, 'id' | 'role'>): void {
  const known = staff.rows.record(id)
  if (known) update(staff, tx, known, { ...known, role, active: true }, null)
}

/** A person of the lane's own, without a PIN yet. */
function add(staff: StaffParts, tx: Tx, { name, role, locale }: NewPerson, actorId: string): Staff {
  const person = { id: idFor(staff, name), name, role, locale }
  staff.rows.insert(tx, person, null)
  record(staff, tx, 'added', actorId, { ...person, active: true })
  tell(staff, tx, person.id, actorId)
  return person
}

/**
 * Throws ProblemError `not-found`, `changed-meanwhile`, `staff-self` for a manager who would take their own rights,
 * `last-manager`.
 */
function change(staff: StaffParts, tx: Tx, id: string, { seen, ...changed }: ChangePerson, actorId: string): void {
  const known = staff.rows.record(id)
  if (!known) throw new ProblemError('not-found')
  const { name, role, locale, active } = known
  refuseChanged(seen, { name, role, locale, active })
  const losesRights = !changed.active || changed.role !== known.role
  if (id === actorId && losesRights) throw new ProblemError('staff-self')
  if (known.role === 'manager' && known.active && losesRights) refuseWithoutManager(staff, id)
  if (update(staff, tx, known, changed, actorId)) tell(staff, tx, id, actorId)
}

/** The language that somebody chose for themselves, and nothing else of them: that is a manager's to say. */
function tellLocale(staff: StaffParts, tx: Tx, id: string, locale: Locale): void {
  const value: PersonLocaleChange = { locale }
  staff.store?.changes.tell(tx, { kind: 'person-locale', subject: id, value, byId: id })
}

/** The language that somebody chose at another lane, where no later change of them says another. */
function takeLocale(
  staff: StaffParts,
  tx: Tx,
  { subject, value: { locale }, byId, stamp, detail }: TakenChange<PersonLocaleChange>,
): void {
  const known = staff.rows.record(subject)
  if (known && !isLater(staff, 'person', subject, stamp)) update(staff, tx, known, { ...known, locale }, byId, detail)
}

/** Whether another lane's change gives a person more rights than they have here. */
const raises = (
  { rows }: StaffParts,
  { subject, value }: Pick<TakenChange<PersonChange>, 'subject' | 'value'>,
): boolean => rankOf(value) > rankOf(rows.record(subject) ?? NO_RIGHTS)

/** Whether whoever has the PIN or badge of this person has rights by it, or may have after a confirmation. */
const hasRights = ({ rows, store }: StaffParts, id: string): boolean =>
  RANKS[rows.record(id)?.role ?? 'cashier'] > RANKS.cashier || store?.changes.isWaiting('person', id) === true

/** How a person is here becomes how they are at every lane. Of an unknown person: that they do not work here. */
function tellAsHere(staff: StaffParts, tx: Tx, id: string, name: string, actorId: string): void {
  if (!staff.rows.record(id)) staff.store?.changes.addPerson(tx, { id, name })
  tell(staff, tx, id, actorId)
}

/** A person as another lane changed them, also the last manager: a change that needs it was confirmed here. */
function take(staff: StaffParts, tx: Tx, { subject, value, byId, stamp, detail }: TakenChange<PersonChange>): void {
  const known = staff.rows.record(subject)
  const { name, role, active } = withoutRise(value, known)
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
 * Who works at the lane. The profile is what a lane begins with; from then on the lane's own changes stand, and what
 * the profile says anew of a person takes their place.
 */
export const createPeople = (staff: StaffParts) =>
  bound(staff, {
    all: ({ rows }: StaffParts): StaffRecord[] => rows.all(),
    takeOverProfile,
    reinstate,
    add,
    change,
    tellLocale,
    takeLocale,
    raises,
    hasRights,
    tellAsHere,
    take,
    /** Where a person was changed last; null: nobody of the store has. */
    changedAt: ({ store }: StaffParts, id: string): ChangedAt | null => store?.changes.changedAt('person', id) ?? null,
  })
