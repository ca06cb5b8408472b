import { expect, test } from 'vitest'
import { CardPatterns, EmbeddedLayout } from '../../contracts/core/profile.ts'
import type { Scan } from '../device.ts'
import { programCards } from '../msr/program-card.ts'
import { scanClassifier } from './classify.ts'
import { verifierDigit } from './embedded.ts'
import { checkDigit } from '../../contracts/catalog/goods.ts'

const layouts = [
  { layout: '02IIIIIVPPPPC' },
  { layout: '21IIIIIPPPPPC' },
  { layout: '22IIIIIWWWWWC' },
  { layout: '2300IIIIWWWWC', decimals: 2 },
  { layout: '24IIIIVPPPPPC' },
]
const classify = scanClassifier(
  programCards(CardPatterns.parse({})),
  layouts.map((layout) => EmbeddedLayout.parse(layout)),
)
const label = (twelve: string, head = ']E0'): Scan =>
  classify(Buffer.from(`${head}${twelve}${checkDigit(twelve)}`, 'latin1'))

test('the calculated verifier digits are those in GS1 General Specifications §7.9.3 and §7.9.4', () => {
  expect(verifierDigit('2875')).toBe(9)
  expect(verifierDigit('14685')).toBe(6)
  // Prices of five digits have a verifier digit; every seventh price is checked.
  for (let price = 0; price < 100_000; price += 7)
    expect(verifierDigit(String(price).padStart(5, '0'))).toBeGreaterThanOrEqual(0)
})

test('a label with a price of four digits and a verifier digit is read, with or without a symbology identifier', () => {
  expect(label('021234592875')).toMatchObject({ kind: 'item', code: '12345', measure: { kind: 'price', cents: 2875 } })
  expect(label('021234592875', '')).toMatchObject({
    kind: 'item',
    code: '12345',
    measure: { kind: 'price', cents: 2875 },
  })
})

test('labels with a price of five digits, a weight in grams or a weight in hundredths of a kilogram are read', () => {
  expect(label('210012300437')).toMatchObject({ kind: 'item', code: '00123', measure: { kind: 'price', cents: 437 } })
  expect(label('220012301250')).toMatchObject({ kind: 'item', code: '00123', measure: { kind: 'weight', grams: 1250 } })
  expect(label('230077770125')).toMatchObject({ kind: 'item', code: '7777', measure: { kind: 'weight', grams: 1250 } })
  expect(label('241234614685')).toMatchObject({ kind: 'item', code: '1234', measure: { kind: 'price', cents: 14_685 } })
})

test('the base of a label is its barcode with 0 in place of the price or weight, and a new check digit', () => {
  for (const [digits, base] of [
    ['021234592875', '021234500000'],
    ['220012301250', '220012300000'],
    ['230077770125', '230077770000'],
  ] as const)
    expect(label(digits)).toMatchObject({ base: `${base}${checkDigit(base)}` })
})

test.each([
  ['a wrong verifier digit', '021234582875'],
  ['a price of 0', '210012300000'],
  ['a weight of 0', '220012300000'],
])('a label with %s is read as unknown', (_what, twelve) => {
  expect(label(twelve).kind).toBe('unknown')
})

test('a label with a wrong check digit is unknown, and a number outside all label layouts is a plain item', () => {
  expect(classify(Buffer.from(']E00212345928751', 'latin1')).kind).toBe('unknown')
  expect(label('290012300437')).toEqual({ kind: 'item', code: `290012300437${checkDigit('290012300437')}` })
})

test.each(['02IIIIIVPPPP', '02IIIIIVPPPPPC', '12IIIIIPPPPPC', '21IIIIIPPWWWC', '21IIIIIIIIIIC', '21IIIVIPPPPPC'])(
  'the label layout %s in the profile is rejected',
  (layout) => {
    expect(EmbeddedLayout.safeParse({ layout }).success).toBe(false)
  },
)
