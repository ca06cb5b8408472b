import type { TroubleKind } from '../../../contracts/operations/diagnostics.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { localeAfter } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { type ReprintedDocument, api } from '../../core/api/terminal-api.ts'
import type { Words } from '../../core/i18n/message-key.ts'
import { printerTodo } from '../../core/i18n/printer-todo.ts'
import { inTurn, isUnderWay } from '../../core/state/command-queue.ts'
import { type GivenApproval, askApproval, wantsApproval } from '../../sales/approvals.ts'
import { type Saying, notify, report, settleTopic, useNotices } from '../../core/state/notices.ts'

type PrintJob = Extract<TerminalEvent, { type: 'print-job' }>

/** Signs of an id that tell one paper of a day from another. */
const NAMED_BY = 6

/** The names of papers of drawers and days, as the print queue has them. */
export const shiftPaper = (id: number): string => `SHIFT${String(id).padStart(8, '0')}`
export const zPaper = (number: number): string => `Z${String(number).padStart(8, '0')}`

/** Documents that were asked for and of which the printer has not told yet. */
const awaitedDocuments = new Set<string>()

/**
 * Ask for a paper again, of a sale unless said otherwise. Whether it was printed is said when the printer has told,
 * never before. One that pays asks a supervisor first. `then`: what follows once it was asked for;
 * `locale`: default the one of the first paper.
 */
export async function reprint(
  saleId: string | null,
  paper: ReprintedDocument = 'sale',
  then?: () => Promise<void>,
  locale?: Locale,
): Promise<void> {
  if (saleId === null || isUnderWay('print')) return
  try {
    await ask(saleId, paper, locale)
  } catch (error) {
    if (!wantsApproval(error)) return report(error)
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

/** Prints a sale's receipt in the language after the one of its paper, for a customer who asks for it. */
export async function reprintInOtherLanguage(saleId: string | null): Promise<void> {
  if (saleId === null) return
  try {
    const { document } = await api.receipt(saleId)
    await reprint(saleId, 'sale', undefined, localeAfter(document.locale))
  } catch (error) {
    report(error)
  }
}

/** Throws ApiProblem. */
async function ask(id: string, paper: ReprintedDocument, locale?: Locale, approval?: GivenApproval): Promise<void> {
  awaitedDocuments.add(`${paper} ${id}`)
  try {
    await inTurn('print', () => api.reprint(paper, id, locale || approval ? { locale, approval } : undefined))
  } catch (error) {
    awaitedDocuments.delete(`${paper} ${id}`)
    throw error
  }
}

const nameOf =
  ({ kind, last4, balanceCents }: NonNullable<PrintJob['voucher']>): Saying =>
  ({ t, format }) =>
    t(`after.voucherOf.${kind}`, { number: last4, amount: format.money(balanceCents) })

type Told = Pick<PrintJob, 'paper' | 'saleId' | 'state' | 'copy' | 'totalCents' | 'voucher'>
type NotPrinted = Omit<Told, 'paper'> & { readonly paper: Exclude<ReprintedDocument, 'cash-movement'> }
/** Documents that were told to be not printed, by the topic of that notice. */
const notPrinted = new Map<string, NotPrinted>()

/**
 * What became of a receipt on its way to the printer, told once, with what the printer says is the matter: a failure
 * with the way to print again, a paper that was asked for. `copy` 0 is the original.
 */
export function notifyPrint(job: Told, trouble?: TroubleKind): void {
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
  settleTopic(topic)
  if (asked && voucher)
    notify('success', (words) => words.t('after.voucherPrinted', { voucher: nameOf(voucher)(words) }), { topic })
  else if (asked) notify('success', ({ t }) => t(printedWords(paper, copy)), { topic })
}

function printedWords(paper: PrintJob['paper'], copy: number) {
  if (paper === 'gift') return 'after.giftPrinted'
  if (copy > 0) return 'after.reprinted'
  return isReport(paper) ? 'after.reportPrinted' : 'after.printedNow'
}

const isReport = (paper: PrintJob['paper']): boolean => paper === 'closing' || paper === 'z-report'

/** The printer is ready again: nothing may go on saying that it has no paper. What is left is to print. */
export function notifyPrinterReady(): void {
  const { notices } = useNotices.getState()
  for (const [topic, job] of notPrinted)
    if (notices.some((notice) => notice.topic === topic)) notifyNotPrinted(job, topic, null)
  notPrinted.clear()
}

/** `todo`: what to do about the printer before the paper is printed again; null: nothing. */
function notifyNotPrinted(
  { paper, saleId, state, totalCents, voucher }: NotPrinted,
  topic: string,
  todo: ((t: Words) => string) | null,
): void {
  // By then another customer may stand here: the paper is named by what a person can compare.
  const end = saleId.slice(-NAMED_BY)
  const say: Saying = ({ t, format }) => {
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
  notify('warning', say, {
    topic,
    offer: {
      say: ({ t }) => t('actions.reprint'),
      perform: () => {
        settleTopic(topic)
        void reprint(saleId, paper)
      },
    },
  })
}
