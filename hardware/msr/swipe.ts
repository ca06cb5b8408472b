import type { CollectorNumber } from '../../contracts/core/ids.ts'
import type { CardRead } from '../device.ts'
import { createNoiseMeter, type NoiseMeter } from '../serial/line.ts'
import type { ProgramCards } from './program-card.ts'
import { findTracks } from './tracks.ts'

/** Fewer stray bytes than this, without any sentinel, are line noise and no swipe. */
const LEAST_NOISE = 4

/**
 * Gathers the frames of one swipe into one read. Readers send their tracks in one frame or in one each;
 * a swipe is over when the wire is silent, or when a track comes that it already had.
 */
export interface SwipeAssembler {
  frame(bytes: Uint8Array): void
  /** This many bytes came but made no frame. */
  noise(bytes: number): void
  /** The wire is silent: what came is all of the swipe. */
  finish(): void
  /** The wire broke: what came is void. */
  reset(): void
}

export function assembleSwipes(
  cards: ProgramCards,
  onRead: (read: CardRead) => void,
  noise: NoiseMeter = createNoiseMeter(),
): SwipeAssembler {
  let tracksSeen = new Set<number>()
  let number: CollectorNumber | null = null
  let badge: string | null = null
  let conflict = false
  let foreign = false
  let noiseBytes = 0
  let decided = false
  /** A swipe could not be read and nobody was told yet: it is told with the next read, or when the wire is silent. */
  let owesWord = false

  function reset(): void {
    tracksSeen = new Set()
    number = null
    badge = null
    conflict = false
    foreign = false
    noiseBytes = 0
    decided = false
  }

  function decide(): void {
    if (decided) return
    const collectorNumber = conflict ? null : number
    // A badge's tracks may say more than its number; a card of the program is never taken for one.
    const isBadge = badge !== null && number === null && !conflict
    const any = tracksSeen.size > 0 || noiseBytes >= LEAST_NOISE
    if (!any) return
    decided = true
    // What looks like a card among that much noise is chance.
    if (noise.flooded) return
    if (isBadge && badge !== null) {
      notifyUnreadable()
      return onRead({ kind: 'staff-badge', number: badge })
    }
    if (collectorNumber === null && (!foreign || conflict)) {
      owesWord = true
      return
    }
    notifyUnreadable()
    onRead(collectorNumber === null ? { kind: 'foreign-card' } : { kind: 'program-card', collectorNumber })
  }

  function notifyUnreadable(): void {
    if (owesWord && !noise.flooded) onRead({ kind: 'unreadable' })
    owesWord = false
  }

  return {
    frame(bytes) {
      const tracks = findTracks(bytes)
      if (tracks.every((track) => track.state === 'failed')) noise.add(bytes.length)
      if (tracks.length === 0) {
        noiseBytes += bytes.length
        return
      }
      if (tracks.some((track) => track.number !== 3 && tracksSeen.has(track.number))) {
        decide()
        reset()
      }
      let track2Matched = false
      for (const track of tracks) {
        tracksSeen.add(track.number)
        if (track.state === 'failed') continue
        const found = cards.ofTrack(bytes, track)
        if (found === null) {
          const staff = cards.badgeOfTrack(bytes, track)
          if (staff !== null) {
            // Two numbers are a damaged or a made-up badge.
            if (badge !== null && badge !== staff) conflict = true
            badge = staff
            continue
          }
          // Track 3 of a program card may hold anything; alone it says nothing about whose card it is.
          if (track.number !== 3) foreign = true
          continue
        }
        // Two tracks that name two collectors are a damaged or a made-up card.
        if (number !== null && number !== found) conflict = true
        number = found
        if (track.number === 2) track2Matched = true
      }
      // Track 2 is what the program's cards carry; when it says a number, nothing that may follow changes it.
      if (track2Matched) decide()
    },
    noise(bytes) {
      noise.add(bytes)
      noiseBytes += bytes
    },
    finish() {
      decide()
      reset()
      notifyUnreadable()
    },
    reset() {
      reset()
      owesWord = false
    },
  }
}
