import type { ReceiptBlock } from '../../contracts/receipt.ts'
import type { Paper } from './receipt-layout.ts'
import type { ReceiptWords } from './receipt-words.ts'

/** What a purchase earned, as far as the lane knows. */
export interface EarnedFacts {
  /** Miles of this purchase: expected, or confirmed once it is answered; null when not known. */
  readonly earnedMiles: number | null
  /** True once the central services have answered; otherwise they are miles to earn. */
  readonly earnedConfirmed?: boolean
  /** Of the answer: accepted and not earned yet; null when it does not say how many. None when left out. */
  readonly pendingMiles?: number | null
  /** Of the answer: refused, and never earned. None when left out. */
  readonly rejectedMiles?: number | null
}

/**
 * The rows about the miles of a purchase. The status of each entry counts (specification 3 §2.3): nothing that waits at
 * the program or were refused by it count as "earned", and a purchase without miles shows none "to earn".
 */
export function milesRows(facts: EarnedFacts, { say, count }: ReceiptWords, paper: Paper): ReceiptBlock[] {
  const { earnedMiles, earnedConfirmed = false, pendingMiles = 0, rejectedMiles = 0 } = facts
  const none = paper.text(say('miles-none'), 'left')
  if (!earnedConfirmed) {
    if (earnedMiles === null) return paper.text(say('miles-later'), 'left')
    return earnedMiles === 0 ? none : paper.row(say('miles-to-earn'), count(earnedMiles), { bold: true })
  }
  /** A row of so many, words where nobody said how many, and nothing of none. */
  const counted = (miles: number | null, label: string, uncounted: string, style = {}): ReceiptBlock[] =>
    miles === null ? paper.text(uncounted, 'left') : miles === 0 ? [] : paper.row(label, count(miles), style)
  const rows = [
    ...counted(earnedMiles, say('miles-earned'), say('miles-uncounted'), { bold: true }),
    ...counted(pendingMiles, say('miles-pending'), say('miles-pending-uncounted')),
    ...(rejectedMiles ? paper.row(say('miles-rejected'), count(rejectedMiles)) : []),
  ]
  return rows.length > 0 ? rows : none
}
