import type { ReceiptDocument, ReceiptBlock } from '../../../contracts/core/receipt.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import type { ReceiptWords, Paper } from './layout.ts'
import type { Locale } from '../../../contracts/core/locales.ts'

/** 0 the original; from 1 the paper says which copy it is. A file is a copy that nobody counts. */
export type Copy = number | 'file'

/** The document as it may cross the local API: without what belongs on paper alone (specification 3 §4.5 rule 4). */
export const forScreen = (document: ReceiptDocument): ReceiptDocument => ({
  ...document,
  blocks: document.blocks.filter((block) => !block.paperOnly),
})

/** What must not be overlooked. */
const LOUD = { bold: true, size: 'large' } as const

/**
 * On the paper of training mode, above and below what looks like a sale: nobody takes it for one. Nothing in
 * production.
 */
export function trainingMark(
  { profile }: { readonly profile: Pick<Profile, 'mode'> },
  { say }: ReceiptWords,
  paper: Paper,
): ReceiptBlock[] {
  if (profile.mode !== 'training') return []
  return [
    space,
    rule,
    ...paper.text(say('training'), 'center', LOUD),
    ...paper.text(say('training-no-sale'), 'center', LOUD),
    rule,
  ]
}

/** That it is a copy, and which; nothing on the original. */
export function copyMark({ copy }: Pick<DocumentFacts, 'copy'>, { say }: ReceiptWords, paper: Paper): ReceiptBlock[] {
  if (copy === 0) return []
  const words = copy === 'file' ? say('copy-file') : say('copy', { number: String(copy) })
  return [space, ...paper.text(words, 'center', LOUD)]
}

/** Who sells. */
export function header({ profile }: Pick<DocumentFacts, 'profile'>, words: ReceiptWords, paper: Paper): ReceiptBlock[] {
  const { store, receipt } = profile
  return [
    ...(receipt.logo ? [{ kind: 'logo' } as const] : []),
    ...paper.text(store.name, 'center', { bold: true, size: 'large' }),
    ...[
      ...store.address,
      ...(store.phone ? [words.say('phone', { phone: store.phone })] : []),
      ...store.taxNumbers,
      ...receipt.header,
    ].flatMap((line) => paper.text(line, 'center')),
  ]
}

/** What every paper says of where and when it was printed. */
export interface DocumentFacts {
  readonly profile: Pick<Profile, 'mode' | 'store' | 'receipt' | 'timeZone'>
  readonly locale: Locale
  readonly lane: string
  readonly cashierName: string
  /** Epoch ms. */
  readonly at: number
  readonly copy: Copy
}

export const COLUMNS = 42

export const rule: ReceiptBlock = { kind: 'rule' }

export const space: ReceiptBlock = { kind: 'space' }

/** The head of a paper that is not a sale's. */
export function top(
  heading:
    | 'return-heading'
    | 'store-credit-heading'
    | 'gift-card-heading'
    | 'gift-heading'
    | 'payment-back-heading'
    | 'movement-heading'
    | 'shift-heading'
    | 'x-heading'
    | 'z-heading'
    | 'closing-day'
    | 'closing-month'
    | 'history-heading',
  facts: DocumentFacts,
  words: ReceiptWords,
  paper: Paper,
): ReceiptBlock[] {
  const { say } = words
  return [
    ...header(facts, words, paper),
    ...trainingMark(facts, words, paper),
    ...copyMark(facts, words, paper),
    space,
    ...paper.text(say(heading), 'center', { bold: true, size: 'large' }),
    space,
    ...paper.row(words.dateTime(facts.at, facts.profile.timeZone), say('lane', { lane: facts.lane })),
    ...paper.text(say('cashier', { name: facts.cashierName }), 'left'),
  ]
}

/** Its end, with the barcode. */
export const bottom = (barcode: string, facts: DocumentFacts, words: ReceiptWords, paper: Paper): ReceiptBlock[] => [
  ...trainingMark(facts, words, paper),
  space,
  { kind: 'barcode', symbology: 'code128', data: barcode },
]
