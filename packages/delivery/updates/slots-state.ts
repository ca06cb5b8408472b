import { z } from 'zod'
import { Report, Version } from './formats.ts'

export const SlotName = z.enum(['a', 'b'])
export type SlotName = z.infer<typeof SlotName>
export const otherSlot = (slot: SlotName): SlotName => (slot === 'a' ? 'b' : 'a')

/**
 * Why a version is not tried again. `ended`: its program ended before it was confirmed; `hung`: it did not start in
 * time; `crashed`: its backend started and crashed; `killed`: a try ended without a message, as in a power cut;
 * `damaged`: its files differ from their signature; `asked`: a person went back by a CLI command.
 */
export const WhyRefused = z.enum(['ended', 'hung', 'crashed', 'killed', 'damaged', 'asked'])
export type WhyRefused = z.infer<typeof WhyRefused>

const Time = z.iso.datetime()

/** An unknown reason, written by a newer program, is read as `ended`. */
const Why = WhyRefused.catch('ended')

/**
 * State of the slots in `slots/state.json`. Written by the start of the terminal, then by its backend; CLI commands
 * write instructions instead. Ignores additional fields of a newer program, because an older one reads the file after
 * going back.
 */
export const SlotsState = z.object({
  format: z.literal(1),
  good: SlotName,
  /**
   * A complete download that waits for its trial. `isArmed`: the lane was closed (with the instruction `now`: idle), so
   * the next start tries it unless an instruction holds it.
   */
  pending: z
    .object({
      version: Version,
      since: Time,
      isArmed: z.boolean(),
      /**
       * The server of the download, so that a start can check whether the version was halted; null if an older program
       * downloaded it.
       */
      from: z.string().nullable().default(null),
    })
    .nullable()
    .default(null),
  trial: z
    .object({
      slot: SlotName,
      version: Version,
      from: Version,
      starts: z.int().min(0),
      since: Time,
      /** Schema version of the lane's database before the first try of the version; null if unknown. */
      schemaBefore: z.int().nullable(),
      /** Whether a person requested the trial, to go back to the previous version. */
      isBack: z.boolean(),
      /** How often the version's backend has started in this try: a second time means a crash. */
      began: z.int().min(0),
      /** How often the version's window was closed before the version was confirmed. */
      closings: z.int().min(0).default(0),
      why: Why.nullable(),
    })
    .nullable(),
  /** The previous good version, still in the other slot, to which the instruction `back` returns. */
  before: z.object({ version: Version }).nullable().default(null),
  refused: z.array(z.object({ version: Version, why: Why, at: Time })),
  sequence: z.int().min(0),
  outcomes: z.array(z.object(Report.omit({ store: true, lane: true }).shape)).default([]),
  last: z
    .object({
      version: Version,
      from: Version,
      outcome: Report.shape.outcome,
      why: Why.nullable(),
      at: Time,
    })
    .nullable()
    .default(null),
})
export type SlotsState = z.infer<typeof SlotsState>
export type Trial = NonNullable<SlotsState['trial']>

export const firstState = (good: SlotName): SlotsState => ({
  format: 1,
  good,
  pending: null,
  trial: null,
  before: null,
  refused: [],
  sequence: 0,
  outcomes: [],
  last: null,
})

const MAX_TRIES = 3
/** Maximum closings of a window soon after the start: a person rarely does that; a faulty window closes every time. */
const MAX_CLOSINGS = 6
const MAX_ENTRIES = 100
const newest = <T>(all: readonly T[]): T[] => all.slice(-MAX_ENTRIES)

export type Decision =
  | { readonly kind: 'self'; readonly state: SlotsState }
  | { readonly kind: 'try'; readonly state: SlotsState }

export function beginTrial(
  state: SlotsState,
  trial: Pick<Trial, 'slot' | 'version' | 'from' | 'schemaBefore' | 'isBack'>,
  at: string,
): SlotsState {
  return {
    ...state,
    pending: null,
    before: trial.isBack ? state.before : null,
    trial: { ...trial, starts: 1, since: at, began: 0, closings: 0, why: null },
  }
}

export function nextTry(state: SlotsState, trial: Trial, at: string): Decision {
  if (trial.starts >= MAX_TRIES || trial.closings >= MAX_CLOSINGS)
    return { kind: 'self', state: giveUp(state, trial, trial.why ?? 'killed', at) }
  return { kind: 'try', state: { ...state, trial: { ...trial, starts: trial.starts + 1, began: 0 } } }
}

export function giveUp(state: SlotsState, trial: Trial, why: WhyRefused, at: string): SlotsState {
  const { version, from, isBack } = trial
  const outcome = { version, from, outcome: 'went-back' as const, why, at }
  return {
    ...state,
    trial: null,
    before: null,
    refused: newest([...state.refused, { version, why, at }]),
    // A failed return to the previous version must not count against that version's wave.
    outcomes: isBack ? state.outcomes : newest([...state.outcomes, outcome]),
    last: outcome,
  }
}

export function confirmed(state: SlotsState, trial: Trial, at: string): SlotsState {
  const { version, from, slot, isBack } = trial
  const outcome = isBack
    ? { version: from, from: version, outcome: 'went-back' as const, why: 'asked' as const, at }
    : { version, from, outcome: 'running' as const, why: null, at }
  return {
    ...state,
    good: slot,
    trial: null,
    before: isBack ? null : { version: from },
    refused: isBack ? newest([...state.refused, { version: from, why: 'asked', at }]) : state.refused,
    outcomes: newest([...state.outcomes, outcome]),
    last: outcome,
  }
}

/**
 * Records once that a published version cannot be installed on a lane. The version may be published again, so it is not
 * added to the refused ones.
 */
export function failed(state: SlotsState, version: string, from: string, why: WhyRefused, at: string): SlotsState {
  if (state.last?.version === version && state.last.outcome === 'failed') return state
  const outcome = { version, from, outcome: 'failed' as const, why, at }
  return {
    ...state,
    pending: null,
    outcomes: newest([...state.outcomes, outcome]),
    last: outcome,
  }
}
