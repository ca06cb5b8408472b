import { expect, test } from 'vitest'
import type { MemberTransaction } from '../../../contracts/loyalty/member.ts'
import { ACTIVITY_TYPES } from '../../../contracts/loyalty/kinds.ts'
import { Locale } from '../../../contracts/core/locales.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { composeHistory } from './history-view.ts'
import { columnsOf } from '../../core/paper/layout.ts'

const transaction = (change: Partial<MemberTransaction> = {}): MemberTransaction => ({
  at: '2026-11-20T20:04:00.000Z',
  description: '5 bonus miles on coffee beans',
  offer: null,
  activity: 'ISSUANCE',
  sponsor: { name: 'Riverbend Fuels', colour: 'blue' },
  miles: 1_234,
  cashPart: 1_000,
  dreamPart: 234,
  ...change,
})

const paper = (
  transactions: readonly MemberTransaction[],
  { locale = 'en-CA', columns = 42 }: { locale?: Locale; columns?: number } = {},
): ReceiptDocument =>
  composeHistory({
    profile: {
      mode: 'production',
      timeZone: 'America/Toronto',
      store: { id: 'S', name: 'Milepost Store', address: ['123 Front Street West'], taxNumbers: [] },
      receipt: { header: [], footer: { 'en-CA': undefined, 'fr-CA': undefined } },
    },
    locale,
    columns,
    lane: '01',
    cashierName: 'Marie-Josée Beauchemin-Lachapelle de la Rivière',
    at: Date.UTC(2026, 10, 20, 23),
    copy: 0,
    transactions,
  })

const textOf = (block: ReceiptBlock): string[] =>
  block.kind === 'text' ? [block.text] : block.kind === 'row' ? [`${block.left} ${block.right}`.trim()] : []
const linesOf = ({ blocks }: ReceiptDocument): string[] => blocks.flatMap(textOf)

test('a printed history lists each transaction with its day, miles, partner, description and kind', () => {
  const lines = linesOf(paper([transaction(), transaction({ miles: -95, activity: 'REDEMPTION', description: null })]))
  expect(lines.slice(lines.indexOf('2026-11-20 15:04 1,234 miles'), -1)).toEqual([
    '2026-11-20 15:04 1,234 miles',
    'Riverbend Fuels',
    '5 bonus miles on coffee beans',
    'Miles earned',
    '2026-11-20 15:04 -95 miles',
    'Riverbend Fuels',
    'Miles redeemed',
  ])
  expect(lines).toContain('MILES HISTORY')
})

test('a printed history leaves out the missing fields of a transaction, and prints “No date” for its date', () => {
  const nothing = { at: null, description: null, activity: null, sponsor: null, miles: null }
  const [none, one] = [paper([]), paper([transaction(nothing)])].map(linesOf)
  expect(one?.filter((line) => !none?.includes(line))).toEqual(['No date'])
})

test('a printed history fits every paper width in both languages, and has no barcode', () => {
  const long = transaction({ description: 'Anticonstitutionnellement '.repeat(4), offer: 'X'.repeat(90) })
  for (const locale of Locale.options)
    for (const columns of [32, 42, 48])
      for (const activity of ACTIVITY_TYPES) {
        const { blocks } = paper([{ ...long, activity }], { locale, columns })
        expect(blocks.filter(({ kind }) => kind === 'barcode' || kind === 'qr')).toEqual([])
        for (const block of blocks)
          for (const text of textOf(block)) {
            const isLarge = (block.kind === 'text' || block.kind === 'row') && block.size === 'large'
            expect(columnsOf(text), text).toBeLessThanOrEqual(isLarge ? columns / 2 : columns)
          }
      }
})
