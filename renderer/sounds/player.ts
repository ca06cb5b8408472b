import { TUNES, type Cue } from './tunes.ts'

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
