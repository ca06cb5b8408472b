import type { Item } from '../../../contracts/catalog/catalog.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { SaleReturn } from '../../../contracts/payments/returns.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { isGoods } from '../../../backend/catalog/charges.ts'
import { createSeal } from '../../../backend/core/integrity/seal.ts'
import { placeOfCode } from '../../../backend/payments/rows/vouchers.sql.ts'
import { takeEmpties } from '../../../backend/sales/empties.ts'
import { leftToReturn, returnGoods } from '../rig/cashier.ts'
import { CAN, COUPON_CODES, JUG, MANUFACTURER_CODES } from './days-store.ts'
import { MANAGES } from './drawer.ts'
import { type Actor, returnInProcess } from './in-process.ts'
import type { SeededRng } from './rng.ts'
import { MASTER_KEY, type Run } from './terminal.ts'
import type { Command } from './window-driver.ts'

const command = (kind: string, details: object, work: (run: Run) => Sale): Command<Sale> => ({
  requestFields: [kind, JSON.stringify(details)],
  work,
})

/** Rings pieces of an item, or a typed weight or length of an item that is sold by measure. */
export function ringGoods(rng: SeededRng, { sku, soldBy, unit }: Item): Command<Sale> {
  const gross = unit === 'm' ? 10 * (1 + rng.below(300)) : 20 + rng.below(2_500)
  const chosen =
    soldBy === 'kg'
      ? { sku, quantity: 1, weighing: { from: 'typed' as const, grossThousandths: gross } }
      : { sku, quantity: 1 + rng.below(rng.onceIn(5) ? 12 : 3) }
  return command('ring goods', chosen, ({ checkout }) => checkout.sales.ringChosen(chosen, MANAGES))
}

/** Amount in cents that is paid back for one empty container, as in the charges of `days-store.ts`. */
const REFUNDS = { can: 10, jug: 15 }

/** Returns empty containers with exactly this total value; null if no containers of one sale have it. */
function worth(amount: number): { id: string; count: number }[] | null {
  const jugs = (amount / 5) % 2
  const cans = (amount - jugs * REFUNDS.jug) / REFUNDS.can
  if (!Number.isInteger(cans) || cans < 1 || cans > 50) return null
  return [{ id: CAN, count: cans }, ...(jugs > 0 ? [{ id: JUG, count: jugs }] : [])]
}

/**
 * Takes back empty containers, sometimes with exactly the value of the open sale. Above the limit of the profile, only
 * a manager may do this.
 */
export function bringEmpties(rng: SeededRng, cashier: Actor, open: Sale | null): Command<Sale> {
  const cans = { id: CAN, count: 1 + rng.below(rng.onceIn(4) ? 70 : 20) }
  const some = rng.onceIn(3) ? [cans, { id: JUG, count: 1 + rng.below(12) }] : [cans]
  const empties = (open ? worth(open.totals.dueCents) : null) ?? some
  const who = rng.onceIn(2) ? MANAGES : cashier
  return command('empties', { empties, who }, ({ checkout }) => takeEmpties(checkout.ctx, empties, who))
}

export function presentStoreCoupon(rng: SeededRng): Command<Sale> {
  const code = rng.pick(COUPON_CODES)
  return command('coupon', { code }, ({ checkout }) => checkout.coupons.take(code))
}

/** Changes the quantity of a line of whole pieces; null if the sale has no such line. */
export function changeQuantity(rng: SeededRng, { id, version, lines }: Sale): Command<Sale> | null {
  const pieces = lines.filter((line) => !line.voided && isGoods(line) && line.measure === undefined)
  if (pieces.length === 0) return null
  const change = { number: rng.pick(pieces).number, quantity: 1 + rng.below(8) }
  return command('quantity', { id, version, ...change }, ({ checkout }) =>
    checkout.sales.changeQuantity(id, version, change.number, change.quantity, MANAGES),
  )
}

