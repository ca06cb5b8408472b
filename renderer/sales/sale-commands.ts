import type { ApprovalRequest } from '../../contracts/sales/approvals.ts'
import type { Item } from '../../contracts/catalog/catalog.ts'
import type { Sale, SaleLine } from '../../contracts/sales/sales.ts'
import { ApiProblem } from '../core/api/problem.ts'
import { api, type TenderRequest } from '../core/api/terminal-api.ts'
import { askApproval, wantsApproval, type GivenApproval } from './approvals.ts'
import { askPrice } from './changes.ts'
import { inTurn, isUnderWay, miss } from '../core/state/command-queue.ts'
import { clearProblems, notify, report, settleTopic } from '../core/state/notices.ts'
import { outcomeNow, takeNoSale, takeSale, useSale } from './sale.ts'
import type { GoodsDoubt } from '../../contracts/catalog/measure.ts'

const GOODS_TOPIC = 'goods-asked'

type SaleAnswer = { sale: Sale }

/** What is typed of a payment; the version of the sale goes with it. */
type Payment = TenderRequest extends infer Request ? (Request extends object ? Omit<Request, 'version'> : never) : never

/** Each of these counts, however fast they come; a second of any other kind is a double tap. */
const EACH_COUNTS: ReadonlySet<string> = new Set(['ring', 'line'])

/**
 * Runs one command on the sale in its turn. While one of a kind is on its way another of that kind does nothing, so
 * that a double tap never sells twice. A sale that had changed is brought up to date. What needs a supervisor asks for
 * one, and runs again as it was, with the PIN in it. Answers whether it was done.
 */
export const command = (kind: string, run: (approval?: GivenApproval) => Promise<SaleAnswer>): Promise<boolean> =>
  !EACH_COUNTS.has(kind) && isUnderWay(kind) ? Promise.resolve(false) : inTurn(kind, () => attempt(kind, run))

async function attempt(kind: string, run: (approval?: GivenApproval) => Promise<SaleAnswer>): Promise<boolean> {
  try {
    taken(await run())
    return true
  } catch (error) {
    miss()
    if (wantsApproval(error)) {
      askApproval({
        request: error.approval,
        attempt: async (approval) => {
          taken(await inTurn(kind, () => run(approval)))
        },
      })
    } else if (error instanceof ApiProblem && error.code === 'sale-stale') {
      notify('info', ({ t }) => t('sale.refreshed'))
      await refreshSale()
    } else report(error)
    return false
  }
}

function taken({ sale }: SaleAnswer): void {
  clearProblems()
  takeSale(sale)
  offerUndo(sale)
}

/** The open sale as the backend holds it: at the start, after a lost connection, after a conflict. */
export async function refreshSale(): Promise<void> {
  try {
    await readSale()
  } catch (error) {
    report(error)
  }
}

/** Throws ApiProblem. */
async function readSale(): Promise<void> {
  const { sale } = await api.currentSale()
  if (sale) takeSale(sale)
  else await settleMissing()
}

/** No sale is open, but one is on the screen: ask what became of it, so that change due is never skipped. */
async function settleMissing(): Promise<void> {
  const { current } = useSale.getState()
  if (!current) return
  try {
    // Still open: it was rung after "no sale" was said, and its event was faster than that answer.
    takeSale((await api.sale(current.id)).sale)
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'not-found') throw error
    takeNoSale()
  }
}

/**
 * The closed sale that the screen still shows may have moved while nobody was heard: miles that were on their way back
 * have arrived.
 */
export async function refreshClosed(): Promise<void> {
  const { closed } = useSale.getState()
  if (!closed) return
  try {
    takeSale((await api.sale(closed.id)).sale)
  } catch (error) {
    // What the screen shows stays true as far as it goes.
    if (!(error instanceof ApiProblem) || error.code !== 'not-found') report(error)
  }
}

/** Line commands are each done on the version that the one before them left: three quick taps are three. */
const onLine = (run: (sale: Sale, approval?: GivenApproval) => Promise<SaleAnswer> | undefined): Promise<unknown> =>
  inTurn('line', async () => {
    const { current } = useSale.getState()
    const started = current && run(current)
    // With an approval it is the same command on the version that was seen: a sale that has changed since is looked at
    // again.
    if (current && started) await attempt('line', (approval) => (approval && run(current, approval)) ?? started)
  })

