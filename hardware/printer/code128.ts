/**
 * Code 128 data for an ESC/POS printer: `{B` for text, `{C` for pairs of digits (ISO/IEC 15417; ESC/POS GS k, m = 73).
 * Digits in pairs take half the width, which is what lets a sale's id fit on narrow paper.
 */
export interface Code128 {
  /** What follows GS k 73 n: each character one byte. */
  readonly data: string
  /** Width of the bars in modules, without the quiet zones. */
  readonly modules: number
}

/** Shortest run of digits that is worth a change of set: at the ends one change, in the middle two. */
const RUN_AT_END = 4
const RUN_INSIDE = 6
const START_CHECK_STOP = 11 + 11 + 13
/**
 * In set C the digits 16 are the byte DLE, and a printer obeys its real-time commands even inside a barcode's data:
 * 1604 would ask for status, 1605 recover from an error, 1620 kick the drawer. Such a pair is written in set B.
 */
const REAL_TIME_AFTER_16 = new Set(['04', '05', '20'])
/** ESC/POS counts the data in one byte; far fewer characters fit on the paper. */
const MOST_CHARACTERS = 100

/** Printable ASCII to Code 128; null when it is empty, holds anything else, or is too long for the command. */
export function code128(text: string): Code128 | null {
  if (text.length > MOST_CHARACTERS || !/^[\x20-\x7e]+$/.test(text)) return null
  let data = ''
  let symbols = 0
  let set: 'B' | 'C' | null = null
  const enter = (next: 'B' | 'C'): void => {
    if (set === next) return
    // The first set is the start character, which the fixed width counts already.
    if (set !== null) symbols += 1
    data += `{${next}`
    set = next
  }
  let at = 0
  while (at < text.length) {
    const run = /^\d*/.exec(text.slice(at))?.[0].length ?? 0
    const least = at === 0 || at + run === text.length ? RUN_AT_END : RUN_INSIDE
    if (run >= least && run % 2 === 0) {
      for (const end = at + run; at < end; at += 2) {
        const pair = text.slice(at, at + 2)
        if (pair === '16' && REAL_TIME_AFTER_16.has(text.slice(at + 2, at + 4))) {
          enter('B')
          data += pair
          symbols += 2
          continue
        }
        enter('C')
        data += String.fromCharCode(Number(pair))
        symbols += 1
      }
    } else {
      // Of an odd run the first digit stays in set B; a short run stays whole.
      const take = run >= least ? 1 : Math.max(run, 1)
      enter('B')
      for (const character of text.slice(at, at + take)) {
        data += character === '{' ? '{{' : character
        symbols += 1
      }
      at += take
    }
  }
  return { data, modules: symbols * 11 + START_CHECK_STOP }
}
