import type { Sale } from '../../contracts/sales/sales.ts'
import type { TerminalEvent } from '../../contracts/core/events.ts'
import type { Notice } from './state/notices.ts'
import { outcomeOf } from '../sales/sale.ts'

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

export function cueOfChange(before: Sale | null, now: Sale | null): Cue | null {
  const redemption = now?.redemption
  if (!redemption || before?.id !== now.id || before.redemption?.state === redemption.state) return null
  const outcome = outcomeOf(redemption)
  return outcome === 'approved' ? 'approved' : outcome === 'failed' ? 'not-applied' : null
}

export const cueOfNotices = (before: readonly Notice[], now: readonly Notice[]): Cue | null =>
  now.some((notice) => notice.tone === 'danger' && !before.includes(notice)) ? 'error' : null

const LOUDEST = 10
/** Duration of the fade-in and fade-out of a note, in seconds, because a wave that is cut off clicks. */
const EDGE = 0.008

let context: AudioContext | null = null

/**
 * Plays a cue; `volume` from 0 to 10. Browsers allow sound only after a touch, such as the sign-in. Without audio
 * nothing happens: the screen shows the same information.
 */
export function play(cue: Cue, volume: number): void {
  if (volume <= 0 || globalThis.AudioContext === undefined) return
  context ??= new AudioContext()
  if (context.state === 'suspended') void context.resume()
  // Loudness is perceived as a ratio: with the square of the volume, its steps sound about equal.
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

/** Sound cues for the cashier. Each one duplicates information on the screen. */
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

/** One note: pitch in hertz, start and duration in milliseconds. */
export interface Note {
  readonly hz: number
  readonly atMs: number
  readonly ms: number
}

const melody = (restMs: number, ...notes: readonly (readonly [hz: number, ms: number])[]): readonly Note[] => {
  let atMs = 0
  return notes.map(([hz, ms]) => {
    const note = { hz, atMs, ms }
    atMs += ms + restMs
    return note
  })
}

/**
 * Notes of each cue. Good news is high or rises, bad news is low or falls. Each cue differs from the others in pitch,
 * and in number and length of notes, because pitch is lost in the noise of a store.
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
