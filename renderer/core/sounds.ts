import type { Sale } from '../../contracts/sales/sales.ts'
import type { TerminalEvent } from '../../contracts/core/events.ts'
import type { Notice } from './state/notices.ts'
import { outcomeOf } from '../sales/sale.ts'

/** The sound of what the backend has told, or null. */
export function cueOfEvent(event: TerminalEvent): Cue | null {
  switch (event.type) {
    case 'sale-changed':
      return event.cause === 'scan' ? 'scan-ok' : null
    case 'scan-unknown':
    case 'scan-unreadable':
      return 'scan-unknown'
    case 'card-read':
      return 'card-read'
    case 'card-refused':
    case 'scan-refused':
    case 'goods-asked':
    case 'approval-asked':
    case 'stopped':
      return 'error'
    case 'central-turned':
      return event.sound ? `central-${event.now}` : null
    default:
      return null
  }
}

/** The sound of an outcome that a sale has come to, however it was heard of: an answer or an event. */
export function cueOfChange(before: Sale | null, now: Sale | null): Cue | null {
  const redemption = now?.redemption
  if (!redemption || before?.id !== now.id || before.redemption?.state === redemption.state) return null
  const outcome = outcomeOf(redemption)
  return outcome === 'approved' ? 'approved' : outcome === 'failed' ? 'not-applied' : null
}

/** The sound of a problem that was put on the screen. */
export const cueOfNotices = (before: readonly Notice[], now: readonly Notice[]): Cue | null =>
  now.some((notice) => notice.tone === 'danger' && !before.includes(notice)) ? 'error' : null

const LOUDEST = 10
/** The ends of a note are rounded this long, in seconds: a wave that is cut off clicks. */
const EDGE = 0.008

let context: AudioContext | null = null

/**
 * Plays a cue; `volume` from 0 to 10. Browsers give sound to a page only once it was touched, and signing in is a
 * touch; where there is none at all, nothing happens: the screen says everything too.
 */
export function play(cue: Cue, volume: number): void {
  if (volume <= 0 || globalThis.AudioContext === undefined) return
  context ??= new AudioContext()
  if (context.state === 'suspended') void context.resume()
  // The ear hears loudness in ratios: equal steps of the square sound about equal.
  const loudness = Math.min(1, volume / LOUDEST) ** 2
  const start = context.currentTime
  for (const { hz, atMs, ms } of TUNES[cue]) {
    const from = start + atMs / 1_000
    const until = from + ms / 1_000
    const wave = context.createOscillator()
    const gain = context.createGain()
    wave.type = 'triangle'
    wave.frequency.value = hz
    gain.gain.setValueAtTime(0, from)
    gain.gain.linearRampToValueAtTime(loudness, from + EDGE)
    gain.gain.setValueAtTime(loudness, until - EDGE)
    gain.gain.linearRampToValueAtTime(0, until)
    wave.connect(gain).connect(context.destination)
    wave.start(from)
    wave.stop(until)
  }
}

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
