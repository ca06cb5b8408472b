import type { Sale } from '../../../contracts/sales/sales.ts'
import { SaleId, type CollectorNumber } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'
import { ProblemError } from '../../../backend/core/problem.ts'
import type { Collector } from './central.ts'
import { nextDrawerCommand } from './drawer.ts'
import {
  cancel,
  leftToReturn,
  payByCard,
  payCash,
  redeem,
  returnGoods,
  returnPayment,
  ring,
  voidLine,
} from '../rig/cashier.ts'
import { createWindowDriver, TERMINAL_ENDED, type DriverOptions } from './window-driver.ts'
import { inProcess, returnInProcess } from './in-process.ts'
import type { SeededRng } from './rng.ts'
import type { Run } from './terminal.ts'

export interface CashierOptions extends Omit<DriverOptions, 'pauseMs'> {
  readonly drawer: SeededRng
  readonly collectors: readonly Collector[]
  readonly skus: readonly string[]
}

const CASHIER = { actorId: 'alex', role: 'cashier', approval: null } as const

/**
 * Simulates a cashier who serves customers: rings, swipes, redeems, cancels, takes cash and cards, and continues after
 * a crash from the terminal’s screen. Leaves no sale open.
 */
export async function serveCustomers(customers: number, options: CashierOptions): Promise<void> {
  const { rng, drawer } = options

  const { act, ask } = createWindowDriver({
    ...options,
    pauseMs: () =>
      rng.onceIn(150) ? rng.below(30 * 3_600_000) : rng.onceIn(15) ? rng.below(10 * 60_000) : 100 + rng.below(6_000),
  })
  const current = (run: Run): Sale | null => run.checkout.sales.current()

  async function identify(): Promise<void> {
    const collector = rng.pick(options.collectors)
    const mode = rng.weighed({ SWIPE: 6, SCAN: 3, KEYED: 1 })
    await ask(`identify ${collector.role} by ${mode}`, (read) => {
      const card = read.present(collector.number as CollectorNumber, mode)
      return { requestFields: ['member', card.readId], work: (run) => run.checkout.members.identify(card) }
    })
  }

  async function redeemMiles(): Promise<void> {
    await ask('redeem', (shown) => {
      const sale = current(shown)
      if (!sale?.redemptionChoice) return null
      const units = rng.onceIn(3) ? 1 + rng.below(sale.redemptionChoice.maxUnits) : sale.redemptionChoice.defaultUnits
      // Sometimes redeems a second time at once, as by a second tap: the terminal must accept only one of the two.
      if (rng.onceIn(4))
        shown.checkout.milesTender.redeem(sale.id, sale.version, units).catch((error: unknown) => {
          if (shown.alive && !(error instanceof ProblemError)) throw error
        })
      return inProcess(redeem(sale, units), CASHIER)
    })
  }

  async function giveTenderBack(): Promise<void> {
    await ask('reverse a payment', (shown) => {
      const sale = current(shown)
      if (!sale || sale.tenders.length === 0) return null
      const { number } = rng.pick(sale.tenders)
      return inProcess(returnPayment(sale, number), CASHIER)
    })
  }

  async function phone(): Promise<void> {
    await act('a sign-in code', (run) => {
      const sale = current(run)
      if (sale?.member) run.checkout.memberSessions.begin(sale.id)
    })
    for (let wish = rng.below(3); wish >= 0; wish -= 1) await wishForOffers()
  }

  async function wishForOffers(): Promise<void> {
    await ask('offers', (shown) => {
      const sale = current(shown)
      const { offerWishes, basketOffers } = shown.checkout
      if (!sale || !offerWishes) return null
      const { offers, optInAll } = basketOffers.view(sale.id, 'en-CA')
      const some = offers.flatMap(({ id }) => (rng.onceIn(3) ? [{ offerId: id, change: 'save' as const }] : []))
      const all = (optInAll?.offerIds ?? []).map((offerId) => ({ offerId, change: 'opt-in' as const }))
      const changes = all.length > 0 && rng.onceIn(2) ? all : some
      if (changes.length === 0) return null
      return {
        requestFields: ['offer-states', sale.id, JSON.stringify(changes)],
        work: (run) => {
          if (!run.checkout.offerWishes) throw new Error('members sign in at every run of a lane')
          return run.checkout.offerWishes.change(sale.id, { changes })
        },
      }
    })
  }

  async function pay(): Promise<boolean> {
    const shown = { sale: true }
    const paid = await ask('pay', (run) => {
      const sale = current(run)
      shown.sale = sale !== null
      if (!sale) return null
      const due = sale.totals.dueCents
      if (due <= 0) return inProcess(cancel(sale), CASHIER)
      if (due > 1 && rng.onceIn(5)) return inProcess(payByCard(sale, 'A1', cents(1 + rng.below(due - 1))), CASHIER)
      return inProcess(rng.onceIn(2) ? payByCard(sale, 'A2') : payCash(sale), CASHIER)
    })
    return (
      !shown.sale ||
      (paid !== null && paid !== TERMINAL_ENDED && !(paid instanceof ProblemError) && paid.state !== 'open')
    )
  }

  async function takeBack(): Promise<void> {
    await ask('return', (shown) => {
      const ids = shown.watch.db
        .prepare<[], { id: string }>("SELECT id FROM sale WHERE state = 'completed' ORDER BY sequence")
        .all()
      if (ids.length === 0) return null
      const saleId = SaleId.parse(rng.pick(ids).id)
      const { returns } = shown.checkout
      const left = leftToReturn(returns.returnable(saleId))
      const some = rng.onceIn(2) ? left : left.slice(0, 1)
      if (some.length === 0) return null
      const lines = some.map(({ number, leftQuantity }) => ({ number, quantity: rng.onceIn(2) ? leftQuantity : 1 }))
      return returnInProcess(returnGoods(saleId, lines, returns.quote({ saleId, lines }, CASHIER.actorId)), CASHIER)
    })
  }

  async function useDrawer(): Promise<void> {
    while (drawer.onceIn(3)) await ask('drawer', (shown) => nextDrawerCommand(shown, drawer))
  }

  for (let customer = 1; customer <= customers; customer += 1) {
    await useDrawer()
    if (customer > 1 && rng.onceIn(3)) await takeBack()
    const items = 1 + rng.below(3)
    if (rng.onceIn(4)) await identify()
    for (let item = 0; item < items; item += 1)
      await ask('ring', () => {
        const sku = rng.pick(options.skus)
        return inProcess(ring(sku, 1 + rng.below(4)), CASHIER)
      })
    if (!rng.onceIn(5)) await identify()
    if (rng.onceIn(3)) await phone()
    await useDrawer()
    if (!rng.onceIn(6)) await redeemMiles()
    if (rng.onceIn(4)) await giveTenderBack()
    if (rng.onceIn(5)) await redeemMiles()
    if (rng.onceIn(5)) {
      await ask('void a line', (shown) => {
        const sale = current(shown)
        const line = sale?.lines.find(({ voided }) => !voided)
        return sale && line ? inProcess(voidLine(sale, line.number), CASHIER) : null
      })
    }
    const cancels = rng.onceIn(4)
    for (let tries = 0; ; tries += 1) {
      if (tries < 4) await useDrawer()
      if (tries < 4 && rng.onceIn(8)) await giveTenderBack()
      let closed = false
      if (cancels || tries > 12) {
        await ask('cancel', (run) => {
          const sale = current(run)
          return sale && inProcess(cancel(sale), CASHIER)
        })
        await act('look', (run) => {
          closed = current(run) === null
        })
      } else closed = await pay()
      if (closed) break
      if (tries > 60) throw new Error('the cashier cannot close the sale')
    }
    if (rng.onceIn(4)) await takeBack()
  }
  for (let step = 0; step < 6; step += 1) await ask('drawer', (shown) => nextDrawerCommand(shown, drawer))
}
