import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { HeldSales } from '../../../../contracts/sales/held-sales.ts'
import { ReturnableSale, ReturnQuote } from '../../../../contracts/payments/returns.ts'
import type { Sale } from '../../../../contracts/sales/sales.ts'
import { Voucher } from '../../../../contracts/payments/vouchers.ts'
import { cents } from '../../../../contracts/core/money.ts'
import {
  cancel,
  currentSale,
  hold,
  isMoving,
  leftToReturn,
  payByCard,
  payByVoucher,
  payCash,
  redeem,
  requestOf,
  resume,
  returnGoods,
  ring,
  sellGiftCard,
  type CashierCommand,
} from '../../rig/cashier.ts'
import type { LaneAnswer } from '../../rig/window.ts'
import type { SeededRng } from '../../simulation/rng.ts'
import type { Goods } from './goods.ts'
import type { Lane } from './lane.ts'

/**
 * Weights of what customers want to do. `resume` has a larger weight than `hold`: during an outage of the store server
 * many held sales are unavailable, and at the end all must be sold.
 */
const ACTIVITIES = {
  cash: 46,
  card: 6,
  miles: 12,
  'gift card': 6,
  voucher: 9,
  return: 11,
  hold: 6,
  resume: 14,
  cancel: 2,
}
type Activity = keyof typeof ACTIVITIES

const SKUS = ['1001', '1002', '1004', '1006', '1008', '1010', '1018', '1021'] as const
const LOOK_MS = 15
const CLOSES_WITHIN_MS = 180_000
/** Time limit for a swiped card to appear in the sale: a kill of the lane right after the swipe loses the card. */
const KNOWN_WITHIN_MS = 5_000

export interface Tally {
  readonly done: Map<string, number>
  readonly refused: Map<string, number>
  /** Number of held sales so far. The note of each held sale has this number. */
  held: number
}
export const count = (of: Map<string, number>, what: string): void => void of.set(what, (of.get(what) ?? 0) + 1)

export interface CashierOptions {
  readonly lane: Pick<Lane, 'id' | 'till' | 'paper'>
  readonly goods: Goods
  readonly cards: readonly string[]
  readonly rng: SeededRng
  readonly tally: Tally
}

export type Cashier = ReturnType<typeof createCashier>

/**
 * Creates a simulated cashier at a lane. Each action follows from the lane’s screen, and does not depend on the result
 * of the previous command.
 */
