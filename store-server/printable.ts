import { UNSTORABLE } from '../contracts/store/storable.ts'

/** What a lane told is shown as one line of text: no sign of it begins another, or orders the terminal about. */
export const printable = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\p{Cc}\p{Cf}]/gu, UNSTORABLE)
