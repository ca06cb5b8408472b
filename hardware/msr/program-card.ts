import { COLLECTOR_NUMBER_PATTERN, CollectorNumber } from '../../contracts/ids.ts'
import type { CardPatterns } from '../../contracts/profile.ts'
import { carriesPaymentNumber, type Track } from './tracks.ts'

/** Reads the collector's number where the profile says that the program's cards carry it. */
export interface ProgramCards {
  /** The number on this track, or null when the track is not one of the program's cards. */
  ofTrack(bytes: Uint8Array, track: Track): CollectorNumber | null
  /** The number in a barcode's text, or null. */
  ofBarcode(text: string): CollectorNumber | null
}

/**
 * The regular-expression engine keeps the last text that it matched (`RegExp.$_`), and with it a whole track.
 * Matching something else lets go of it.
 */
const forgetLastMatch = (): void => {
  ;/^/.exec('')
}

export function programCards(patterns: CardPatterns): ProgramCards {
  const track1 = new RegExp(patterns.track1, 'u')
  const track2 = new RegExp(patterns.track2, 'u')
  const barcode = new RegExp(patterns.barcode, 'u')

  function numberIn(pattern: RegExp, text: string): CollectorNumber | null {
    try {
      const group = pattern.exec(text)?.[1]
      if (group === undefined || !COLLECTOR_NUMBER_PATTERN.test(group)) return null
      // A copy of its own digits: a piece of a string keeps the whole string alive.
      return CollectorNumber.parse(Buffer.from(group, 'latin1').toString('latin1'))
    } finally {
      forgetLastMatch()
    }
  }

  return {
    ofTrack(bytes, track) {
      if (track.state !== 'read' || track.number === 3 || carriesPaymentNumber(bytes, track)) return null
      return numberIn(
        track.number === 1 ? track1 : track2,
        Buffer.from(bytes.buffer, bytes.byteOffset + track.start, track.end - track.start).toString('latin1'),
      )
    },
    ofBarcode: (text) => numberIn(barcode, text),
  }
}
