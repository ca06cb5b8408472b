import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Closing } from '../../../contracts/day/day-end.ts'
import { Locale } from '../../../contracts/core/locales.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { composeClosing } from './day-end-papers.ts'
import { dayTotals } from './day-totals.fixture.ts'
import { columnsOf } from '../../core/paper/layout.ts'

type Facts = Parameters<typeof composeClosing>[0]

const FACTS: Omit<Facts, 'report' | 'columns' | 'locale'> = {
  profile: {
    mode: 'production',
    timeZone: 'America/Toronto',
    store: { id: 'S', name: 'Milepost Store', address: ['123 Front Street West'], taxNumbers: [] },
    receipt: { header: [], footer: { 'en-CA': undefined, 'fr-CA': undefined } },
  },
  lane: '01',
  cashierName: 'Marie-Josée Beauchemin-Lachapelle de la Rivière',
  at: Date.UTC(2026, 10, 30, 23),
  copy: 0,
  departmentName: (id) => `${id}, fresh and frozen and whatever else there may be`,
}
const closing = (totals: Closing['totals'], change: Partial<Closing> = {}): Closing => ({
  period: '2026-11',
  isOver: true,
  from: '2026-11-01T13:00:00.000Z',
  at: '2026-11-30T23:00:00.000Z',
  closedBy: 'Sam Okafor',
  zs: [{ first: 1, last: 3 }],
  shifts: 31,
  countedCents: cents(12_345_678),
  differenceCents: cents(-5),
  totals,
  grandTotals: { sales: 1_000_000, salesCents: cents(1_999_999_999), returns: 1, returnsCents: cents(1) },
  ...change,
})
const [SOME] = fc.sample(dayTotals, { numRuns: 1, seed: 7 })
const paper = (change: Partial<Closing> = {}, facts: Partial<Facts> = {}): ReceiptDocument => {
  if (!SOME) throw new Error('a sample')
  return composeClosing({ ...FACTS, columns: 42, locale: 'en-CA', report: closing(SOME, change), ...facts })
}
const textOf = ({ blocks }: ReceiptDocument): string[] =>
  blocks.flatMap((block) =>
    block.kind === 'text' ? [block.text] : block.kind === 'row' ? [`${block.left} ${block.right}`.trim()] : [],
  )

const widthOf = (block: ReceiptBlock): number => {
  if (block.kind !== 'text' && block.kind !== 'row') return 0
  const one = block.kind === 'text' ? block.text : `${block.left}${block.right === '' ? '' : ` ${block.right}`}`
  return columnsOf(one) * (block.size === 'large' ? 2 : 1)
}

test('every line of a closing fits into 32, 42 and 48 columns, for any figures and in each language', () => {
  fc.assert(
    fc.property(
      dayTotals,
      fc.constantFrom(32, 42, 48),
      fc.constantFrom(...Locale.options),
      fc.constantFrom('2026-11', '2026-11-24'),
      fc.boolean(),
      (totals, columns, locale, period, isOver) => {
        const zs = Array.from({ length: 31 }, (_, index) => ({ first: 9_000 + index * 3, last: 9_001 + index * 3 }))
        const { blocks } = composeClosing({
          ...FACTS,
          columns,
          locale,
          report: closing(totals, { period, isOver, zs }),
        })
        for (const block of blocks) expect(widthOf(block), JSON.stringify(block)).toBeLessThanOrEqual(columns)
      },
    ),
    { numRuns: 60 },
  )
})

test('the paper of a closing shows its day or month, and “so far” until that period is over', () => {
  expect(textOf(paper())).toEqual(expect.arrayContaining(['MONTHLY CLOSING', '2026-11']))
  expect(textOf(paper({ period: '2026-11-24' }))).toEqual(expect.arrayContaining(['DAILY CLOSING', '2026-11-24']))
  expect(textOf(paper())).not.toContain('So far')
  expect(textOf(paper({ isOver: false }))).toContain('So far')
  expect(textOf(paper({ isOver: false }, { locale: 'fr-CA' }))).toEqual(
    expect.arrayContaining(['FERMETURE DU MOIS', 'À ce jour']),
  )
})

test('the paper of a closing shows its Z numbers as ranges in both languages', () => {
  const zs = [
    { first: 1, last: 3 },
    { first: 5, last: 5 },
  ]
  expect(textOf(paper({ zs }))).toContain('Z 1 to 3, 5')
  expect(textOf(paper({ zs }, { locale: 'fr-CA' }))).toContain('Z 1 à 3, 5')
})

test('the paper of a closing shows its copy number, its closed drawers with counted cash, and the shortage', () => {
  expect(textOf(paper({}, { copy: 2 }))).toContain('COPY 2')
  expect(textOf(paper())).toEqual(expect.arrayContaining(['Drawers closed (31) $123,456.78', 'Short $0.05']))
})
