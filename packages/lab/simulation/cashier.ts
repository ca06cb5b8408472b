import type { Sale } from '../../../contracts/sales/sales.ts'
import type { AddTender } from '../../../contracts/payments/tenders/registry.ts'
import { SaleId, type CollectorNumber } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'
import { ProblemError } from '../../../backend/core/problem.ts'
import type { Collector } from './central.ts'
import { nextDrawerCommand } from './drawer.ts'
import { createHand, GONE, type Command, type HandOptions } from './hand.ts'
import type { SeededRng } from './rng.ts'
import type { Run } from './terminal.ts'

export interface CashierOptions extends Omit<HandOptions, 'pauseMs'> {
  /** Decides what is done with the drawer, and when. */
  readonly drawer: SeededRng
  readonly collectors: readonly Collector[]
  readonly skus: readonly string[]
}

const CASHIER = { actorId: 'alex', role: 'cashier', approval: null } as const

/**
 * Serves so many customers: rings, swipes, redeems, cancels, takes cash and cards, and after a crash goes on with what
 * the terminal shows. Leaves no sale open.
 */
export async function serveCustomers(customers: number, options: CashierOptions): Promise<void> {
  const { rng, drawer } = options

  const { act, ask } = createHand({
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
      return { parts: ['member', card.readId], work: (run) => run.checkout.members.identify(card) }
    })
  }

  async function redeem(): Promise<void> {
    await ask('redeem', (shown) => {
      const sale = current(shown)
      if (!sale?.redemptionChoice) return null
      const units = rng.onceIn(3) ? 1 + rng.below(sale.redemptionChoice.maxUnits) : sale.redemptionChoice.defaultUnits
      // An impatient hand taps twice, or takes the money meanwhile: it must be refused.
      if (rng.onceIn(4))
        shown.checkout.milesTender.redeem(sale.id, sale.version, units).catch((error: unknown) => {
          if (shown.alive && !(error instanceof ProblemError)) throw error
        })
      return {
        parts: ['redeem', sale.id, String(sale.version), String(units)],
        work: (run, claim) => run.checkout.milesTender.redeem(sale.id, sale.version, units, claim),
        interrupted: (run) => run.checkout.sales.view(sale.id),
      }
    })
  }

  /** A customer wants to pay otherwise: one payment goes back, and the sale goes on. */
  async function giveTenderBack(): Promise<void> {
    await ask('give a payment back', (shown) => {
      const sale = current(shown)
      if (!sale || sale.tenders.length === 0) return null
      const { number } = rng.pick(sale.tenders)
      return {
        parts: ['take-back', sale.id, String(sale.version), String(number)],
        work: (run) => run.checkout.takeBack.takeBack(sale.id, sale.version, number, 'alex'),
      }
    })
  }

  const tender = (sale: Sale, taken: AddTender): Command<Sale> => ({
    parts: ['tender', sale.id, JSON.stringify(taken)],
    work: (run) => run.checkout.tenders.add(sale.id, taken),
  })
  const cancelling = (sale: Sale): Command<Sale> => ({
    parts: ['cancel', sale.id, String(sale.version)],
    work: (run) => run.checkout.tenders.cancel(sale.id, sale.version, CASHIER),
  })

  /** The collector signs in with their phone, and somebody asks for offers: all of it may come to nothing. */
  async function phone(): Promise<void> {
    await act('a code for the phone', (run) => {
      const sale = current(run)
      if (sale?.member) run.checkout.memberLane.sessions.begin(sale.id)
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
        parts: ['offer-states', sale.id, JSON.stringify(changes)],
        work: (run) => {
          if (!run.checkout.offerWishes) throw new Error('members sign in at every run of a lane')
          return run.checkout.offerWishes.change(sale.id, { changes })
        },
      }
    })
  }

  /** Takes what is due; answers whether the sale is closed. */
  async function pay(): Promise<boolean> {
    const shown = { sale: true }
    const paid = await ask('pay', (run) => {
      const sale = current(run)
      shown.sale = sale !== null
      if (!sale) return null
      const { version, totals } = sale
      const due = totals.dueCents
      if (due <= 0) return cancelling(sale)
      if (due > 1 && rng.onceIn(5))
        return tender(sale, { kind: 'card', version, amountCents: cents(1 + rng.below(due - 1)), reference: 'A1' })
      return rng.onceIn(2)
        ? tender(sale, { kind: 'card', version, amountCents: due, reference: 'A2' })
        : tender(sale, { kind: 'cash', version, tenderedCents: totals.cashDueCents })
    })
    return !shown.sale || (paid !== null && paid !== GONE && !(paid instanceof ProblemError) && paid.state !== 'open')
  }

  /** Somebody brings goods of an earlier sale back. */
  async function takeBack(): Promise<void> {
    await ask('return', (shown) => {
      const ids = shown.watch.db
        .prepare<[], { id: string }>("SELECT id FROM sale WHERE state = 'completed' ORDER BY sequence")
        .all()
      if (ids.length === 0) return null
      const saleId = SaleId.parse(rng.pick(ids).id)
      const { returns } = shown.checkout
      const left = returns.returnable(saleId).lines.filter(({ leftQuantity }) => leftQuantity > 0)
      const some = rng.onceIn(2) ? left : left.slice(0, 1)
      if (some.length === 0) return null
      const lines = some.map(({ number, leftQuantity }) => ({ number, quantity: rng.onceIn(2) ? leftQuantity : 1 }))
      const { version, refunds } = returns.quote({ saleId, lines })
      const command = { saleId, lines, version, refunds, cardReference: 'R1' }
      return {
        parts: ['return', JSON.stringify(command)],
        work: (run) => run.checkout.returns.commit(command, CASHIER),
      }
    })
  }

  /** Cash is moved, the drawer counted and closed, the day closed: between any two actions of a sale. */
  async function keepDrawer(): Promise<void> {
    while (drawer.onceIn(3)) await ask('drawer', (shown) => nextDrawerCommand(shown, drawer))
  }

  for (let customer = 1; customer <= customers; customer += 1) {
    await keepDrawer()
    if (customer > 1 && rng.onceIn(3)) await takeBack()
    const items = 1 + rng.below(3)
    if (rng.onceIn(4)) await identify()
    for (let item = 0; item < items; item += 1)
      await ask('ring', () => {
        const [sku, quantity] = [rng.pick(options.skus), 1 + rng.below(4)]
        return { parts: ['ring', sku, String(quantity)], work: (run) => run.checkout.sales.ringSku(sku, quantity) }
      })
    if (!rng.onceIn(5)) await identify()
    if (rng.onceIn(3)) await phone()
    await keepDrawer()
    if (!rng.onceIn(6)) await redeem()
    if (rng.onceIn(4)) await giveTenderBack()
    if (rng.onceIn(5)) await redeem()
    if (rng.onceIn(5)) {
      await ask('void a line', (shown) => {
        const sale = current(shown)
        const line = sale?.lines.find(({ voided }) => !voided)
        if (!sale || !line) return null
        return {
          parts: ['void', sale.id, String(sale.version), String(line.number)],
          work: (run) => run.checkout.sales.voidLine(sale.id, sale.version, line.number, CASHIER),
        }
      })
    }
    // Some change their mind; some pay a part first.
    const cancels = rng.onceIn(4)
    for (let tries = 0; ; tries += 1) {
      if (tries < 4) await keepDrawer()
      if (tries < 4 && rng.onceIn(8)) await giveTenderBack()
      let closed = false
      if (cancels || tries > 12) {
        await ask('cancel', (run) => {
          const sale = current(run)
          return sale && cancelling(sale)
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
  // The end of the day: what is left of it is counted, closed, and in a Z.
  for (let step = 0; step < 6; step += 1) await ask('drawer', (shown) => nextDrawerCommand(shown, drawer))
}
