import { CollectorNumber } from '../../contracts/core/ids.ts'
import type { CardPatterns } from '../../contracts/core/profile.ts'
import { carriesPaymentNumber, type Track } from './tracks.ts'
import { COLLECTOR_NUMBER_PATTERN } from '../../contracts/core/collector-number.ts'

export interface ProgramCards {
  ofTrack(bytes: Uint8Array, track: Track): CollectorNumber | null
  ofBarcode(text: string): CollectorNumber | null
  /**
   * Returns the number of a staff badge on this track, or null. A payment card is never a badge, even if the pattern
   * matches.
   */
  badgeOfTrack(bytes: Uint8Array, track: Track): string | null
}

/** Patterns of program cards and staff badges. Without `badges` no badges are read. */
export interface ReadPatterns extends CardPatterns {
  readonly badges?: Pick<CardPatterns, 'track1' | 'track2'> | undefined
}

/** Clears the text that the regular-expression engine matched last (`RegExp.$_`), which may be a whole track. */
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

  function inGroup<Result>(pattern: RegExp, text: string, take: (group: string) => Result | null): Result | null {
    try {
      const group = pattern.exec(text)?.[1]
      // The characters are copied, because a substring would retain the whole track in memory.
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
