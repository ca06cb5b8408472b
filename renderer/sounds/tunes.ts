/**
 * What a cashier can hear without looking. A sound is never the only sign: each stands for something that the screen
 * says too.
 */
export const CUES = [
  'scan-ok',
  'scan-unknown',
  'card-read',
  'approved',
  'not-applied',
  'error',
  'central-gone',
  'central-back',
] as const
export type Cue = (typeof CUES)[number]

/** One note: its pitch in hertz, and when it begins and how long it sounds, in milliseconds. */
export interface Note {
  readonly hz: number
  readonly atMs: number
  readonly ms: number
}

/** Notes one after another with the same rest between them. */
const melody = (restMs: number, ...notes: readonly (readonly [hz: number, ms: number])[]): readonly Note[] => {
  let atMs = 0
  return notes.map(([hz, ms]) => {
    const note = { hz, atMs, ms }
    atMs += ms + restMs
    return note
  })
}

/**
 * Good news is high or rises, bad news is low or falls, and no two have the same number and length of notes: they are
 * told apart by pitch, and by rhythm alone where pitch is lost in the noise of a store.
 */
export const TUNES: Readonly<Record<Cue, readonly Note[]>> = {
  'scan-ok': melody(0, [1760, 60]),
  'card-read': melody(30, [880, 70], [1319, 110]),
  approved: melody(25, [784, 90], [988, 90], [1319, 260]),
  'scan-unknown': melody(90, [392, 130], [392, 130]),
  'not-applied': melody(60, [622, 160], [466, 160], [311, 420]),
  error: melody(50, [233, 110], [233, 110], [233, 110], [196, 240]),
  'central-gone': melody(60, [523, 180], [349, 300]),
  'central-back': melody(60, [349, 120], [523, 240]),
}