const lineOf = (sale: Sale, number: number): SaleLine | undefined =>
  sale.lines.find((line) => line.number === number && !line.voided)

/** Runs what rings an item, in its turn; where none is rung, what was meant to build on it is looked at again. */
export const ringing = (run: () => Promise<unknown>): Promise<void> =>
  inTurn('ring', async () => {
    try {
      await run()
    } catch (error) {
      miss()
      report(error)
    }
  })

/**
 * Ringing carries no version: it adds to whatever sale is open. An item whose price the catalog leaves open asks for it
 * first.
 */
export const ring = (item: Item, priceCents?: number): Promise<void> => ringing(() => ringNow(item, priceCents))

/** As `ring`, for a turn that has begun. Throws ApiProblem. */
export async function ringNow({ sku, openPrice, ...item }: Item, priceCents?: number): Promise<void> {
  if (openPrice && priceCents === undefined) {
    miss()
    return askPrice({ sku, openPrice, ...item })
  }
  const rung = async (approval?: GivenApproval): Promise<void> => {
    const { sale } = await api.ring(sku, 1, priceCents, approval)
    clearProblems()
    takeSale(sale)
  }
  try {
    await rung()
  } catch (error) {
    if (!wantsApproval(error)) throw error
    miss()
    askApproval({ request: error.approval, attempt: (approval) => inTurn('ring', () => rung(approval)) })
  }
}

/** The item that was scanned needs a supervisor, as the backend says: it is rung once it is approved. */
export function askForScanned(request: ApprovalRequest): void {
  miss()
  askApproval({
    request,
    attempt: async (approval) => {
      taken(await inTurn('ring', () => api.ringScanned(approval)))
    },
  })
}

/** The scanned item is expired or recalled: it is rung only if the cashier says so. */
export function askAboutGoods(item: Item, doubt: GoodsDoubt): void {
  notify(
    'warning',
    ({ t, format }) =>
      doubt.kind === 'expired'
        ? t('sale.goodsExpired', { item: format.text(item.name), date: format.date(doubt.date) })
        : t('sale.goodsRecalled', { item: format.text(item.name), lot: doubt.lot }),
    {
      topic: GOODS_TOPIC,
      offer: {
        say: ({ t }) => t('sale.goodsSell'),
        perform: () => {
          settleTopic(GOODS_TOPIC)
          if (item.openPrice) askPrice(item)
          else void command('ring', (approval) => api.ringScanned(approval))
        },
      },
    },
  )
}

export const setQuantity = (number: number, quantity: number): Promise<unknown> =>
  onLine((sale, approval) =>
    lineOf(sale, number) ? api.changeLine(sale.id, number, { version: sale.version, quantity, approval }) : undefined,
  )

/**
 * One more or one fewer, never none: a key pressed once too often would void the line, and the next press another one.
 */
export const addQuantity = (number: number, difference: 1 | -1): Promise<unknown> =>
  onLine((sale, approval) => {
    const line = lineOf(sale, number)
    const quantity = (line?.quantity ?? 0) + difference
    return !line || quantity < 1
      ? undefined
      : api.changeLine(sale.id, number, { version: sale.version, quantity, approval })
  })

export const voidLine = (number: number): Promise<unknown> =>
  onLine((sale, approval) =>
    lineOf(sale, number) ? api.voidLine(sale.id, number, { version: sale.version, approval }) : undefined,
  )

/**
 * Takes the last change back; in turn with the line commands, so that it is the last one. `version`: only while the
 * sale is still so.
 */
export const undo = (version?: number): Promise<unknown> =>
  onLine((sale, approval) =>
    sale.undo === null ? undefined : api.undo(sale.id, { version: version ?? sale.version, approval }),
  )

const UNDO_TOPIC = 'undo'
/** Changes that leave a word and the way back; a scan or a tap on + shows itself, and Ctrl+Z is there for it too. */
const SAID = ['void', 'price', 'discount', 'discount-removed', 'member-removed', 'note', 'exemption'] as const

function offerUndo({ undo: kind, version }: Sale): void {
  const said = SAID.find((one) => one === kind)
  if (said)
    notify('info', ({ t }) => t(`undo.said.${said}`), {
      topic: UNDO_TOPIC,
      offer: {
        say: ({ t }) => t('actions.undo'),
        perform: () => {
          settleTopic(UNDO_TOPIC)
          void undo(version)
        },
      },
    })
}

