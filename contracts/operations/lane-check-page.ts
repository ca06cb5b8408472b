import { z } from 'zod'
import { LANE_CHECKS, LANE_FINDINGS, LANE_STATES, type LaneFindingCode } from './lane-check.ts'
import { Localized } from '../core/locales.ts'

export const LaneValue = z.union([z.string(), z.number(), Localized])
export type LaneValue = z.infer<typeof LaneValue>

const CODES = Object.keys(LANE_FINDINGS) as [LaneFindingCode, ...LaneFindingCode[]]

/** One finding of a lane check. `values` are for its text and contain no secret. */
export const LaneFinding = z.object({ code: z.enum(CODES), values: z.record(z.string(), LaneValue) })
export type LaneFinding = z.infer<typeof LaneFinding>

export const CheckedSection = z.object({
  check: z.enum(LANE_CHECKS),
  state: z.enum(['running', ...LANE_STATES]),
  findings: z.array(LaneFinding),
  ms: z.number().nullable(),
})
export type CheckedSection = z.infer<typeof CheckedSection>

/**
 * State of a lane check. POST /api/diagnostics/lane starts a check, or joins the running one. The check changes
 * nothing.
 */
export const LaneCheck = z.object({
  id: z.string(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  /** Sections of the check. */
  parts: z.array(CheckedSection),
})
export type LaneCheck = z.infer<typeof LaneCheck>

export const LastLaneCheck = z.object({ check: LaneCheck.nullable() })
export type LastLaneCheck = z.infer<typeof LastLaneCheck>
