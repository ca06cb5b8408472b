import type { ChangePerson, NewPerson } from '../../../contracts/api/people.ts'
import type { Staff } from '../../../contracts/api/session.ts'
import { StaffId } from '../../../contracts/ids.ts'
import type { Profile } from '../../../contracts/profile.ts'
import type { Tx } from '../../db/transact.ts'
import { ProblemError } from '../../http/problem.ts'
import { refuseChanged } from '../../http/changed-meanwhile.ts'
import type { AuditTrail } from './audit.ts'
import type { StaffRecord, StaffRepository } from './repository.ts'

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

export type People = ReturnType<typeof createPeople>

/**
 * Who works at the lane. The profile is what a lane begins with; from then on the lane's own changes stand, and what
 * the profile says anew of a person takes their place.
 */
export function createPeople({ rows, audit }: { readonly rows: StaffRepository; readonly audit: AuditTrail }) {
  function record(
    tx: Tx,
    kind: 'added' | 'changed' | 'removed',
    actorId: string | null,
    after: Pick<StaffRecord, 'id' | 'name' | 'role' | 'locale' | 'active'>,
    before?: Pick<StaffRecord, 'name' | 'role' | 'locale' | 'active'>,
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
      },
    })
  }

  function change(
    tx: Tx,
    known: StaffRecord,
    changed: Pick<StaffRecord, 'name' | 'role' | 'locale' | 'active'>,
    actorId: string | null,
  ): void {
    const same = (['name', 'role', 'locale', 'active'] as const).every((of) => known[of] === changed[of])
    if (same) return
    rows.update(tx, known.id, changed)
    record(tx, known.active && !changed.active ? 'removed' : 'changed', actorId, { ...known, ...changed }, known)
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
      change(tx, known, { name: person.name, role: person.role, locale: known.locale, active: true }, null)
    rows.setProfileEntry(tx, person.id, entry)
  }

  function idFor(name: string): StaffId {
    const slug = slugOf(name)
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
        change(tx, known, { ...known, active: false }, null)
        rows.setProfileEntry(tx, known.id, null)
      }
    },

    /** A person of the lane's own, without a PIN yet. */
    add(tx: Tx, { name, role, locale }: NewPerson, actorId: string): Staff {
      const person = { id: idFor(name), name, role, locale }
      rows.insert(tx, person, null)
      record(tx, 'added', actorId, { ...person, active: true })
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
      change(tx, known, changed, actorId)
    },
  }
}
