import type { Bars } from './bars.ts'

/**
 * The seven modules of a digit in number set A (GS1 General Specifications §5.2.1); set C inverts them, set B mirrors
 * set C.
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
/** Which of the left six digits are in set B, told by the first digit, which has no bars of its own. */
const LEFT_SETS = ['AAAAAA', 'AABABB', 'AABBAB', 'AABBBA', 'ABAABB', 'ABBAAB', 'ABBBAA', 'ABABAB', 'ABABBA', 'ABBABA']
const GUARD = '101'
const CENTRE = '01010'
const QUIET = 11
const NOTHING: Bars = { width: QUIET * 2, bars: [] }

/** True for thirteen digits whose last is the check digit of the others. */
export function isEan13(text: string): boolean {
  if (!/^\d{13}$/.test(text)) return false
  const sum = [...text].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0)
  return sum % 10 === 0
}

/** EAN-13 bars; none for what is no EAN-13 or has a wrong check digit: a wrong number is worse than no bars. */
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
  const bars = [...modules.matchAll(/1+/g)].map((run): [number, number] => [QUIET + run.index, run[0].length])
  return { width: modules.length + QUIET * 2, bars }
}
