/**
 * A linear barcode: each bar as [left, width] in modules; `width` includes the quiet zones on both sides. No bars: the
 * text cannot be encoded.
 */
export interface Bars {
  readonly width: number
  readonly bars: readonly (readonly [number, number])[]
}

/**
 * Code 128 set B (ISO/IEC 15417), to draw a receipt's barcode on screens, in images and in files. Widths of bar,
 * space, bar, space, bar, space for the values 0 to 106; the stop has a seventh element.
 */
const PATTERNS = (
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 ' +
  '113222 123122 123221 ' +
  '223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 232121 ' +
  '111323 131123 131321 ' +
  '112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 313121 211331 231131 ' +
  '213113 213311 213131 ' +
  '311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 111422 121124 121421 141122 141221 ' +
  '112214 112412 122114 ' +
  '122411 142112 142211 241211 221114 413111 241112 134111 111242 121142 121241 114212 124112 124211 411212 ' +
  '421112 421211 212141 ' +
  '214121 412121 111143 111341 131141 114113 114311 411113 411311 113141 114131 311141 411131 211412 211214 ' +
  '211232 2331112'
).split(' ')
const START_B = 104
const STOP = 106
const CODE128_QUIET = 10

/** Returns the bars of a Code 128 with quiet zones; no bars for a text outside set B. */
export function code128(text: string): Bars {
  const values = [...text].map((character) => character.charCodeAt(0) - 32)
  if (text === '' || values.some((value) => value < 0 || value > 94)) return { width: CODE128_QUIET * 2, bars: [] }
  const check = values.reduce((sum, value, index) => sum + value * (index + 1), START_B) % 103
  const bars: [number, number][] = []
  let at = CODE128_QUIET
  for (const value of [START_B, ...values, check, STOP]) {
    const pattern = PATTERNS[value] ?? ''
    for (const [index, digit] of [...pattern].entries()) {
      const width = Number(digit)
      if (index % 2 === 0) bars.push([at, width])
      at += width
    }
  }
  return { width: at + CODE128_QUIET, bars }
}

/**
 * The seven modules of each digit in number set A of EAN-13 (GS1 General Specifications §5.2.1); set C inverts them,
 * set B mirrors set C.
 */
const SET_A = [
  '0001101',
  '0011001',
  '0010011',
  '0111101',
  '0100011',
  '0110001',
  '0101111',
  '0111011',
  '0110111',
  '0001011',
]
/** Which of the left six digits of an EAN-13 use set B, by the first digit, which has no bars of its own. */
const LEFT_SETS = ['AAAAAA', 'AABABB', 'AABBAB', 'AABBBA', 'ABAABB', 'ABBAAB', 'ABBBAA', 'ABABAB', 'ABABBA', 'ABBABA']
const GUARD = '101'
const CENTRE = '01010'
const EAN_QUIET = 11
const NOTHING: Bars = { width: EAN_QUIET * 2, bars: [] }

export function isEan13(text: string): boolean {
  if (!/^\d{13}$/.test(text)) return false
  const sum = [...text].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0)
  return sum % 10 === 0
}

/** Returns EAN-13 bars; none unless the text is a valid EAN-13, since a wrong number is worse than no bars. */
export function ean13(text: string): Bars {
  if (!isEan13(text)) return NOTHING
  const [first = 0, ...digits] = [...text].map(Number)
  const inverted = (modules: string): string => [...modules].map((module) => (module === '0' ? '1' : '0')).join('')
  const left = digits.slice(0, 6).map((digit, index) => {
    const a = SET_A[digit] ?? ''
    return LEFT_SETS[first]?.[index] === 'B' ? [...inverted(a)].toReversed().join('') : a
  })
  const right = digits.slice(6).map((digit) => inverted(SET_A[digit] ?? ''))
  const modules = [GUARD, ...left, CENTRE, ...right, GUARD].join('')
  const bars = [...modules.matchAll(/1+/g)].map((run): [number, number] => [EAN_QUIET + run.index, run[0].length])
  return { width: modules.length + EAN_QUIET * 2, bars }
}
