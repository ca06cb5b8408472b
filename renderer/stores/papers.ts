import type { TroubleKind } from '../../contracts/api/diagnostics.ts'
import type { TerminalEvent } from '../../contracts/events.ts'
import { api, type ReprintedPaper } from '../api/terminal-api.ts'
import { printerTodo } from '../i18n/printer-todo.ts'
import { askApproval, wantsApproval, type GivenApproval } from './approvals.ts'
import { notify, report, settleTopic, type Saying } from './notices.ts'
import { useSale } from './sale.ts'

type PrintJob = Extract<TerminalEvent, { type: 'print-job' }>

/** Signs of an id that tell one paper of a day from another. */
const NAMED_BY = 6

/** Papers that were asked for and of which the printer has not told yet. */
const awaitedPapers = new Set<string>()

/**
 * Ask for a paper again, of a sale unless said otherwise. Whether it was printed is said when the printer has told, never
 * before. One that pays asks a supervisor first. `then`: what follows once it was asked for.
 */
export async function reprint(saleId: string | null, paper: ReprintedPaper = 'sale', then?: () => Promise<void>): Promise<void> {
  const { busy } = useSale.getState()
  if (saleId === null || busy.has('print')) return
  useSale.setState({ busy: new Set(busy).add('print') })
  try {
    await ask(saleId, paper)
  } catch (error) {
    if (!wantsApproval(error)) return report(error)
    return askApproval({ request: error.approval, attempt: async (approval) => { await ask(saleId, paper, approval); await then?.() } })
  } finally {
    useSale.setState((state) => ({ busy: new Set([...state.busy].filter((kind) => kind !== 'print')) }))
  }
  await then?.()
}

/** Throws ApiProblem. */
async function ask(id: string, paper: ReprintedPaper, approval?: GivenApproval): Promise<void> {
  awaitedPapers.add(`${paper} ${id}`)
  try {
    await api.reprint(paper, id, approval)
  } catch (error) {
    awaitedPapers.delete(`${paper} ${id}`)
    throw error
  }
}

const nameOf = ({ kind, last4, balanceCents }: NonNullable<PrintJob['voucher']>): Saying => ({ t, format }) => t(`after.voucherOf.${kind}`, { number: last4, amount: format.money(balanceCents) })

/** What became of a receipt on its way to the printer, told once, with what the printer says is the matter: a failure with the way to print again, a paper that was asked for. `copy` 0 is the original. */
export function tellPrint({ paper, saleId, state, copy, totalCents, voucher }: Pick<PrintJob, 'paper' | 'saleId' | 'state' | 'copy' | 'totalCents' | 'voucher'>, trouble?: TroubleKind): void {
  if (state === 'queued') return
  const asked = awaitedPapers.delete(`${paper} ${saleId}`)
  const topic = `print ${paper} ${saleId}`
  if (state === 'failed' || state === 'unknown') {
    if (paper === 'payment-back') {
      notify('warning', ({ t }) => t('tender.takeBackNoPaper'), { topic })
      return
    }
    // By then another customer may stand here: the paper is named by what a person can compare.
    const end = saleId.slice(-NAMED_BY)
    notify('warning', ({ t, format }) => voucher ? t(state === 'failed' ? 'after.voucherFailed' : 'after.voucherUnknown', { voucher: nameOf(voucher)({ t, format }), todo: printerTodo(t, trouble) ?? t('devices.todo.any') }) : t(state === 'failed' ? 'sale.printFailed' : 'sale.printUnknown', {
      todo: printerTodo(t, trouble) ?? t('devices.todo.any'),
      paper: totalCents === null ? t('sale.printOfPaper', { end }) : t('sale.printOfSale', { end, amount: format.money(totalCents) }),
    }), {
      topic, offer: { say: ({ t }) => t('actions.reprint'), perform: () => { settleTopic(topic); void reprint(saleId, paper) } },
    })
    return
  }
  settleTopic(topic)
  if (asked && voucher) notify('success', (words) => words.t('after.voucherPrinted', { voucher: nameOf(voucher)(words) }), { topic })
  else if (asked) notify('success', ({ t }) => t(paper === 'gift' ? 'after.giftPrinted' : copy > 0 ? 'after.reprinted' : 'after.printedNow'), { topic })
}
