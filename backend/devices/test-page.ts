import type { Locale } from '../../contracts/locales.ts'
import type { Profile } from '../../contracts/profile.ts'
import type { ReceiptDocument } from '../../contracts/receipt.ts'
import { receiptWords } from '../domain/receipt-words.ts'

export interface TestPageFacts {
  readonly profile: Pick<Profile, 'store' | 'timeZone'>
  readonly lane: string
  readonly locale: Locale
  readonly columns: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/**
 * A paper that shows what this printer can do: the whole width, accents, bold and large, a barcode. It is no receipt,
 * and says so.
 */
export function testPage({ profile, lane, locale, columns, at }: TestPageFacts): ReceiptDocument {
  const { say, dateTime } = receiptWords(locale)
  const ruler = Array.from({ length: columns }, (_, column) => (column + 1) % 10).join('')
  return {
    locale,
    title: say('test-page'),
    blocks: [
      { kind: 'logo' },
      { kind: 'text', text: say('test-page'), align: 'center', bold: true, size: 'large' },
      { kind: 'text', text: say('test-page-hint'), align: 'center' },
      { kind: 'rule' },
      { kind: 'row', left: profile.store.name, right: lane },
      { kind: 'row', left: profile.store.id, right: dateTime(at, profile.timeZone) },
      { kind: 'text', text: ruler, align: 'left' },
      { kind: 'text', text: 'àâçèéêëîïôùû ÀÂÇÈÉÊËÎÏÔÙÛ œŒ €', align: 'left' },
      { kind: 'text', text: say('test-page-bold'), align: 'left', bold: true },
      { kind: 'space' },
      // With a hyphen it is no receipt's number: before the scanner it finds no sale.
      { kind: 'barcode', symbology: 'code128', data: 'TEST-PAGE' },
    ],
  }
}