export function giveDiscount(rng: SeededRng, { id, version }: Sale): Command<Sale> {
  const given = {
    version,
    line: null,
    off: rng.onceIn(2)
      ? { kind: 'amount' as const, cents: cents(1 + rng.below(300)) }
      : { kind: 'percent' as const, ppm: 10_000 * (1 + rng.below(30)) },
    reason: 'damaged' as const,
  }
  return command('discount', { id, given }, ({ checkout }) => checkout.changes.discount(id, given, MANAGES))
}

/** Pays with one of the newest vouchers of the lane; null if the lane has no voucher. */
export function payByVoucher(rng: SeededRng, shown: Run, { id, version, totals }: Sale): Command<Sale> | null {
  const rows = shown.watch.db
    .prepare<[], { id: string; sealed: Buffer }>(
      'SELECT id, code_sealed AS sealed FROM voucher ORDER BY issued_at DESC, id LIMIT 12',
    )
    .all()
  if (rows.length === 0) return null
  const { id: voucherId, sealed } = rng.pick(rows)
  const code = createSeal(MASTER_KEY).open(sealed, placeOfCode(voucherId)).toString()
  return command('voucher', { id, version, voucherId }, ({ checkout }) => {
    const voucher = checkout.vouchers.presentHere(code)
    const amountCents = cents(Math.min(voucher.balanceCents, totals.dueCents))
    return checkout.tenders.add(id, { kind: 'voucher', version, voucherId: voucher.id, amountCents })
  })
}

export function payByManufacturerCoupon(rng: SeededRng, { id, version }: Sale): Command<Sale> {
  const code = rng.pick(MANUFACTURER_CODES)
  const tender = {
    kind: 'manufacturer-coupon' as const,
    version,
    code,
    ...(code === 'MAKER-MILK' ? { amountCents: cents(1 + rng.below(600)) } : {}),
  }
  return command('manufacturer coupon', { id, tender }, ({ checkout }) => checkout.tenders.add(id, tender, MANAGES))
}

/** Ends a sale without an amount due: pays out what empty containers are worth above the goods, or completes it. */
export function payOutOrComplete({ id, version, totals }: Sale): Command<Sale> {
  return command('nothing due', { id, version, due: totals.dueCents }, ({ checkout }) =>
    totals.dueCents < 0 ? checkout.tenders.payOut(id, version) : checkout.tenders.completeFree(id, version),
  )
}

const RETURNABLE = "SELECT id FROM sale WHERE state = 'completed' ORDER BY sequence DESC LIMIT 40"
/** Sales of which some goods were returned, so that a sale is also returned in several steps. */
const BEGUN = 'SELECT sale_id FROM sale_return ORDER BY sequence DESC LIMIT 12'

/**
 * Returns some or all goods of a recent sale; their value pays the sale `exchangeWith`, if given. Null if there are no
 * such goods.
 */
export function returnSome(
  rng: SeededRng,
  shown: Run,
  cashier: Actor,
  exchangeWith?: string,
): Command<SaleReturn> | null {
  const { db } = shown.watch
  const idsOf = (sql: string): string[] => db.prepare<[], string>(sql).pluck().all()
  const begun = rng.onceIn(2) ? idsOf(BEGUN) : []
  const ids = begun.length > 0 ? begun : idsOf(RETURNABLE)
  if (ids.length === 0) return null
  const saleId = SaleId.parse(rng.pick(ids))
  const { returns } = shown.checkout
  const left = leftToReturn(returns.returnable(saleId))
  const some = rng.onceIn(2) ? left : left.slice(0, 1)
  if (some.length === 0) return null
  const isWhole = rng.onceIn(3)
  const lines = some.map(({ number, leftQuantity }) => ({
    number,
    quantity: isWhole || rng.onceIn(2) ? leftQuantity : 1 + rng.below(leftQuantity),
  }))
  const open = exchangeWith === undefined ? {} : { exchangeWith: SaleId.parse(exchangeWith) }
  const quote = returns.quote({ saleId, lines, ...open }, cashier.actorId)
  const { exchange } = quote
  if (exchangeWith !== undefined && !exchange?.paysCents) return null
  const more = exchange ? { exchange: { saleId: exchange.saleId, version: exchange.version } } : {}
  return returnInProcess(returnGoods(saleId, lines, quote, more), cashier)
}
