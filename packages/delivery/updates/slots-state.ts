import { z } from 'zod'
import { Report, Version } from './formats.ts'

export const SlotName = z.enum(['a', 'b'])
export type SlotName = z.infer<typeof SlotName>
export const otherSlot = (slot: SlotName): SlotName => (slot === 'a' ? 'b' : 'a')

/**
 * Why a version is not tried any more. `ended`: its program ended before it had served; `hung`: it did not come up in
 * time; `crashed`: its backend came up and went down; `killed`: a try ended without a word, as in a power cut;
 * `damaged`: its files are not as they were signed; `asked`: somebody went back by command.
 */
export const WhyRefused = z.enum(['ended', 'hung', 'crashed', 'killed', 'damaged', 'asked'])
export type WhyRefused = z.infer<typeof WhyRefused>

const Time = z.iso.datetime()

/** One that only a newer program knows says as little as an end. */
const Why = WhyRefused.catch('ended')

/**
 * `slots/state.json`. Whoever starts the terminal writes it, then its backend; commands give orders instead. What a
 * newer program notes beside is passed over: after going back an older one reads it.
 */
export const SlotsState = z.object({
  format: z.literal(1),
  /** Whose program starts. */
  good: SlotName,
  /** Fetched whole, and waits for its time. `isArmed`: the lane was closed and idle, so the next start tries it. */
  pending: z
    .object({
      version: Version,
      since: Time,
      isArmed: z.boolean(),
      /** Where it is published, so that a start can ask whether it was halted; null: an older program fetched it. */
      from: z.string().nullable().default(null),
    })
    .nullable()
    .default(null),
  trial: z
    .object({
      slot: SlotName,
      version: Version,
      /** That of the good one. */
      from: Version,
      /** Tries so far, the one that runs among them. */
      starts: z.int().min(0),
      since: Time,
      /** Of the database before the first try; null: not known. */
      schemaBefore: z.int().nullable(),
      /** Somebody asked for the version before. */
      isBack: z.boolean(),
      /** How often its backend has begun in this try: a second time is one crash too many. */
      began: z.int().min(0),
      /** How often its window was closed before it had served. */
      closings: z.int().min(0).default(0),
      /** Of the last try that failed. */
      why: Why.nullable(),
    })
    .nullable(),
  /** What ran before the good one and stands in the other slot still: `back` goes to it. */
  before: z.object({ version: Version }).nullable().default(null),
  refused: z.array(z.object({ version: Version, why: Why, at: Time })),
  /** Of the newest channel that was believed. */
  sequence: z.int().min(0),
  /** What the controller of the waves is still to be told. */
  outcomes: z.array(z.object(Report.omit({ store: true, lane: true }).shape)).default([]),
  /** What happened last, for people. */
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

const MOST_TRIES = 3
/** A person closes a window soon after it came up now and then; one that closes by itself does so every time. */
const MOST_CLOSINGS = 6
const MOST_KEPT = 100
const kept = <T>(all: readonly T[]): T[] => all.slice(-MOST_KEPT)

/** What a start of the good slot's program comes to. */
export type Decision =
  | { readonly kind: 'self'; readonly state: SlotsState }
  | { readonly kind: 'try'; readonly state: SlotsState }

/** Begins the first try of a version that stands whole in `slot`. */
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

/** One more try of a trial that has not come up, or the end of it. */
export function nextTry(state: SlotsState, trial: Trial, at: string): Decision {
  if (trial.starts >= MOST_TRIES || trial.closings >= MOST_CLOSINGS)
    return { kind: 'self', state: giveUp(state, trial, trial.why ?? 'killed', at) }
  return { kind: 'try', state: { ...state, trial: { ...trial, starts: trial.starts + 1, began: 0 } } }
}

/** The good one goes on, and the version is not taken again. */
export function giveUp(state: SlotsState, trial: Trial, why: WhyRefused, at: string): SlotsState {
  const { version, from, isBack } = trial
  const outcome = { version, from, outcome: 'went-back' as const, why, at }
  return {
    ...state,
    trial: null,
    before: null,
    refused: kept([...state.refused, { version, why, at }]),
    // That somebody could not go back says nothing of the wave of the version before: it would be halted for it.
    outcomes: isBack ? state.outcomes : kept([...state.outcomes, outcome]),
    last: outcome,
  }
}

/** It has served: from now on it is the good one. */
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
    refused: isBack ? kept([...state.refused, { version: from, why: 'asked', at }]) : state.refused,
    outcomes: kept([...state.outcomes, outcome]),
    last: outcome,
  }
}

/** What is published cannot be put on a lane. Told once; it may be mended there, so that it is not refused here. */
export function failed(state: SlotsState, version: string, from: string, why: WhyRefused, at: string): SlotsState {
  if (state.last?.version === version && state.last.outcome === 'failed') return state
  const outcome = { version, from, outcome: 'failed' as const, why, at }
  return {
    ...state,
    pending: null,
    outcomes: kept([...state.outcomes, outcome]),
    last: outcome,
  }
}
