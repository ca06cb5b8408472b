import type { Item } from '../../../contracts/catalog/catalog.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { Staff } from '../../../contracts/staff/session.ts'
import { StaffId, type CollectorNumber } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'
import { ProblemError } from '../../../backend/core/problem.ts'
import type { Collector } from './central.ts'
import { closeDay, closeDrawer, countDrawer, MANAGER, MANAGES, moveCash, openDrawer } from './drawer.ts'
import {
  cancel,
  hold,
  payByCard,
  payCash,
  redeem,
  resume,
  returnPayment,
  ring,
  sellGiftCard,
  voidLine,
} from '../rig/cashier.ts'
import { TERMINAL_ENDED, type Command, type WindowDriver } from './window-driver.ts'
import { inProcess } from './in-process.ts'
import type { SeededRng } from './rng.ts'
import {
  bringEmpties,
  changeQuantity,
  giveDiscount,
  payByManufacturerCoupon,
  payByVoucher,
  payOutOrComplete,
  presentStoreCoupon,
  returnSome,
  ringGoods,
} from './sale-commands.ts'
import { ALEX, type Run } from './terminal.ts'
import type { World } from './world.ts'

const HOUR_MS = 3_600_000
const KIM: Staff = { id: StaffId.parse('kim'), name: 'Kim', role: 'cashier', locale: 'fr-CA' }
const NEVER = 1_000_000_000
const ACTIVITIES = {
  sale: 9,
  movement: 5,
  return: 8,
  exchange: 3,
  empties: 2,
  'gift card': 3,
  hold: 3,
  resume: 4,
  'count and continue': 1,
  'another cashier': 2,
  wait: 2,
}

export interface DayCashierOptions {
  readonly world: World
  readonly act: WindowDriver['act']
  readonly ask: WindowDriver['ask']
  readonly cashier: SeededRng
  readonly drawer: SeededRng
  readonly hours: SeededRng
  readonly items: readonly Item[]
  readonly collectors: readonly Collector[]
  readonly wallNow: () => number
  readonly dateOf: (at: number) => string
  readonly met: (name: string) => void
  readonly violate: (words: string) => void
}

