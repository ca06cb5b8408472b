import type { ChangePerson, NewPerson, Staff } from '../../contracts/staff/session.ts'
import { StaffId } from '../../contracts/core/ids.ts'
import type { Profile } from '../../contracts/core/profile.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import { PersonChange, PersonLocaleChange } from '../../contracts/store/changes.ts'
import type { Tx } from '../core/db/transact.ts'
import { ProblemError, refuseChanged } from '../core/problem.ts'
import type { ChangedAt, Changes, TakenChange } from '../store/changes.ts'
import { compareStamps, type Stamp } from '../store/changes.sql.ts'
import type { AuditDetail, AuditTrail } from '../core/audit.ts'
import type { StaffRecord, StaffRepository } from './staff.sql.ts'

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

export interface PeopleOptions {
  readonly rows: StaffRepository
  readonly audit: AuditTrail
  /** Left out: nobody else hears of what is changed. */
  readonly changes?: Changes | undefined
}

export type People = ReturnType<typeof createPeople>

/**
 * Who works at the lane. The profile is what a lane begins with; from then on the lane's own changes stand, and what
 * the profile says anew of a person takes their place.
 */
export function createPeople({ rows, audit, changes }: PeopleOptions) {
  /** What the profile had said when the store was last told of a person; undefined: it never was. */
  function heardEntry(id: string): string | null | undefined {
    const value = changes?.valueOf('person', id)
    return value === undefined ? undefined : PersonChange.parse(value).profileEntry
  }

  function tell(tx: Tx, id: string, actorId: string | null, profileEntry?: string | null): void {
    const person = rows.record(id)
    if (!changes || !person) return
    const { name, role, locale, active } = person
    const heard = heardEntry(id)
    const entry = profileEntry !== undefined ? profileEntry : heard === undefined ? person.profileEntry : heard
    const value: PersonChange = { name, role, locale, active, profileEntry: entry }
    changes.tell(tx, { kind: 'person', subject: id, value, byId: actorId })
  }

  const isLater = (kind: 'person' | 'person-locale', id: string, than: Stamp): boolean =>
    changes !== undefined && compareStamps(changes.stampOf(kind, id), than) > 0
  const chosenLocale = (id: string): Locale => PersonLocaleChange.parse(changes?.valueOf('person-locale', id)).locale

  function record(
    tx: Tx,
    kind: 'added' | 'changed' | 'removed',
    actorId: string | null,
    after: Pick<StaffRecord, 'id' | 'name' | 'role' | 'locale' | 'active'>,
    before?: Pick<StaffRecord, 'name' | 'role' | 'locale' | 'active'>,
    more: AuditDetail = {},
  ): void {
    audit.record(tx, {
      kind: `staff-${kind}`,
      actorId,
      subject: after.id,
      detail: {
        name: after.name,
        role: after.role,
        locale: after.locale,
        active: after.active,
        ...(before
          ? {
              nameBefore: before.name,
              roleBefore: before.role,
              localeBefore: before.locale,
              activeBefore: before.active,
            }
          : {}),
        ...more,
      },
    })
  }

  function change(
    tx: Tx,
    known: StaffRecord,
    changed: Pick<StaffRecord, 'name' | 'role' | 'locale' | 'active'>,
    actorId: string | null,
    more?: AuditDetail,
  ): boolean {
    const same = (['name', 'role', 'locale', 'active'] as const).every((of) => known[of] === changed[of])
    if (same) return false
    rows.update(tx, known.id, changed)
    record(tx, known.active && !changed.active ? 'removed' : 'changed', actorId, { ...known, ...changed }, known, more)
    return true
  }

  /** What the profile says anew, told with it: a lane that hears it later does not take it over a second time. */
  function changeByProfile(tx: Tx, known: StaffRecord, changed: StaffRecord, entry: string | null): void {
    if (heardEntry(known.id) === entry) {
      followSince(tx, known, changed)
      return
    }
    if (change(tx, known, changed, null) || heardEntry(known.id) !== undefined) tell(tx, known.id, null, entry)
  }

  /**
   * The store knows what the profile says, and perhaps a later change. This lane reads the profile itself: a later
   * change that gives more rights than the profile does waits for a confirmation.
   */
  function followSince(tx: Tx, known: StaffRecord, word: StaffRecord): void {
    const said = PersonChange.parse(changes?.valueOf('person', known.id))
    if (rankOf(said) > rankOf(word)) {
      change(tx, known, word, null)
      changes?.holdBack(tx, 'person', known.id)
      return
    }
    const { name, role, active } = withoutRise(said, known)
    change(tx, known, { ...known, name, role, active }, null)
    changes?.dropWaiting(tx, 'person', known.id)
  }

  function takeOver(tx: Tx, person: ProfilePerson): void {
    const entry = entryOf(person)
    const known = rows.record(person.id)
    if (!known) {
      const added = { ...person, id: StaffId.parse(person.id) }
      rows.insert(tx, added, entry)
      record(tx, 'added', null, { ...added, active: true })
      return
    }
    // The language is a person's own once they are known.
    if (known.profileEntry !== entry)
      changeByProfile(tx, known, { ...known, name: person.name, role: person.role, active: true }, entry)
    rows.setProfileEntry(tx, person.id, entry)
  }

  function idFor(name: string): StaffId {
    // Two lanes that are apart may each add somebody of this name: they are two people.
    const suffix = changes?.idSuffix() ?? ''
    const slug = slugOf(name).slice(0, LONGEST_ID - 4 - suffix.length) + suffix
    for (let number = 1; ; number += 1) {
      const id = number === 1 ? slug : `${slug}-${number}`
      if (!rows.record(id)) return StaffId.parse(id)
    }
  }

  /** Somebody must be left who can manage the lane. Throws ProblemError `last-manager`. */
  function refuseWithoutManager(without: string): void {
    if (!rows.active().some(({ id, role }) => role === 'manager' && id !== without))
      throw new ProblemError('last-manager')
  }

  return {
    all: (): StaffRecord[] => rows.all(),

    /** What the profile says of its people, where it says something new. Who is no longer in it leaves. */
    takeOverProfile(tx: Tx, people: readonly ProfilePerson[]): void {
      for (const person of people) takeOver(tx, person)
      const named = new Set(people.map(({ id }) => id))
      for (const known of rows.all()) {
        if (known.profileEntry === null || named.has(known.id)) continue
        changeByProfile(tx, known, { ...known, active: false }, null)
        rows.setProfileEntry(tx, known.id, null)
      }
    },

    /**
     * A person works here as the profile says, whatever was changed since: for whoever has the machine in hand. No
     * other lane is told.
     */
    reinstate(tx: Tx, { id, role }: Pick<ProfilePerson, 'id' | 'role'>): void {
      const known = rows.record(id)
      if (known) change(tx, known, { ...known, role, active: true }, null)
    },

    /** A person of the lane's own, without a PIN yet. */
    add(tx: Tx, { name, role, locale }: NewPerson, actorId: string): Staff {
      const person = { id: idFor(name), name, role, locale }
      rows.insert(tx, person, null)
      record(tx, 'added', actorId, { ...person, active: true })
      tell(tx, person.id, actorId)
      return person
    },

    /**
     * Throws ProblemError `not-found`, `changed-meanwhile`, `staff-self` for a manager who would take their own rights,
     * `last-manager`.
     */
    change(tx: Tx, id: string, { seen, ...changed }: ChangePerson, actorId: string): void {
      const known = rows.record(id)
      if (!known) throw new ProblemError('not-found')
      const { name, role, locale, active } = known
      refuseChanged(seen, { name, role, locale, active })
      const losesRights = !changed.active || changed.role !== known.role
      if (id === actorId && losesRights) throw new ProblemError('staff-self')
      if (known.role === 'manager' && known.active && losesRights) refuseWithoutManager(id)
      if (change(tx, known, changed, actorId)) tell(tx, id, actorId)
    },

    /** The language that somebody chose for themselves, and nothing else of them: that is a manager's to say. */
    tellLocale: (tx: Tx, id: string, locale: Locale): void => {
      const value: PersonLocaleChange = { locale }
      changes?.tell(tx, { kind: 'person-locale', subject: id, value, byId: id })
    },

    /** The language that somebody chose at another lane, where no later change of them says another. */
    takeLocale(tx: Tx, { subject, value: { locale }, byId, stamp, detail }: TakenChange<PersonLocaleChange>): void {
      const known = rows.record(subject)
      if (known && !isLater('person', subject, stamp)) change(tx, known, { ...known, locale }, byId, detail)
    },

    /** Whether another lane's change gives a person more rights than they have here. */
    raises: ({ subject, value }: Pick<TakenChange<PersonChange>, 'subject' | 'value'>): boolean =>
      rankOf(value) > rankOf(rows.record(subject) ?? NO_RIGHTS),

    /** Whether whoever has the PIN or badge of this person has rights by it, or may have after a confirmation. */
    hasRights: (id: string): boolean =>
      RANKS[rows.record(id)?.role ?? 'cashier'] > RANKS.cashier || changes?.isWaiting('person', id) === true,

    /** How a person is here becomes how they are at every lane. Of an unknown person: that they do not work here. */
    tellAsHere(tx: Tx, id: string, name: string, actorId: string): void {
      if (!rows.record(id)) changes?.addPerson(tx, { id, name })
      tell(tx, id, actorId)
    },

    /** A person as another lane changed them, also the last manager: a change that needs it was confirmed here. */
    take(tx: Tx, { subject, value, byId, stamp, detail }: TakenChange<PersonChange>): void {
      const known = rows.record(subject)
      const { name, role, active } = withoutRise(value, known)
      const locale = isLater('person-locale', subject, stamp) ? chosenLocale(subject) : value.locale
      if (known) {
        change(tx, known, { name, role, locale, active }, byId, detail)
        return
      }
      const added = { id: StaffId.parse(subject), name, role, locale }
      rows.insert(tx, added, null)
      if (!active) rows.update(tx, subject, { name, role, locale, active })
      record(tx, 'added', byId, { ...added, active }, undefined, detail)
    },

    /** Where a person was changed last; null: nobody of the store has. */
    changedAt: (id: string): ChangedAt | null => changes?.changedAt('person', id) ?? null,
  }
}
