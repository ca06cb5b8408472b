import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { holdsCardNumber } from './card-numbers.ts'

const CARDS = [
  '4111111111111111',
  '4222222222222',
  '5500000000000004',
  '2223003122003222',
  '378282246310005',
  '36227206271667',
  '6011111111111117',
  '3566002020360505',
  '6200000000000005',
  '6759649826438453',
  '6304000000000000',
]
const COLLECTORS = ['80000000011', '81234567890', '89999999999']

const SPACES = [' ', '\u00a0', '\u2007', '\u202f', '\u3000', '\t', '\n', '  ']
const SIGNS = [
  '-',
  '.',
  '/',
  '\\',
  '_',
  ',',
  ';',
  ':',
  '|',
  '*',
  '·',
  '•',
  '‑',
  '–',
  '—',
  '−',
  '．',
  '／',
  '＿',
  '~',
  '+',
]
const WIDTHLESS = ['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u200e', '\u202e', '\u2066', '\ufe0f']
/** Code points of the digit zero: ASCII, full-width, Arabic-Indic, Persian, Devanagari, mathematical bold. */
const ZEROS = [0x30, 0xff10, 0x660, 0x6f0, 0x966, 0x1d7ce]

const separator = fc.oneof(
  fc.constantFrom(...SPACES, ...SIGNS),
  fc.tuple(fc.constantFrom(...SIGNS), fc.constantFrom(...SPACES)).map(([sign, space]) => space + sign + space),
)
const layout = (digits: string) =>
  fc.constantFrom(
    [digits.length],
    [4, 4, 4, 4, 3],
    [4, 6, 5],
    [2, 2, 2, 2, 2, 2, 2, 2, 2, 1],
    [3, 3, 3, 3, 3, 3, 1],
    digits.length === 11 ? [4, 3, 4] : [4, 4, 4, 4, 4],
    Array.from(digits, () => 1),
  )
const cut = (digits: string, sizes: readonly number[]): string[] => {
  const groups: string[] = []
  let start = 0
  for (const size of sizes) {
    if (start < digits.length) groups.push(digits.slice(start, start + size))
    start += size
  }
  return [...groups, digits.slice(start)].filter((group) => group !== '')
}

const spelling = fc
  .constantFrom(...CARDS, ...COLLECTORS)
  .chain((digits) =>
    fc.tuple(
      fc.constant(digits),
      layout(digits),
      separator,
      fc.constantFrom(...ZEROS),
      fc.constantFrom('', ...WIDTHLESS),
    ),
  )
  .map(([digits, sizes, between, zero, widthless]) =>
    [...cut(digits, sizes).join(between)]
      .map((sign) => (/\d/.test(sign) ? String.fromCodePoint(zero + Number(sign)) : sign))
      .join(widthless),
  )

describe('holdsCardNumber', () => {
  test('finds a card number in any spelling, alone or inside a sentence', () => {
    fc.assert(
      fc.property(
        spelling,
        fc.constantFrom('', 'carte ', 'x', 'ref: '),
        fc.constantFrom('', ' ok', ' (Sam)', 'x'),
        (number, before, after) => {
          expect(holdsCardNumber(before + number + after)).toBe(true)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test.each([
    '4111 1111-1111 1111',
    '4111111111111111 12/28 123',
    '41111111111111111228123',
    '4111111111111111123',
    '3782822463100051234',
    '(4111)(1111)(1111)(1111)',
    '[4111] [1111] [1111] [1111]',
    '4111 (1111) 1111 (1111)',
    '4111111111111111=28121010000012345678',
    'returned 2 of 3, card 4111.1111.1111.1111, 20.00',
    'cert. 3 782822 463 10005, card 3782-822463-10005',
    'visa4111111111111111',
    'V4111111111111111',
    '4️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣1️⃣',
    '3056 930902 5904',
    '8000-000-0011',
    '8 000 000 0011',
    'member 80000000011 and 2 more',
  ])('finds the card number in %j', (text) => {
    expect(holdsCardNumber(text)).toBe(true)
  })

  const digitsOf = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`))
  const checked = (digits: string): string => {
    const sum = [...digits]
      .reverse()
      .reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1), 0)
    return `${digits}${(10 - (sum % 10)) % 10}`
  }
  const number = (least: number, most: number) => fc.integer({ min: least, max: most }).map(String)
  const two = (most: number) => fc.integer({ min: 1, max: most }).map((value) => String(value).padStart(2, '0'))
  const phone = fc
    .tuple(number(200, 999), number(200, 999), digitsOf(4))
    .chain((parts) =>
      fc.constantFrom(
        parts.join('-'),
        parts.join(' '),
        parts.join('.'),
        parts.join(''),
        `(${parts[0]}) ${parts[1]}-${parts[2]}`,
        `1-${parts.join('-')}`,
        `+1 ${parts.join(' ')}`,
      ),
    )
  const date = fc
    .tuple(number(1990, 2079), two(12), two(28))
    .chain(([year, month, day]) =>
      fc.constantFrom(
        `${year}-${month}-${day}`,
        `${day}/${month}/${year}`,
        `${month}/${day}/${year}`,
        `${year}${month}${day}`,
        `${day}.${month}.${year}`,
      ),
    )
  const time = fc.tuple(two(23), two(59), two(59)).map((parts) => parts.join(':'))
  const salt = fc.stringMatching(/^[A-Z0-9]{4}$/).filter((text) => /[A-Z]/.test(text))

  test.each([
    ['UPC-A', digitsOf(11).map(checked)],
    ['EAN-13', digitsOf(12).map(checked)],
    ['GTIN-14', digitsOf(13).map(checked)],
    [
      'EAN-13 as it is printed',
      digitsOf(12)
        .map(checked)
        .map((code) => `${code[0]} ${code.slice(1, 7)} ${code.slice(7)}`),
    ],
    [
      'UPC-A as it is printed',
      digitsOf(11)
        .map(checked)
        .map((code) => `${code[0]} ${code.slice(1, 6)} ${code.slice(6, 11)} ${code[11]}`),
    ],
    ['a telephone number', phone],
    [
      'a telephone number and an extension',
      fc.tuple(phone, number(1, 9999)).map(([given, more]) => `${given} ext ${more}`),
    ],
    ['two telephone numbers', fc.tuple(phone, phone).map((both) => both.join(', '))],
    ['a date and a time', fc.tuple(date, time).map((parts) => parts.join(' '))],
    ['two dates', fc.tuple(date, date).map((both) => both.join(' - '))],
    [
      'a receipt number',
      fc.tuple(fc.stringMatching(/^[A-Z0-9]{4}$/), two(99), digitsOf(8), salt).map((parts) => parts.join('')),
    ],
    ['a lot number', fc.tuple(fc.stringMatching(/^[A-Z]{1,3}$/), digitsOf(9)).map((parts) => `lot ${parts.join('')}`)],
    ['an amount', fc.tuple(number(0, 999), digitsOf(2)).map((parts) => `$${parts.join('.')}`)],
    ['an IMEI', digitsOf(12).map((rest) => `353${rest}`)],
    ['a gift card code', fc.stringMatching(/^[A-HJ-NP-TV-Z]{17}$/)],
    ['a GST number', digitsOf(9).map((digits) => `${digits} RT0001`)],
    ['ten digits or fewer', fc.stringMatching(/^[0-9]{1,10}$/)],
  ] as const)('does not report %s', (_name, texts: fc.Arbitrary<string>) => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(holdsCardNumber(text)).toBe(false)
        expect(holdsCardNumber(`see ${text} on the paper`)).toBe(false)
      }),
      { numRuns: 1_000 },
    )
  })
})
