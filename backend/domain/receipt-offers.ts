import type { Names } from '../../contracts/locales.ts'
import { nameIn } from '../../contracts/names.ts'
import type { ReceiptBlock } from '../../contracts/receipt.ts'
import type { Missing } from './basket-offers.ts'
import type { Paper } from './receipt-layout.ts'
import type { ReceiptWords } from './receipt-words.ts'

/** An offer that a receipt names: earned by this purchase, or missed, and by how little. Copy by language. */
export interface ReceiptOffer {
  readonly said: 'earned' | 'missed'
  readonly award: Names
  readonly qualifier: Names
  /** Of one that was missed. */
  readonly missing: Missing | null
}

/** The rows of the offers of a purchase; nothing where there are none. */
export function offerRows(offers: readonly ReceiptOffer[], words: ReceiptWords, paper: Paper): ReceiptBlock[] {
  const { say } = words
  const part = (said: ReceiptOffer['said']): ReceiptBlock[] => {
    const named = offers.filter((offer) => offer.said === said)
    if (named.length === 0) return []
    return [
      ...paper.text(say(`offers-${said}`), 'left', { bold: true }),
      ...named.flatMap((one) => rowsOf(one, words, paper)),
      ...(said === 'earned' ? paper.text(say('offers-note'), 'left') : []),
    ]
  }
  return [...part('earned'), ...part('missed')]
}

function rowsOf({ award, qualifier, missing }: ReceiptOffer, words: ReceiptWords, paper: Paper): ReceiptBlock[] {
  const { locale, say } = words
  const named = nameIn(award, locale)
  if (missing === null)
    return paper.text(say('offer-earned', { award: named, qualifier: nameIn(qualifier, locale) }), 'left')
  return paper.text(say('offer-missed', { missing: missingText(missing, words), award: named }), 'left')
}

const missingText = ({ unit, amount }: Missing, { say, money, count }: ReceiptWords): string =>
  unit === 'cents' ? money(amount) : say('offer-pieces', { count: amount, amount: count(amount) })
