import { z } from 'zod'
import { Role } from './session.ts'

/**
 * Changes made at another lane that raise a right, or replace a PIN or badge of a person with rights. They have no
 * effect at this lane until a manager confirms them here, or the owner at the store's server.
 */
export const WAITING_KINDS = ['person', 'person-pin', 'person-badge', 'setting'] as const

/** Names one change: a later change of the same thing has another clock or lane. */
export const WaitingChangeKey = z.object({
  kind: z.enum(WAITING_KINDS),
  subject: z
    .string()
    .max(80)
    .regex(/^[\w.:-]+$/),
  clock: z.int().positive(),
  lane: z
    .string()
    .max(20)
    .regex(/^[\w-]+$/),
})
export type WaitingChangeKey = z.infer<typeof WaitingChangeKey>

export const WaitingChange = WaitingChangeKey.extend({
  at: z.iso.datetime().describe('by the clock of the lane that made it'),
  by: z.string().nullable().describe('name of who made it; null: the store’s profile'),
  what: z.discriminatedUnion('of', [
    z.object({
      of: z.literal('person'),
      name: z.string(),
      role: Role,
      before: Role.nullable().describe('role in force at this lane; null: does not work here'),
      pinFrom: z.string().nullable().describe('other lane at which the person’s PIN was set last'),
    }),
    z.object({ of: z.literal('pin'), name: z.string() }),
    z.object({ of: z.literal('badge'), name: z.string() }),
    z.object({ of: z.literal('setting'), name: z.string(), before: z.json(), after: z.array(z.json()) }),
  ]),
})
export type WaitingChange = z.infer<typeof WaitingChange>

/** GET /api/waiting-changes, for managers; POST …/confirm and …/refuse answer it too. */
export const WaitingChanges = z.object({ changes: z.array(WaitingChange) })
export type WaitingChanges = z.infer<typeof WaitingChanges>
