import type { ReturnableSale, ReturnQuote, CommitReturn } from '../../../contracts/payments/returns.ts'
import type { AddTender } from '../../../contracts/payments/tenders/registry.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { LaneAnswer } from './window.ts'

/**
 * Calls the local API of a lane: as a window (`rig/window.ts`), or as a window that continues when the lane’s process
 * is replaced (`testing/stores/headless-window.ts`). The simulation runs the same commands inside its own process
 * (`simulation/in-process.ts`).
 */
export interface LanePort {
  call(method: string, path: string, body?: object): Promise<LaneAnswer>
}

type SaleRef = Pick<Sale, 'id' | 'version'>

export type SaleCommand =
  | { readonly kind: 'ring'; readonly sku: string; readonly quantity: number }
  | { readonly kind: 'gift card'; readonly amountCents: number }
  | { readonly kind: 'tender'; readonly sale: SaleRef; readonly tender: AddTender }
  | { readonly kind: 'redeem'; readonly sale: SaleRef; readonly units: number }
  | { readonly kind: 'return payment' | 'void line'; readonly sale: SaleRef; readonly number: number }
  | { readonly kind: 'cancel' | 'resume'; readonly sale: SaleRef }
  | { readonly kind: 'hold'; readonly sale: SaleRef; readonly name?: string }

export interface ReturnCommand {
  readonly kind: 'return'
  readonly goods: CommitReturn
}
export type CashierCommand = SaleCommand | ReturnCommand

const refOf = ({ id, version }: SaleRef): SaleRef => ({ id, version })

export const ring = (sku: string, quantity = 1): SaleCommand => ({ kind: 'ring', sku, quantity })
export const sellGiftCard = (amountCents: number): SaleCommand => ({ kind: 'gift card', amountCents })
export const cancel = (sale: SaleRef): SaleCommand => ({ kind: 'cancel', sale: refOf(sale) })
export const redeem = (sale: SaleRef, units: number): SaleCommand => ({ kind: 'redeem', sale: refOf(sale), units })
export const voidLine = (sale: SaleRef, number: number): SaleCommand => ({
  kind: 'void line',
  sale: refOf(sale),
  number,
})
export const returnPayment = (sale: SaleRef, number: number): SaleCommand => ({
  kind: 'return payment',
  sale: refOf(sale),
  number,
})
export const hold = (sale: SaleRef, name?: string): SaleCommand => ({
  kind: 'hold',
  sale: refOf(sale),
  ...(name === undefined ? {} : { name }),
})
export const resume = (sale: SaleRef): SaleCommand => ({ kind: 'resume', sale: refOf(sale) })

type Totals<Field extends keyof Sale['totals']> = SaleRef & { readonly totals: Pick<Sale['totals'], Field> }
const tender = (sale: SaleRef, taken: AddTender): SaleCommand => ({ kind: 'tender', sale: refOf(sale), tender: taken })
export const payCash = (sale: Totals<'cashDueCents'>): SaleCommand =>
  tender(sale, { kind: 'cash', version: sale.version, tenderedCents: sale.totals.cashDueCents })
export const payByCard = (
  sale: Totals<'dueCents'>,
  reference: string,
  amountCents = sale.totals.dueCents,
): SaleCommand => tender(sale, { kind: 'card', version: sale.version, amountCents, reference })
export const payByVoucher = (sale: SaleRef, voucherId: string, amountCents: Sale['totals']['dueCents']): SaleCommand =>
  tender(sale, { kind: 'voucher', version: sale.version, voucherId, amountCents })

export const leftToReturn = ({ lines }: Pick<ReturnableSale, 'lines'>): ReturnableSale['lines'] =>
  lines.filter(({ leftQuantity, kept }) => leftQuantity > 0 && !kept)

export const returnGoods = (
  saleId: CommitReturn['saleId'],
  lines: CommitReturn['lines'],
  { version, refunds }: Pick<ReturnQuote, 'version' | 'refunds'>,
  more: Partial<CommitReturn> = {},
): ReturnCommand => ({
  kind: 'return',
  goods: {
    saleId,
    version,
    lines,
    refunds: refunds.map(({ kind, paidBy, amountCents }) => ({ kind, paidBy, amountCents })),
    ...(refunds.some(({ kind }) => kind === 'card') ? { cardReference: 'R1' } : {}),
    ...more,
  },
})

/** Whether the sale’s redemption, or its reversal, has no outcome yet. */
export const isMoving = ({ redemption }: Pick<Sale, 'redemption'>): boolean =>
  redemption !== null && ['intent', 'retry', 'reversing'].includes(redemption.state)

export async function currentSale(lane: LanePort): Promise<Sale | null> {
  const { body } = await lane.call('GET', '/api/sales/current')
  return (body as { sale: Sale | null }).sale ?? null
}

/** Sends a command; a refusal is returned as a normal response. */
export function perform(lane: LanePort, command: CashierCommand): Promise<LaneAnswer> {
  const { path, body } = requestOf(command)
  return lane.call('POST', path, body)
}

export async function done(lane: LanePort, command: SaleCommand): Promise<Sale> {
  const { status, body } = await perform(lane, command)
  if (status !== 200) throw new Error(`${command.kind}: ${status} ${JSON.stringify(body)}`)
  return body.sale
}

export function requestOf(command: CashierCommand): { readonly path: string; readonly body: object } {
  const of = ({ id, version }: SaleRef, path: string, body: object = {}) => ({
    path: `/api/sales/${id}/${path}`,
    body: { version, ...body },
  })
  switch (command.kind) {
    case 'ring':
      return { path: '/api/sales/current/lines', body: { sku: command.sku, quantity: command.quantity } }
    case 'gift card':
      return { path: '/api/sales/current/gift-cards', body: { amountCents: command.amountCents } }
    case 'return':
      return { path: '/api/returns', body: command.goods }
    case 'tender':
      return of(command.sale, 'tenders', command.tender)
    case 'redeem':
      return of(command.sale, 'redemption', { units: command.units })
    case 'return payment':
      return of(command.sale, `tenders/${command.number}/take-back`)
    case 'void line':
      return of(command.sale, `lines/${command.number}/void`)
    case 'hold':
      return of(command.sale, 'hold', command.name === undefined ? {} : { name: command.name })
    case 'cancel':
    case 'resume':
      return of(command.sale, command.kind)
  }
}