// What was wrong at one customer's sale is settled with it: the next has nothing to do with a card or a code that was
// not read.
useSale.subscribe(({ current }, before) => {
  if (current?.id === before.current?.id || !before.current) return
  clearProblems()
  settleTopic('voucher')
})

const CANCELLED_TOPIC = 'cancelled'
// The next customer's sale was not cancelled.
useSale.subscribe(({ current }, before) => {
  if (current && !before.current) settleTopic(CANCELLED_TOPIC)
})

// Something else has happened to the sale: the word is old, and its button would take back another change.
useSale.subscribe(({ current }, before) => {
  if (current?.id !== before.current?.id || current?.version !== before.current?.version) settleTopic(UNDO_TOPIC)
})

/** Run a command on the open sale; nothing happens when there is none. */
export const onCurrent = (
  kind: string,
  run: (sale: Sale, approval?: GivenApproval) => Promise<SaleAnswer>,
): Promise<boolean> => {
  const { current } = useSale.getState()
  if (!current) return Promise.resolve(false)
  // A scan may change the sale while a supervisor types: what is approved is done to the sale as it stands then.
  const newest = (): Sale => {
    const now = useSale.getState().current
    return now?.id === current.id ? now : current
  }
  return command(kind, (approval) => run(approval ? newest() : current, approval))
}

export const removeMember = (): Promise<boolean> =>
  onCurrent('member', (sale) => api.removeMember(sale.id, sale.version))

/** Redeem `units`; progress comes by events, and the answer when the outcome is known. */
export const redeem = (units: number): Promise<boolean> => {
  useSale.setState((now) => ({ stage: 'ring', units: null, outcomeBefore: outcomeNow(now) }))
  return onCurrent('redemption', (sale) => api.redeem(sale.id, sale.version, units))
}

export function seeOutcome(): void {
  const seenOutcome = outcomeNow(useSale.getState())
  if (seenOutcome !== null) useSale.setState({ seenOutcome })
}

/** The card terminal is asked for this amount; what becomes of it comes by events. */
export function charge(amountCents: number): Promise<boolean> {
  useSale.setState({ stage: 'card-terminal' })
  return onCurrent('tender', (sale) => api.chargeCard(sale.id, sale.version, amountCents))
}

/** Asks the terminal to stop. */
export const stopCharge = (): Promise<boolean> => onCurrent('tender', (sale) => api.stopCharge(sale.id))

/** A payment of the open sale. The one that brings it to its sum completes it. */
export function pay(payment: Payment): Promise<boolean> {
  seeOutcome()
  // On the version that the cashier saw: if an item came between, the amount is another one and is looked at again.
  return onCurrent('tender', (sale) => api.tender(sale.id, { ...payment, version: sale.version }))
}

/**
 * Show a voucher by its code: what it is and what is left on it. Throws ApiProblem: the panel says it where the code
 * was typed.
 */
export async function presentVoucher(code: string): Promise<void> {
  const { voucher } = await api.presentVoucher(code)
  useSale.setState({ voucher })
}

/** Ring a gift card; one that was scanned keeps its own code. */
export async function sellGiftCard(amountCents: number): Promise<boolean> {
  const { blankCard } = useSale.getState()
  const sold = await command('gift-card', (approval) =>
    api.sellGiftCard({
      amountCents,
      ...(blankCard === null ? {} : { scanned: true }),
      ...(approval ? { approval } : {}),
    }),
  )
  if (sold && useSale.getState().stage === 'gift-card') useSale.setState({ stage: 'ring', blankCard: null })
  return sold
}

/** A sale that costs nothing is completed without a tender. */
export const completeFree = (): Promise<boolean> =>
  onCurrent('tender', (sale) => api.completeSale(sale.id, sale.version))

export async function cancelSale(): Promise<void> {
  useSale.setState({ confirmingCancel: false })
  const cancelled = await onCurrent('cancel', (sale, approval) => api.cancelSale(sale.id, sale.version, approval))
  if (!cancelled) return
  // With something to give back the whole screen says that it was cancelled, until the cashier has done it.
  if (!useSale.getState().closed) notify('info', ({ t }) => t('sale.cancelled'), { topic: CANCELLED_TOPIC })
}
