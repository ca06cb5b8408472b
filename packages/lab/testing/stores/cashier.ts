import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { HeldSales } from '../../../../contracts/sales/held-sales.ts'
import { ReturnableSale, ReturnQuote } from '../../../../contracts/payments/returns.ts'
import type { Sale } from '../../../../contracts/sales/sales.ts'
import { Voucher } from '../../../../contracts/payments/vouchers.ts'
import type { SeededRng } from '../../simulation/rng.ts'
import type { Goods } from './goods.ts'
import type { Lane } from './lane.ts'
import type { TillAnswer } from './till.ts'

/**
 * What customers want, each as often as its weight says. Held sales are asked for more often than they are held: while
 * the store is away many of them cannot be had, and all of them are sold in the evening.
 */
const WANTS = { cash: 46, card: 6, miles: 12, 'gift card': 6, voucher: 9, return: 11, hold: 6, resume: 14, cancel: 2 }
type Want = keyof typeof WANTS

const SKUS = ['1001', '1002', '1004', '1006', '1008', '1010', '1018', '1021'] as const
const LOOK_MS = 15
/** A sale that takes longer to close than this is stuck. */
const CLOSES_WITHIN_MS = 180_000
/** A card that was swiped just before its lane was killed is not heard of again. */
const KNOWN_WITHIN_MS = 5_000

