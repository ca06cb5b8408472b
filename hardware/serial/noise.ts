/**
 * More than this between two silences is no damaged read: it is noise, and whatever looks like text in it is chance.
 * Four times the longest swipe, in bytes.
 */
const FLOOD_BYTES = 2_048

/** Counts the bytes of a wire that meant nothing. A flood of them changes nothing else. */
export interface NoiseMeter {
  /** Bytes of noise since the device was opened. */
  readonly total: number
  /** There has been so much noise since the last silence that nothing else can be believed. */
  readonly flooded: boolean
  add(bytes: number): void
  /** The wire is silent, or another one: what comes next begins anew. */
  quiet(): void
}

export function createNoiseMeter(): NoiseMeter {
  let total = 0
  let sinceSilence = 0
  return {
    get total() {
      return total
    },
    get flooded() {
      return sinceSilence > FLOOD_BYTES
    },
    add(bytes) {
      total += bytes
      sinceSilence += bytes
    },
    quiet() {
      sinceSilence = 0
    },
  }
}
