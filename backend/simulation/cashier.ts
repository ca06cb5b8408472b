import type { Sale } from '../../contracts/api/sales.ts'
import { SaleId, type CollectorNumber } from '../../contracts/ids.ts'
import { cents } from '../../contracts/money.ts'
import { ProblemError } from '../http/problem.ts'
import type { Collector } from './centre.ts'
import type { Dice } from './dice.ts'
import type { Run } from './terminal.ts'
import type { World } from './world.ts'

export interface CashierOptions {
  readonly world: World
  readonly dice: Dice
  readonly collectors: readonly Collector[]
  readonly skus: readonly string[]
  /** The terminal, as soon as it runs again. */
  readonly running: () => Promise<Run>
  /** The terminal takes no money any more: the cashier calls for a restart. */
  readonly restart: () => void
  readonly note: (line: string) => void
  /** Between two actions: here the world may send an outage or set the clock. */
  readonly between: () => void
}

/** What the cashier finds when the terminal went down under their hands. */
const GONE = Symbol('the terminal is gone')

/**
 * Serves so many customers: rings, swipes, redeems, cancels, takes cash and cards, and after a crash goes on with what
 * the terminal shows. Leaves no sale open.
 */
export async function serveCustomers(customers: number, options: CashierOptions): Promise<void> {
  const { world, dice, note } = options

  /** One action on the terminal as it stands; a crash or a refusal is nothing that a cashier would not meet. */
  async function act<Result>(
    what: string,
    work: (run: Run) => Result | Promise<Result>,
  ): Promise<Result | typeof GONE | ProblemError> {
    options.between()
    await world.sleep(
      dice.onceIn(150)
        ? dice.below(30 * 3_600_000)
        : dice.onceIn(15)
          ? dice.below(10 * 60_000)
          : 100 + dice.below(6_000),
    )
    const run = await options.running()
    try {
      const done = await Promise.race([Promise.resolve(work(run)), run.over.then((): typeof GONE => GONE)])
      note(`${what}${done === GONE ? ': the terminal went down' : ''}`)
      return done
    } catch (error) {
      if (!run.alive) {
        note(`${what}: the terminal went down`)
        return GONE
      }
      if (!(error instanceof ProblemError)) throw error
      note(`${what}: ${error.code}`)
      if (error.code === 'storage-failed') options.restart()
      return error
    }
  }

  const current = (run: Run): Sale | null => run.checkout.sales.current()

  async function identify(): Promise<void> {
    const collector = dice.pick(options.collectors)
    const mode = dice.weighed({ SWIPE: 6, SCAN: 3, KEYED: 1 })
    await act(`identify ${collector.role} by ${mode}`, (run) =>
      run.checkout.members.identify(run.present(collector.number as CollectorNumber, mode)),
    )
  }

  async function redeem(): Promise<void> {
    await act('redeem', async (run) => {
      const sale = current(run)
      if (!sale?.redemptionChoice) return
      const units = dice.onceIn(3) ? 1 + dice.below(sale.redemptionChoice.maxUnits) : sale.redemptionChoice.defaultUnits
      const redeeming = run.checkout.milesTender.redeem(sale.id, sale.version, units)
      // An impatient hand taps twice, or takes the money meanwhile: it must be refused.
      if (dice.onceIn(4))
        run.checkout.milesTender.redeem(sale.id, sale.version, units).catch((error: unknown) => {
          if (run.alive && !(error instanceof ProblemError)) throw error
        })
      await redeeming
    })
  }

  /** A customer wants to pay otherwise: one payment goes back, and the sale goes on. */
  async function giveTenderBack(): Promise<void> {
    await act('give a payment back', (run) => {
      const sale = current(run)
      if (!sale || sale.tenders.length === 0) return
      const { number } = dice.pick(sale.tenders)
      run.checkout.takeBack.takeBack(sale.id, sale.version, number, 'alex')
      // A hand that got no answer presses again: the version that it has seen is gone.
      if (dice.onceIn(3)) {
        try {
          run.checkout.takeBack.takeBack(sale.id, sale.version, number, 'alex')
        } catch (error) {
          if (!(error instanceof ProblemError)) throw error
        }
      }
    })
  }

  /** Takes what is due; answers whether the sale is closed. */
  async function pay(): Promise<boolean> {
    let closed = false
    await act('pay', (run) => {
      const sale = current(run)
      if (!sale) {
        closed = true
        return
      }
      const due = sale.totals.dueCents
      if (due > 1 && dice.onceIn(5)) {
        run.checkout.tenders.add(sale.id, {
          kind: 'card',
          version: sale.version,
          amountCents: cents(1 + dice.below(due - 1)),
          reference: 'A1',
        })
        return
      }
      if (due > 0) {
        const paid = dice.onceIn(2)
          ? run.checkout.tenders.add(sale.id, {
              kind: 'card',
              version: sale.version,
              amountCents: due,
              reference: 'A2',
            })
          : run.checkout.tenders.add(sale.id, {
              kind: 'cash',
              version: sale.version,
              tenderedCents: sale.totals.cashDueCents,
            })
        closed = paid.state !== 'open'
        return
      }
      run.checkout.tenders.cancel(sale.id, sale.version)
      closed = true
    })
    return closed
  }

  /** Somebody brings goods of an earlier sale back. */
  async function takeBack(): Promise<void> {
    await act('return', (run) => {
      const ids = run.watch.db
        .prepare<[], { id: string }>("SELECT id FROM sale WHERE state = 'completed' ORDER BY sequence")
        .all()
      if (ids.length === 0) return
      const saleId = SaleId.parse(dice.pick(ids).id)
      const { returns } = run.checkout
      const left = returns.returnable(saleId).lines.filter(({ leftQuantity }) => leftQuantity > 0)
      const some = dice.onceIn(2) ? left : left.slice(0, 1)
      if (some.length === 0) return
      const lines = some.map(({ number, leftQuantity }) => ({ number, quantity: dice.onceIn(2) ? leftQuantity : 1 }))
      const { version, refunds } = returns.quote({ saleId, lines })
      const command = { idempotencyKey: dice.uuid(), saleId, lines, version, refunds, cardReference: 'R1' }
      returns.commit(command, { actorId: 'alex', approvedBy: null })
      // Once more: from a hand that got no answer the key says that it was done, from another screen the version.
      if (dice.onceIn(5)) {
        try {
          returns.commit(dice.onceIn(2) ? command : { ...command, idempotencyKey: dice.uuid() }, {
            actorId: 'alex',
            approvedBy: null,
          })
        } catch (error) {
          if (!(error instanceof ProblemError)) throw error
        }
      }
    })
  }

  for (let customer = 1; customer <= customers; customer += 1) {
    if (customer > 1 && dice.onceIn(3)) await takeBack()
    const items = 1 + dice.below(3)
    if (dice.onceIn(4)) await identify()
    for (let item = 0; item < items; item += 1)
      await act('ring', (run) => run.checkout.sales.ringSku(dice.pick(options.skus), 1 + dice.below(4)))
    if (!dice.onceIn(5)) await identify()
    if (!dice.onceIn(6)) await redeem()
    if (dice.onceIn(4)) await giveTenderBack()
    if (dice.onceIn(5)) await redeem()
    if (dice.onceIn(5)) {
      await act('void a line', (run) => {
        const sale = current(run)
        const line = sale?.lines.find(({ voided }) => !voided)
        if (sale && line)
          run.checkout.sales.voidLine(sale.id, sale.version, line.number, { actorId: 'alex', approvedBy: null })
      })
    }
    // Some change their mind; some pay a part first.
    const cancels = dice.onceIn(4)
    for (let tries = 0; ; tries += 1) {
      if (tries < 4 && dice.onceIn(8)) await giveTenderBack()
      let closed = false
      if (cancels || tries > 12) {
        await act('cancel', (run) => {
          const sale = current(run)
          if (sale) run.checkout.tenders.cancel(sale.id, sale.version)
          closed = true
        })
      } else closed = await pay()
      if (closed) break
      if (tries > 60) throw new Error('the cashier cannot close the sale')
    }
    if (dice.onceIn(4)) await takeBack()
  }
}