/** How often what was done, and which refusals were met, by their codes. */
export interface Tally {
  readonly done: Map<string, number>
  readonly refused: Map<string, number>
  /** Held sales so far: each is known again by its note. */
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

/** Whoever serves at a lane: by what the lane shows, whatever became of the command before. */
export function createCashier({ lane, goods, cards, rng, tally }: CashierOptions) {
  const { till } = lane

  async function command(path: string, body: object, how: 'post' | 'put' = 'post'): Promise<TillAnswer> {
    const answer = await till[how](path, body)
    if (answer.status !== 200) count(tally.refused, `${path.replaceAll(/[A-Z0-9]{10,}/g, ':id')} ${answer.body.code}`)
    return answer
  }
  const of = (sale: Sale, path: string, body: object = {}): Promise<TillAnswer> =>
    command(`/api/sales/${sale.id}/${path}`, { version: sale.version, ...body })
  const current = async (): Promise<Sale | null> => (await till.get('/api/sales/current')).body.sale ?? null

  /** The open sale, once it fits; null where there is none, or it does not in time. */
  async function until(fits: (sale: Sale) => boolean, withinMs: number): Promise<Sale | null> {
    for (const from = Date.now(); Date.now() < from + withinMs; await pause(LOOK_MS)) {
      const sale = await current()
      if (sale === null || fits(sale)) return sale
    }
    return null
  }

  async function ring(): Promise<Sale | null> {
    let sale: Sale | null = null
    for (let lines = 1 + rng.below(3); lines > 0; lines -= 1) {
      const item = { sku: rng.pick(SKUS), quantity: 1 + rng.below(3) }
      sale = (await command('/api/sales/current/lines', item)).body.sale ?? sale
    }
    return sale
  }

  /** Whatever is open is paid in cash, or cancelled where nothing is on it. Answers what it was. */
  async function close(): Promise<void> {
    for (const from = Date.now(); Date.now() < from + CLOSES_WITHIN_MS; await pause(LOOK_MS)) {
      const sale = await until((now) => now.member?.state !== 'pending' && !isMoving(now), CLOSES_WITHIN_MS)
      if (sale === null && (await current()) !== null) break
      if (sale === null) return
      const answer = sale.lines.every(({ voided }) => voided) ? await of(sale, 'cancel') : await payCash(sale)
      const after = answer.body.sale
      if (answer.status === 200 && after?.state === 'completed') {
        goods.bought(after.id)
        count(tally.done, 'sale')
        return
      }
    }
    throw new Error(`lane ${lane.id} cannot close its sale: ${JSON.stringify(await current())}`)
  }
  const payCash = (sale: Sale): Promise<TillAnswer> =>
    of(sale, 'tenders', { kind: 'cash', tenderedCents: sale.totals.cashDueCents })

  async function payByCard(): Promise<void> {
    const sale = await ring()
    if (sale) await of(sale, 'tenders', { kind: 'card', amountCents: sale.totals.dueCents, reference: 'T1' })
  }

  async function payByMiles(): Promise<void> {
    if ((await ring()) === null) return
    await command('/api/training/swipe', { cardId: rng.pick(cards) })
    const sale = await until(({ member }) => member !== null && member.state !== 'pending', KNOWN_WITHIN_MS)
    if (sale?.redemptionChoice) await of(sale, 'redemption', { units: 1 })
    await until((now) => !isMoving(now), CLOSES_WITHIN_MS)
  }

  async function payByVoucher(): Promise<void> {
    goods.collect(lane.id, lane.paper)
    const paper = goods.voucher(rng)
    const sale = await ring()
    if (paper === null || sale === null) return
    const shown = z
      .object({ voucher: Voucher })
      .safeParse((await command('/api/vouchers/present', { code: paper.code })).body)
    if (!shown.success) return
    const { id: voucherId, balanceCents } = shown.data.voucher
    if (balanceCents === 0) return goods.spent(paper)
    const amountCents = Math.min(balanceCents, sale.totals.dueCents, 100 + rng.below(2_000))
    const paid = await of(sale, 'tenders', { kind: 'voucher', voucherId, amountCents })
    if (paid.status === 200) count(tally.done, 'voucher spent')
    if (paid.body.sale?.state === 'completed') goods.bought(paid.body.sale.id)
  }

  async function takeBack(): Promise<void> {
    const saleId = goods.receipt(rng)
    if (saleId === null) return
    const seen = await till.get(`/api/sales/${saleId}/returnable`)
    const returnable = ReturnableSale.safeParse(seen.body)
    if (!returnable.success) return count(tally.refused, `returnable ${seen.body.code}`)
    const left = returnable.data.lines.filter(({ leftQuantity, kept }) => leftQuantity > 0 && !kept)
    if (left.length === 0) return
    const line = rng.pick(left)
    const lines = [{ number: line.number, quantity: 1 + rng.below(line.leftQuantity) }]
    const quote = ReturnQuote.safeParse((await command('/api/returns/quote', { saleId, lines })).body)
    if (!quote.success) return
    const refunds = quote.data.refunds.map(({ kind, paidBy, amountCents }) => ({ kind, paidBy, amountCents }))
    const { version } = quote.data
    const cardReference = refunds.some(({ kind }) => kind === 'card') ? { cardReference: 'R1' } : {}
    const done = await command('/api/returns', { saleId, version, lines, refunds, ...cardReference })
    if (done.status === 200) count(tally.done, 'return')
  }

  async function hold(): Promise<void> {
    const sale = await ring()
    if (sale === null) return
    tally.held += 1
    const note = `held ${tally.held}`
    const noted = await command(`/api/sales/${sale.id}/note`, { version: sale.version, line: null, note }, 'put')
    const held = await of(noted.body.sale ?? sale, 'hold', { name: note })
    if (held.status === 200) count(tally.done, 'hold')
  }

  /** Any sale on hold that the lane shows, of whichever lane. False where it shows none. */
  async function resume(): Promise<boolean> {
    const { sales } = HeldSales.parse((await till.get('/api/sales/held')).body)
    if (sales.length === 0) return false
    const { id, version } = rng.pick(sales)
    const resumed = await command(`/api/sales/${id}/resume`, { version })
    if (resumed.status === 200) count(tally.done, 'resume')
    return true
  }

  async function serve(want: Want): Promise<void> {
    switch (want) {
      case 'cash':
        return void (await ring())
      case 'card':
        return payByCard()
      case 'miles':
        return payByMiles()
      case 'gift card':
        return void (await command('/api/sales/current/gift-cards', { amountCents: 500 + 100 * rng.below(50) }))
      case 'voucher':
        return payByVoucher()
      case 'return':
        return takeBack()
      case 'hold':
        return hold()
      case 'resume':
        return void (await resume())
      case 'cancel': {
        const sale = await ring()
        if (sale) await of(sale, 'cancel')
      }
    }
  }

  return {
    /** One customer, to the end: whatever they leave open is paid in cash. */
    async customer(want: Want = rng.weighed(WANTS)): Promise<void> {
      await serve(want)
      await close()
    },
    /** What is still on hold is sold. */
    async clearHeld(): Promise<void> {
      for (let tries = 0; tries < 1_000 && (await resume()); tries += 1) await close()
    },
    command,
  }
}

const isMoving = ({ redemption }: Sale): boolean =>
  redemption !== null && ['intent', 'retry', 'reversing'].includes(redemption.state)
