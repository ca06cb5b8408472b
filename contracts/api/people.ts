import { z } from 'zod'
import { freeText } from '../free-text.ts'
import { StaffId } from '../ids.ts'
import { Locale } from '../locales.ts'
import { BadgeReadId, Role, StaffLock } from './session.ts'
import { Elsewhere } from './store.ts'

/** It is read on tiles and on paper: letters of any language, and nothing that cannot be seen. */
const Name = freeText({ max: 60 })
  .regex(/^\P{C}{1,60}$/u)
  .regex(/[\p{L}\p{N}]/u)
  .refine((name) => !/[\u2028\u2029]/.test(name))

/** POST /api/people: somebody new, without a PIN. */
export const NewPerson = z.object({ name: Name, role: Role, locale: Locale })
export type NewPerson = z.infer<typeof NewPerson>

/** PUT /api/people/:id */
const Changed = NewPerson.extend({ active: z.boolean() })
export const ChangePerson = Changed.extend({
  seen: Changed.optional().describe('the person as the form showed them: refused where they are another by now'),
})
export type ChangePerson = z.infer<typeof ChangePerson>

/** PUT /api/people/:id/badge: the badge that was read for the form, by its id. */
export const AssignBadge = z.object({ readId: BadgeReadId })

/** GET /api/people, for managers: everybody, who works here first. */
export const Person = StaffLock.extend({
  locale: Locale,
  active: z.boolean(),
  ofProfile: z.boolean().describe('named by the store’s profile; else added at this lane'),
  elsewhere: Elsewhere.optional().describe('which other lane changed the person last; left out: none'),
})
export type Person = z.infer<typeof Person>
export const PeopleList = z.object({ people: z.array(Person) })
export type PeopleList = z.infer<typeof PeopleList>

/** The answer to POST /api/people. */
export const PersonAdded = PeopleList.extend({ id: StaffId })
export type PersonAdded = z.infer<typeof PersonAdded>

/**
 * POST /api/people/:id/reset-pin: a one-time PIN, told once. It opens nothing but the choice of a PIN of one's own, and
 * lifts every lock.
 */
export const OneTimePin = z.object({ pin: z.string(), id: StaffId })
export type OneTimePin = z.infer<typeof OneTimePin>
