import { CollectorNumber } from '../../contracts/core/ids.ts'
import type { CardPatterns } from '../../contracts/core/profile.ts'
import { carriesPaymentNumber, type Track } from './tracks.ts'
import { COLLECTOR_NUMBER_PATTERN } from '../../contracts/core/collector-number.ts'

/** Reads the collector's number where the profile says that the program's cards carry it. */
export interface ProgramCards {
  /** The number on this track, or null when the track is not one of the program's cards. */
  ofTrack(bytes: Uint8Array, track: Track): CollectorNumber | null
  /** The number in a barcode's text, or null. */
  ofBarcode(text: string): CollectorNumber | null
  /** The number of a staff badge on this track, or null. A payment card is none, whatever the pattern says. */
  badgeOfTrack(bytes: Uint8Array, track: Track): string | null
}

/** Where cards of the program and badges of the store carry their numbers. Without `badges`: there are none. */
export interface ReadPatterns extends CardPatterns {
  readonly badges?: Pick<CardPatterns, 'track1' | 'track2'> | undefined
}

/**
 * The regular-expression engine keeps the last text that it matched (`RegExp.$_`), and with it a whole track.
 * Matching something else lets go of it.
 */
const forgetLastMatch = (): void => {
  ;/^/.exec('')
}

const BADGE_NUMBER = /^[\x21-\x7e]{4,64}$/

export function programCards({ badges, ...patterns }: ReadPatterns): ProgramCards {
  const track1 = new RegExp(patterns.track1, 'u')
  const track2 = new RegExp(patterns.track2, 'u')
  const barcode = new RegExp(patterns.barcode, 'u')

  const badge = badges && {
    track1: new RegExp(badges.track1, 'u'),
    track2: new RegExp(badges.track2, 'u'),
  }

  /** What `take` makes of the first group, before the engine is made to forget all of it. */
  function inGroup<Taken>(pattern: RegExp, text: string, take: (group: string) => Taken | null): Taken | null {
    try {
      const group = pattern.exec(text)?.[1]
      // A copy of its own signs: a piece of a string keeps the whole string alive.
      return group === undefined ? null : take(Buffer.from(group, 'latin1').toString('latin1'))
    } finally {
      forgetLastMatch()
    }
  }
  const numberIn = (pattern: RegExp, text: string): CollectorNumber | null =>
    inGroup(pattern, text, (group) => (COLLECTOR_NUMBER_PATTERN.test(group) ? CollectorNumber.parse(group) : null))
  const badgeIn = (pattern: RegExp, text: string): string | null =>
    inGroup(pattern, text, (group) => (BADGE_NUMBER.test(group) ? group : null))
  const isReadable = (bytes: Uint8Array, track: Track): boolean =>
    track.state === 'read' && track.number !== 3 && !carriesPaymentNumber(bytes, track)
  const textOf = (bytes: Uint8Array, track: Track): string =>
    Buffer.from(bytes.buffer, bytes.byteOffset + track.start, track.end - track.start).toString('latin1')

  return {
    ofTrack(bytes, track) {
      return isReadable(bytes, track) ? numberIn(track.number === 1 ? track1 : track2, textOf(bytes, track)) : null
    },
    ofBarcode: (text) => numberIn(barcode, text),
    badgeOfTrack: (bytes, track) =>
      badge && isReadable(bytes, track)
        ? badgeIn(track.number === 1 ? badge.track1 : badge.track2, textOf(bytes, track))
        : null,
  }
}
