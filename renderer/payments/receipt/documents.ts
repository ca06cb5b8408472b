import type { TroubleKind } from '../../../contracts/operations/diagnostics.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { localeAfter } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { type ReprintedDocument, api } from '../../core/api/terminal-api.ts'
import type { Translate } from '../../core/i18n/message-key.ts'
import { printerTodo } from '../../core/i18n/printer-todo.ts'
import { enqueue, isInFlight } from '../../core/state/command-queue.ts'
import { type ApprovalInput, askApproval, needsApproval } from '../../sales/approvals.ts'
import { type LazyText, notify, report, clearTopic, useNotices } from '../../core/state/notices.ts'

type PrintJob = Extract<TerminalEvent, { type: 'print-job' }>

/** Number of last characters of an id that distinguish the papers of a day. */
const NAMED_BY = 6

export const shiftPaper = (id: number): string => `SHIFT${String(id).padStart(8, '0')}`
export const zPaper = (number: number): string => `Z${String(number).padStart(8, '0')}`

/** Requested documents that have no print event yet. */
const awaitedDocuments = new Set<string>()

/**
 * Prints a paper again, by default a sale's receipt. The result is reported by the print event, not by the answer. A
 * paper with a value needs a supervisor's approval. `then` runs after the request; `locale`: by default that of the
 * first print.
 */
export async function reprint(
  saleId: string | null,
  paper: ReprintedDocument = 'sale',
  then?: () => Promise<void>,
  locale?: Locale,
): Promise<void> {
  if (saleId === null || isInFlight('print')) return
  try {
    await ask(saleId, paper, locale)
  } catch (error) {
    if (!needsApproval(error)) return report(error)
    return askApproval({
      request: error.approval,
      attempt: async (approval) => {
        await ask(saleId, paper, locale, approval)
        await then?.()
      },
    })
  }
  await then?.()
}

export async function reprintInOtherLanguage(saleId: string | null): Promise<void> {
  if (saleId === null) return
  try {
    const { document } = await api.receipt(saleId)
    await reprint(saleId, 'sale', undefined, localeAfter(document.locale))
  } catch (error) {
    report(error)
  }
}

async function ask(id: string, paper: ReprintedDocument, locale?: Locale, approval?: ApprovalInput): Promise<void> {
  awaitedDocuments.add(`${paper} ${id}`)
  try {
    await enqueue('print', () => api.reprint(paper, id, locale || approval ? { locale, approval } : undefined))
  } catch (error) {
    awaitedDocuments.delete(`${paper} ${id}`)
    throw error
  }
}

const nameOf =
  ({ kind, last4, balanceCents }: NonNullable<PrintJob['voucher']>): LazyText =>
  ({ t, format }) =>
    t(`after.voucherOf.${kind}`, { number: last4, amount: format.money(balanceCents) })

type PrintEvent = Pick<PrintJob, 'paper' | 'saleId' | 'state' | 'copy' | 'totalCents' | 'voucher'>
type NotPrinted = Omit<PrintEvent, 'paper'> & { readonly paper: Exclude<ReprintedDocument, 'cash-movement'> }
/** Documents whose failed print is reported, by the topic of the notice. */
const notPrinted = new Map<string, NotPrinted>()

/**
 * Reports the result of a print job once: a failure with the printer's problem and a button to print again, or the
 * success of a requested paper. `copy` 0 is the original.
 */
export function notifyPrint(job: PrintEvent, trouble?: TroubleKind): void {
  const { paper, saleId, state, copy, voucher } = job
  if (state === 'queued') return
  const asked = awaitedDocuments.delete(`${paper} ${saleId}`)
  const topic = `print ${paper} ${saleId}`
  notPrinted.delete(topic)
  if (state === 'failed' || state === 'unknown') {
    if (paper === 'store-sale') return
    if (paper === 'payment-back' || paper === 'cash-movement') {
      notify('warning', ({ t }) => t(paper === 'cash-movement' ? 'cash.slipNotPrinted' : 'tender.takeBackNoPaper'), {
        topic,
      })
      return
    }
    const left = { ...job, paper }
    if (state === 'failed') notPrinted.set(topic, left)
    notifyNotPrinted(left, topic, (t) => printerTodo(t, trouble) ?? t('devices.todo.any'))
    return
  }
  clearTopic(topic)
  if (asked && voucher)
    notify('success', (i18n) => i18n.t('after.voucherPrinted', { voucher: nameOf(voucher)(i18n) }), { topic })
  else if (asked) notify('success', ({ t }) => t(printedText(paper, copy)), { topic })
}

function printedText(paper: PrintJob['paper'], copy: number) {
  if (paper === 'gift') return 'after.giftPrinted'
  if (copy > 0) return 'after.reprinted'
  return isReport(paper) ? 'after.reportPrinted' : 'after.printedNow'
}

const isReport = (paper: PrintJob['paper']): boolean => paper === 'closing' || paper === 'z-report'

/** When the printer is ready again, replaces notices about its problem by notices with a button to print. */
export function notifyPrinterReady(): void {
  const { notices } = useNotices.getState()
  for (const [topic, job] of notPrinted)
    if (notices.some((notice) => notice.topic === topic)) notifyNotPrinted(job, topic, null)
  notPrinted.clear()
}

/** Shows that a document was not printed. `todo`: the remedy for the printer; null: there is nothing to do. */
function notifyNotPrinted(
  { paper, saleId, state, totalCents, voucher }: NotPrinted,
  topic: string,
  todo: ((t: Translate) => string) | null,
): void {
  // The notice identifies the paper by facts that a person can compare, because another customer may be at the lane by
  // now.
  const end = saleId.slice(-NAMED_BY)
  const text: LazyText = ({ t, format }) => {
    const values = { todo: todo?.(t) ?? '' }
    if (voucher)
      return t(state === 'unknown' ? 'after.voucherUnknown' : todo ? 'after.voucherFailed' : 'after.voucherNow', {
        ...values,
        voucher: nameOf(voucher)({ t, format }),
      })
    const named =
      totalCents === null
        ? t('sale.printOfPaper', { end })
        : t('sale.printOfSale', { end, amount: format.money(totalCents) })
    return t(state === 'unknown' ? 'sale.printUnknown' : todo ? 'sale.printFailed' : 'sale.printNow', {
      ...values,
      document: t(isReport(paper) ? 'sale.printedDocument.report' : 'sale.printedDocument.receipt'),
      paper: named,
    })
  }
  notify('warning', text, {
    topic,
    offer: {
      text: ({ t }) => t('actions.reprint'),
      perform: () => {
        clearTopic(topic)
        void reprint(saleId, paper)
      },
    },
  })
}