export function createCashier({ lane, goods, cards, rng, tally }: CashierOptions) {
  const { till } = lane

  async function command(path: string, body: object, method: 'POST' | 'PUT' = 'POST'): Promise<LaneAnswer> {
    const answer = await till.call(method, path, body)
    if (answer.status !== 200) count(tally.refused, `${path.replaceAll(/[A-Z0-9]{10,}/g, ':id')} ${answer.body.code}`)
    return answer
  }
  const run = (asked: CashierCommand): Promise<LaneAnswer> => {
    const { path, body } = requestOf(asked)
    return command(path, body)
  }
  const current = (): Promise<Sale | null> => currentSale(till)

  async function until(fits: (sale: Sale) => boolean, withinMs: number): Promise<Sale | null> {
    for (const from = Date.now(); Date.now() < from + withinMs; await pause(LOOK_MS)) {
      const sale = await current()
      if (sale === null || fits(sale)) return sale
    }
    return null
  }

  async function ringSome(): Promise<Sale | null> {
    let sale: Sale | null = null
    for (let lines = 1 + rng.below(3); lines > 0; lines -= 1) {
      const sku = rng.pick(SKUS)
      sale = (await run(ring(sku, 1 + rng.below(3)))).body.sale ?? sale
    }
    return sale
  }

  async function close(): Promise<void> {
    for (const from = Date.now(); Date.now() < from + CLOSES_WITHIN_MS; await pause(LOOK_MS)) {
      const sale = await until((now) => now.member?.state !== 'pending' && !isMoving(now), CLOSES_WITHIN_MS)
      if (sale === null && (await current()) !== null) break
      if (sale === null) return
      const answer = await run(sale.lines.every(({ voided }) => voided) ? cancel(sale) : payCash(sale))
      const after = answer.body.sale
      if (answer.status === 200 && after?.state === 'completed') {
        goods.bought(after.id)
        count(tally.done, 'sale')
        return
      }
    }
    throw new Error(`lane ${lane.id} cannot close its sale: ${JSON.stringify(await current())}`)
  }

  async function ringThen(wanted: (sale: Sale) => CashierCommand): Promise<void> {
    const sale = await ringSome()
    if (sale) await run(wanted(sale))
  }

  async function payByMiles(): Promise<void> {
    if ((await ringSome()) === null) return
    await command('/api/training/swipe', { cardId: rng.pick(cards) })
    const sale = await until(({ member }) => member !== null && member.state !== 'pending', KNOWN_WITHIN_MS)
    if (sale?.redemptionChoice) await run(redeem(sale, 1))
    await until((now) => !isMoving(now), CLOSES_WITHIN_MS)
  }

  async function payByVoucherDocument(): Promise<void> {
    goods.collect(lane.id, lane.paper)
    const paper = goods.voucher(rng)
    const sale = await ringSome()
    if (paper === null || sale === null) return
    const shown = z
      .object({ voucher: Voucher })
      .safeParse((await command('/api/vouchers/present', { code: paper.code })).body)
    if (!shown.success) return
    const { id, balanceCents } = shown.data.voucher
    if (balanceCents === 0) return goods.spent(paper)
    const amountCents = cents(Math.min(balanceCents, sale.totals.dueCents, 100 + rng.below(2_000)))
    const paid = await run(payByVoucher(sale, id, amountCents))
    if (paid.status === 200) count(tally.done, 'voucher spent')
    if (paid.body.sale?.state === 'completed') goods.bought(paid.body.sale.id)
  }

  async function takeBack(): Promise<void> {
    const saleId = goods.receipt(rng)
    if (saleId === null) return
    const seen = await till.call('GET', `/api/sales/${saleId}/returnable`)
    const returnable = ReturnableSale.safeParse(seen.body)
    if (!returnable.success) return count(tally.refused, `returnable ${seen.body.code}`)
    const left = leftToReturn(returnable.data)
    if (left.length === 0) return
    const line = rng.pick(left)
    const lines = [{ number: line.number, quantity: 1 + rng.below(line.leftQuantity) }]
    const quote = ReturnQuote.safeParse((await command('/api/returns/quote', { saleId, lines })).body)
    if (!quote.success) return
    const done = await run(returnGoods(returnable.data.saleId, lines, quote.data))
    if (done.status === 200) count(tally.done, 'return')
  }

  async function holdSale(): Promise<void> {
    const sale = await ringSome()
    if (sale === null) return
    tally.held += 1
    const note = `held ${tally.held}`
    const noted = await command(`/api/sales/${sale.id}/note`, { version: sale.version, line: null, note }, 'PUT')
    const held = await run(hold(noted.body.sale ?? sale, note))
    if (held.status === 200) count(tally.done, 'hold')
  }

  async function resumeSale(): Promise<boolean> {
    const { sales } = HeldSales.parse((await till.call('GET', '/api/sales/held')).body)
    if (sales.length === 0) return false
    const resumed = await run(resume(rng.pick(sales)))
    if (resumed.status === 200) count(tally.done, 'resume')
    return true
  }

  async function serve(activity: Activity): Promise<void> {
    switch (activity) {
      case 'cash':
        return void (await ringSome())
      case 'card':
        return ringThen((sale) => payByCard(sale, 'T1'))
      case 'miles':
        return payByMiles()
      case 'gift card':
        return void (await run(sellGiftCard(500 + 100 * rng.below(50))))
      case 'voucher':
        return payByVoucherDocument()
      case 'return':
        return takeBack()
      case 'hold':
        return holdSale()
      case 'resume':
        return void (await resumeSale())
      case 'cancel':
        return ringThen(cancel)
    }
  }

  return {
    async customer(activity: Activity = rng.weighed(ACTIVITIES)): Promise<void> {
      await serve(activity)
      await close()
    },
    async clearHeld(): Promise<void> {
      for (let tries = 0; tries < 1_000 && (await resumeSale()); tries += 1) await close()
    },
    command,
  }
}
