import type { CollectorNumber } from '../../contracts/core/ids.ts'
import type { CardRead } from '../device.ts'
import type { FrameReader } from '../input-device.ts'
import { createNoiseMeter, type NoiseMeter } from '../serial/line.ts'
import type { ProgramCards } from './program-card.ts'
import { findTracks } from './tracks.ts'

/** Number of bytes outside any track from which they are an unreadable swipe; fewer are line noise. */
const LEAST_NOISE = 4

/**
 * Combines the frames of one swipe into one read. Readers send their tracks in one frame or in separate frames; a swipe
 * ends when the wire is silent or when track 1 or 2 repeats.
 */
export class SwipeAssembler implements FrameReader {
  private readonly cards: ProgramCards
  private readonly onRead: (read: CardRead) => void
  private readonly meter: NoiseMeter
  private tracksSeen = new Set<number>()
  private number: CollectorNumber | null = null
  private badge: string | null = null
  private conflict = false
  private foreign = false
  private noiseBytes = 0
  private decided = false
  /** Whether an unreadable swipe must still be reported: with the next read, or when the wire is silent. */
  private pendingUnreadable = false

  constructor(cards: ProgramCards, onRead: (read: CardRead) => void, meter: NoiseMeter = createNoiseMeter()) {
    this.cards = cards
    this.onRead = onRead
    this.meter = meter
  }

  private forget(): void {
    this.tracksSeen = new Set()
    this.number = null
    this.badge = null
    this.conflict = false
    this.foreign = false
    this.noiseBytes = 0
    this.decided = false
  }

  private decide(): void {
    if (this.decided) return
    const collectorNumber = this.conflict ? null : this.number
    // A staff badge may carry more data than its number. A swipe with a program card's number is never a badge.
    const isBadge = this.badge !== null && this.number === null && !this.conflict
    const any = this.tracksSeen.size > 0 || this.noiseBytes >= LEAST_NOISE
    if (!any) return
    this.decided = true
    // In this much noise, bytes that look like a card are random, so nothing is reported.
    if (this.meter.isFlooded) return
    if (isBadge && this.badge !== null) {
      this.notifyUnreadable()
      return this.onRead({ kind: 'staff-badge', number: this.badge })
    }
    if (collectorNumber === null && (!this.foreign || this.conflict)) {
      this.pendingUnreadable = true
      return
    }
    this.notifyUnreadable()
    this.onRead(collectorNumber === null ? { kind: 'foreign-card' } : { kind: 'program-card', collectorNumber })
  }

  private notifyUnreadable(): void {
    if (this.pendingUnreadable && !this.meter.isFlooded) this.onRead({ kind: 'unreadable' })
    this.pendingUnreadable = false
  }

  frame(bytes: Uint8Array): void {
    const tracks = findTracks(bytes)
    if (tracks.every((track) => track.state === 'failed')) this.meter.add(bytes.length)
    if (tracks.length === 0) {
      this.noiseBytes += bytes.length
      return
    }
    if (tracks.some((track) => track.number !== 3 && this.tracksSeen.has(track.number))) {
      this.decide()
      this.forget()
    }
    let track2Matched = false
    for (const track of tracks) {
      this.tracksSeen.add(track.number)
      if (track.state === 'failed') continue
      const found = this.cards.ofTrack(bytes, track)
      if (found === null) {
        const staff = this.cards.badgeOfTrack(bytes, track)
        if (staff !== null) {
          if (this.badge !== null && this.badge !== staff) this.conflict = true
          this.badge = staff
          continue
        }
        // Track 3 of a program card may contain anything, so its content does not make the card one of another issuer.
        if (track.number !== 3) this.foreign = true
        continue
      }
      if (this.number !== null && this.number !== found) this.conflict = true
      this.number = found
      if (track.number === 2) track2Matched = true
    }
    // A program card has its number on track 2, so the swipe is reported without waiting for the other tracks.
    if (track2Matched) this.decide()
  }

  dropped(bytes: number): void {
    this.meter.add(bytes)
    this.noiseBytes += bytes
  }

  silence(): void {
    this.decide()
    this.forget()
    this.notifyUnreadable()
  }

  reset(): void {
    this.forget()
    this.pendingUnreadable = false
  }
}