export function createDayCashier(options: DayCashierOptions) {
  const { world, act, cashier, drawer, hours, items, collectors, wallNow, dateOf, met, violate } = options
  let person = ALEX
  let signedIn: Staff | null = null
  const ask: WindowDriver['ask'] = (what, plan) =>
    options.ask(what, (shown) => {
      signedIn = person
      return plan(shown)
    })
  const serving = () => ({ actorId: person.id, role: 'cashier', approval: null }) as const
  /** Amounts of the acknowledged commands, all of which must be in the database at the end. */
  const acknowledged = new Map<string, number>()
  const began = new Map<string, string>()
  const heldOn = new Map<string, string>()

  const answeredBy = <Result>(done: Result | null | typeof TERMINAL_ENDED | ProblemError): Result | null =>
    done === null || done === TERMINAL_ENDED || done instanceof ProblemError ? null : done

  const current = (shown: Run): Sale | null => shown.checkout.sales.current()
  const hasCounted = (shown: Run): boolean =>
    shown.watch.db.prepare('SELECT 1 FROM shift WHERE counted_at IS NOT NULL AND z_number IS NULL').get() !== undefined

  const ofSale =
    (plan: (sale: Sale) => Command<Sale> | null) =>
    (shown: Run): Command<Sale> | null => {
      const sale = current(shown)
      return sale && plan(sale)
    }

  function voidOne(sale: Sale): Command<Sale> | null {
    const lines = sale.lines.filter(({ voided, chargeOf }) => !voided && chargeOf === undefined)
    return lines.length < 2 ? null : inProcess(voidLine(sale, cashier.pick(lines).number), serving())
  }

  const openIfRequired = () =>
    ask('open the drawer if required', (shown) =>
      shown.checkout.shifts.current(person).mustOpen ? openDrawer(drawer, person.id) : null,
    )

  async function fill(): Promise<void> {
    await openIfRequired()
    for (let item = 1 + cashier.below(5); item > 0; item -= 1)
      await ask('ring', () => ringGoods(cashier, cashier.pick(items)))
    if (cashier.onceIn(2))
      await ask('identify', (shown) => {
        const card = shown.present(cashier.pick(collectors).number as CollectorNumber, 'SWIPE')
        return { requestFields: ['member', card.readId], work: (now) => now.checkout.members.identify(card) }
      })
    if (cashier.onceIn(4))
      await ask(
        'discount',
        ofSale((sale) => giveDiscount(cashier, sale)),
      )
    if (cashier.onceIn(3)) await ask('coupon', () => presentStoreCoupon(cashier))
    if (cashier.onceIn(5)) await ask('empties', (shown) => bringEmpties(cashier, serving(), current(shown)))
    if (cashier.onceIn(6))
      await ask(
        'quantity',
        ofSale((sale) => changeQuantity(cashier, sale)),
      )
    if (cashier.onceIn(10)) await ask('void a line', ofSale(voidOne))
    await act('look', (shown) => {
      const sale = current(shown)
      if (sale && !began.has(sale.id)) began.set(sale.id, dateOf(wallNow()))
    })
  }

  function paying(shown: Run, cancels: boolean): Command<Sale> | null {
    const sale = current(shown)
    if (!sale) return null
    const due = sale.totals.dueCents
    const isFree = due <= 0 && sale.tenders.length === 0 && sale.lines.some(({ voided }) => !voided)
    if (isFree && !cancels) return payOutOrComplete(sale)
    if (cancels || due <= 0) return inProcess(cancel(sale), serving())
    if (cashier.onceIn(5)) return payByManufacturerCoupon(cashier, sale)
    if (sale.redemptionChoice && cashier.onceIn(2))
      return inProcess(redeem(sale, 1 + cashier.below(sale.redemptionChoice.maxUnits)), serving())
    if (cashier.onceIn(4)) {
      const paid = payByVoucher(cashier, shown, sale)
      if (paid) return paid
    }
    if (cashier.onceIn(12) && sale.tenders.length > 0) {
      const { number } = cashier.pick(sale.tenders)
      return inProcess(returnPayment(sale, number), serving())
    }
    const isPartial = due > 1 && cashier.onceIn(6)
    const amountCents = isPartial ? cents(1 + cashier.below(due - 1)) : due
    return inProcess(isPartial || cashier.onceIn(3) ? payByCard(sale, 'A1', amountCents) : payCash(sale), serving())
  }

  async function finish(leaves: number): Promise<void> {
    let cancels = cashier.onceIn(10)
    for (let tries = 0; tries < 60; tries += 1) {
      const seen = { open: true, counted: false }
      const done = answeredBy(
        await ask('pay', (shown) => {
          seen.open = current(shown) !== null
          seen.counted = hasCounted(shown)
          return paying(shown, cancels || tries > 12)
        }),
      )
      if (done?.state === 'completed') {
        acknowledged.set(`sale ${done.id}`, done.totals.totalCents)
        if (seen.counted) met('sale between count and Z')
      }
      if (!seen.open || (done && done.state !== 'open')) return
      if (done?.redemption?.state === 'approved' && cashier.onceIn(4)) {
        await world.sleep(hours.below(20 * HOUR_MS))
        cancels = true
      }
      if (cashier.onceIn(leaves)) return
    }
    violate('a sale cannot be closed')
  }

  async function bringBack(exchanged: boolean): Promise<void> {
    const done = await ask('return', (shown) => {
      const open = current(shown)
      return exchanged && !open ? null : returnSome(cashier, shown, serving(), exchanged ? open?.id : undefined)
    })
    if (done instanceof ProblemError && done.code === 'return-not-covered')
      violate('the payments do not cover a return')
    const returned = answeredBy(done)
    if (!returned) return
    acknowledged.set(`return ${returned.id}`, returned.totals.totalCents)
    if (exchanged) met('exchange')
  }

  async function holdSale(): Promise<void> {
    await fill()
    await ask('hold', (shown) => {
      const sale = current(shown)
      if (!sale) return null
      heldOn.set(sale.id, dateOf(wallNow()))
      return inProcess(hold(sale), serving())
    })
  }

  async function resumeSale(leaves: number): Promise<void> {
    const resumed = answeredBy(
      await ask('resume', (shown) => {
        const held = shown.checkout.heldSales.here()
        if (held.length === 0) return null
        return inProcess(resume(cashier.pick(held)), serving())
      }),
    )
    if (resumed && heldOn.get(resumed.id) !== dateOf(wallNow())) met('held across midnight')
    await finish(leaves)
  }

  async function runActivity(kind: keyof typeof ACTIVITIES): Promise<void> {
    switch (kind) {
      case 'sale':
        await fill()
        await finish(30)
        return
      case 'gift card':
        await ask('gift card', () => inProcess(sellGiftCard(500 + cashier.below(6_000)), MANAGES))
        await finish(60)
        return
      case 'return':
        await bringBack(false)
        return
      case 'exchange':
        await fill()
        await bringBack(true)
        await finish(30)
        return
      case 'empties':
        await openIfRequired()
        // Two pieces of WATER cost an amount that returned empty containers can pay exactly.
        if (cashier.onceIn(3)) await ask('ring', () => inProcess(ring('WATER', 2), serving()))
        await ask('empties', (shown) => bringEmpties(cashier, serving(), current(shown)))
        await finish(60)
        return
      case 'hold':
        await holdSale()
        return
      case 'resume':
        await resumeSale(30)
        return
      case 'movement': {
        const moved = answeredBy(await ask('move cash', () => moveCash(drawer, person.id)))
        if (moved) acknowledged.set(`movement ${moved.id}`, moved.amountCents)
        return
      }
      case 'count and continue':
        await count()
        return
      case 'another cashier':
        person = person === ALEX ? KIM : ALEX
        return
      case 'wait':
        await world.sleep(hours.below(3 * HOUR_MS))
    }
  }

  async function count(): Promise<void> {
    for (const staff of [ALEX, KIM])
      await ask('count', (shown) => {
        const { shift, perCashier } = shown.checkout.shifts.current(staff)
        return shift && (perCashier || staff === ALEX) ? countDrawer(shift.id, drawer) : null
      })
  }

  async function endDay(): Promise<void> {
    const sellOn = async (): Promise<void> => {
      if (drawer.onceIn(3)) await runActivity(drawer.weighed({ ...ACTIVITIES, wait: 1 }))
    }
    await sellOn()
    await count()
    await sellOn()
    for (let tries = 0; tries < 12; tries += 1) {
      const seen: { left: 'counted' | 'closed' | null } = { left: null }
      await ask('close', (shown) => {
        const [counted] = shown.checkout.shifts.current(MANAGER).counted
        if (counted) {
          seen.left = 'counted'
          return counted.recount.length > 0 && drawer.onceIn(4)
            ? countDrawer(counted.id, drawer)
            : closeDrawer(counted, drawer)
        }
        if (shown.checkout.dayEnd.list(Number.MAX_SAFE_INTEGER, 1).waiting.closed === 0) return null
        seen.left = 'closed'
        return null
      })
      if (seen.left === null) return
      if (seen.left === 'counted') continue
      await sellOn()
      const report = answeredBy(await ask('Z', closeDay))
      if (report) acknowledged.set(`Z ${report.number}`, report.totals.sales.totalCents)
    }
  }

  return {
    signedIn: () => signedIn,
    gone(): void {
      signedIn = null
    },
    acknowledged: acknowledged as ReadonlyMap<string, number>,
    began: began as ReadonlyMap<string, string>,
    goOn: (): Promise<void> => runActivity(cashier.weighed(ACTIVITIES)),
    endDay,
    async clear(): Promise<void> {
      await resumeSale(NEVER)
      await count()
    },
  }
}
