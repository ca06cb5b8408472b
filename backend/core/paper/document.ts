import type { ReceiptDocument, ReceiptBlock } from '../../../contracts/core/receipt.ts'
import type { LaneSettings, PrinterDevice, Profile } from '../../../contracts/core/profile.ts'
import type { ReceiptTexts, Paper } from './layout.ts'
import type { Locale } from '../../../contracts/core/locales.ts'

/** Number of the copy on paper; 0: the original. `file`: a copy as a file, which is not counted. */
export type Copy = number | 'file'

/**
 * Removes the blocks that may appear only on paper (specification 3 §4.5 rule 4), for screens, PDF files, e-mails and
 * online receipts.
 */
export const forScreen = (document: ReceiptDocument): ReceiptDocument => ({
  ...document,
  blocks: document.blocks.filter((block) => !block.paperOnly),
})

const LOUD = { bold: true, size: 'large' } as const

/** Text that marks the paper of training mode, so that it cannot pass for a real one. Empty in production. */
export function trainingMark(
  { profile }: { readonly profile: Pick<Profile, 'mode'> },
  { t }: ReceiptTexts,
  paper: Paper,
): ReceiptBlock[] {
  if (profile.mode !== 'training') return []
  return [
    space,
    rule,
    ...paper.text(t('training'), 'center', LOUD),
    ...paper.text(t('training-no-sale'), 'center', LOUD),
    rule,
  ]
}

export function copyMark({ copy }: Pick<DocumentFacts, 'copy'>, { t }: ReceiptTexts, paper: Paper): ReceiptBlock[] {
  if (copy === 0) return []
  const text = copy === 'file' ? t('copy-file') : t('copy', { number: String(copy) })
  return [space, ...paper.text(text, 'center', LOUD)]
}

export function header({ profile }: Pick<DocumentFacts, 'profile'>, texts: ReceiptTexts, paper: Paper): ReceiptBlock[] {
  const { store, receipt } = profile
  return [
    ...(receipt.logo ? [{ kind: 'logo' } as const] : []),
    ...paper.text(store.name, 'center', { bold: true, size: 'large' }),
    ...[
      ...store.address,
      ...(store.phone ? [texts.t('phone', { phone: store.phone })] : []),
      ...store.taxNumbers,
      ...receipt.header,
    ].flatMap((line) => paper.text(line, 'center')),
  ]
}

export interface DocumentFacts {
  readonly profile: Pick<Profile, 'mode' | 'store' | 'receipt' | 'timeZone'>
  readonly locale: Locale
  readonly lane: string
  readonly cashierName: string
  readonly at: number
  readonly copy: Copy
  /** Width of the paper in characters. */
  readonly columns: number
}

/** Width of the paper of a lane without a printer, in characters. */
const COLUMNS = 42

export const columnsOfLane = ({ devices }: Pick<LaneSettings, 'devices'>): PrinterDevice['columns'] =>
  devices.printer?.columns ?? COLUMNS

export const rule: ReceiptBlock = { kind: 'rule' }

export const space: ReceiptBlock = { kind: 'space' }

export function top(
  heading:
    | 'return-heading'
    | 'store-credit-heading'
    | 'gift-card-heading'
    | 'gift-heading'
    | 'payment-back-heading'
    | 'cash-out-heading'
    | 'movement-heading'
    | 'shift-heading'
    | 'x-heading'
    | 'z-heading'
    | 'closing-day'
    | 'closing-month'
    | 'history-heading',
  facts: DocumentFacts,
  texts: ReceiptTexts,
  paper: Paper,
): ReceiptBlock[] {
  const { t } = texts
  return [
    ...header(facts, texts, paper),
    ...trainingMark(facts, texts, paper),
    ...copyMark(facts, texts, paper),
    space,
    ...paper.text(t(heading), 'center', { bold: true, size: 'large' }),
    space,
    ...paper.row(texts.dateTime(facts.at, facts.profile.timeZone), t('lane', { lane: facts.lane })),
    ...paper.text(t('cashier', { name: facts.cashierName }), 'left'),
  ]
}

export const bottom = (barcode: string, facts: DocumentFacts, texts: ReceiptTexts, paper: Paper): ReceiptBlock[] => [
  ...trainingMark(facts, texts, paper),
  space,
  { kind: 'barcode', symbology: 'code128', data: barcode },
]
