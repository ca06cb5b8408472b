import { z } from 'zod'
import { Names } from '../core/locales.ts'
import { NEXT_STATES, UPDATE_LEFT_WHYS, UPDATE_OUTCOMES, UPDATE_TROUBLES } from './kinds.ts'

export const ProgramVersion = z.string().regex(/^\S{1,64}$/)

/** The running version. `since`: time of its first start, `notes`: release notes; both are null if unknown. */
const RunningVersion = z.object({
  version: ProgramVersion,
  since: z.iso.datetime().nullable(),
  notes: Names.nullable(),
})

/** A newer version for this lane. `bytes`: number downloaded so far; null when the download is complete. */
export const NextVersion = z.object({
  version: ProgramVersion,
  releasedAt: z.iso.datetime(),
  notes: Names,
  state: z.enum(NEXT_STATES),
  heldUntil: z.iso.datetime().nullable().describe('end of `not-now`'),
  bytes: z.object({ done: z.int().min(0), total: z.int().min(0) }).nullable(),
})
export type NextVersion = z.infer<typeof NextVersion>

export const LastUpdate = z.object({
  version: ProgramVersion,
  from: ProgramVersion,
  outcome: z.enum(UPDATE_OUTCOMES),
  why: z.enum(UPDATE_LEFT_WHYS).nullable(),
  at: z.iso.datetime(),
})
export type LastUpdate = z.infer<typeof LastUpdate>

/** Answer of GET /api/updates. `slots` is false when this program was installed without a slot for a second version. */
export const Updates = z.object({
  slots: z.boolean(),
  running: RunningVersion,
  next: NextVersion.nullable(),
  last: LastUpdate.nullable(),
  look: z.object({ at: z.iso.datetime(), trouble: z.enum(UPDATE_TROUBLES).nullable() }).nullable(),
})
export type Updates = z.infer<typeof Updates>

/** Body of POST /api/updates/order: a decision about the version that was shown, stored as an instruction. */
export const UpdateDecision = z.object({ version: ProgramVersion, when: z.enum(['tonight', 'not-now']) })
export type UpdateDecision = z.infer<typeof UpdateDecision>
