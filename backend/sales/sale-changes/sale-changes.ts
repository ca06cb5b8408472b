import type {
  BuyerGroup,
  DiscountReason,
  Exemption,
  DiscountScope,
  DiscountAmount,
} from '../../../contracts/sales/sale-changes.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { type Cents, cents } from '../../../contracts/core/money.ts'
import { isGoods } from '../../catalog/charges.ts'
import { plainText } from '../../core/paper/layout.ts'
import { ProblemError } from '../../core/problem.ts'
import { type Who, type Authorization, guardOf } from '../approvals/guard.ts'
import { stateOf, saleRowsOf } from '../sale/sales.sql.ts'
import { openLine, salesOf, completeIfPaidOf } from '../sales.ts'
import type { SaleParts } from '../sale/sale-parts.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { SaleChange } from '../sale/sale-rows.sql.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { restoreCollector } from '../collector.ts'
import type { App } from '../../core/http/app.ts'
import { salesContract } from '../../../contracts/sales/sales.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { whoOf } from '../approvals/approvals.ts'
import { couponTakingOf } from './coupons.ts'
import { priceAccuracyOf } from './price-accuracy.ts'

/**
 * Checks a change after it was made in the transaction: the sale must still cover its payments, and the actor must have
 * the permission.
 */
function check(ctx: Ctx, before: SaleParts, who: Who, reason: DiscountReason | null = null): Authorization {
  const sales = salesOf(ctx)
  const id = before.sale.id
  sales.refuseBelowTendered(id)
  return guardOf(ctx).change(before, sales.parts(id), who, reason)
}

function discount(
  ctx: Ctx,
  id: string,
  { version, line, off, reason }: { version: number; line: number | null; off: DiscountAmount; reason: DiscountReason },
  who: Who,
): Sale {
  const sales = salesOf(ctx)
  const guard = guardOf(ctx)
  return sales.command(id, version, 'command', (tx, now) => {
    sales.refuseDuringPayment(now)
    if (line !== null) openLine(now, line)
    else if (!now.lines.some(({ voided }) => voided === 0)) throw new ProblemError('sale-empty')
    const reach: DiscountScope = line === null ? { kind: 'sale' } : { kind: 'line', number: line }
    const before = sales.view(id)
    const granted = { reach, off, minimumCents: cents(0), reason, coupon: null }
    // The row of a discount cannot change, and its effect is known only after its insert. Determine the approver with
    // an unstored discount first.
    const last = {
      number: Math.max(0, ...now.discounts.map((one) => one.number)) + 1,
      source: 'cashier' as const,
      promotion: null,
    }
    const { approvedBy } = guard.changeAuthorization(
      now,
      { ...now, discounts: [...now.discounts, { ...granted, ...last }] },
      who,
      reason,
    )
    const number = saleRowsOf(ctx).discounts.insert(tx, id, { ...granted, approvedBy })
    const after = sales.view(id)
    const given = after.discounts.find((discount) => discount.number === number)
    if (!given?.applies) throw new ProblemError('discount-takes-nothing')
    // Later changes of the sale may reduce what an amount off deducts, but when it is given it must be deducted in
    // full.
    if (off.kind === 'amount' && given.amountCents < off.cents) throw new ProblemError('discount-exceeds')
    const authorization = check(ctx, now, who, reason)
    guard.record(tx, 'discount-given', id, authorization, {
      discount: number,
      line,
      reason,
      off: off.kind === 'amount' ? off.cents : `${off.ppm / 10_000}%`,
      before: before.totals.subtotalCents,
      after: after.totals.subtotalCents,
    })
    return { kind: 'discount', before: { of: 'discount', number, removed: true } }
  })
}

const removeDiscount = (ctx: Ctx, id: string, version: number, number: number, who: Who): Sale =>
  salesOf(ctx).command(id, version, 'command', (tx, now) => {
    salesOf(ctx).refuseDuringPayment(now)
    if (!saleRowsOf(ctx).discounts.setRemoved(tx, id, number, true)) throw new ProblemError('discount-unknown')
    // Without the removed discount, percentage discounts deduct more, which may need an approval.
    const authorization = guardOf(ctx).change(now, salesOf(ctx).parts(id), who)
    guardOf(ctx).record(tx, 'discount-removed', id, authorization, { discount: number })
    return { kind: 'discount-removed', before: { of: 'discount', number, removed: false } }
  })

function changePrice(
  ctx: Ctx,
  id: string,
  number: number,
  { version, unitPriceCents, reason }: { version: number; unitPriceCents: Cents | null; reason: DiscountReason },
  who: Who,
): Sale {
  const sales = salesOf(ctx)
  return sales.command(id, version, 'command', (tx, now) => {
    sales.refuseDuringPayment(now)
    const line = openLine(now, number)
    if (!isGoods(line)) throw new ProblemError('gift-card-price')
    const regular = line.regularPriceCents ?? line.unitPriceCents
    const price = unitPriceCents ?? regular
    if (price === line.unitPriceCents) throw new ProblemError('price-same')
    saleRowsOf(ctx).setLine(tx, id, number, {
      ...stateOf(line),
      unitPriceCents: price,
      regularPriceCents: price === regular ? null : regular,
    })
    const authorization = check(ctx, now, who, reason)
    guardOf(ctx).record(tx, 'price-changed', id, authorization, {
      line: number,
      reason,
      before: line.unitPriceCents,
      after: price,
    })
    return { kind: 'price', before: { of: 'line', number, row: stateOf(line) } }
  })
}

/** Exempts the sale or a line from tax; null removes the exemption. */
function exempt(
  ctx: Ctx,
  id: string,
  { version, line, exemption }: { version: number; line: number | null; exemption: Exemption | null },
  who: Who,
): Sale {
  const sales = salesOf(ctx)
  return sales.command(id, version, 'command', (tx, now) => {
    sales.refuseDuringPayment(now)
    const exempted = line === null ? null : openLine(now, line)
    const before = exempted ? exempted.exemption && JSON.stringify(exempted.exemption) : now.sale.exemption
    const stored = exemption && { ...exemption, certificate: plainText(exemption.certificate) }
    if (stored?.certificate === '') throw new ProblemError('body-invalid')
    if (exempted) saleRowsOf(ctx).setLine(tx, id, exempted.number, { ...stateOf(exempted), exemption: stored })
    else saleRowsOf(ctx).setExemption(tx, id, stored && JSON.stringify(stored))
    const authorization = check(ctx, now, who)
    guardOf(ctx).record(tx, 'tax-exemption', id, authorization, {
      ...(exempted ? { line } : {}),
      before,
      after: stored && JSON.stringify(stored),
    })
    return {
      kind: 'exemption',
      before: exempted
        ? { of: 'line', number: exempted.number, row: stateOf(exempted) }
        : { of: 'exemption', json: before },
    }
  })
}

/**
 * Sets the buyers of the sale, whose promotions then apply to all its lines; null removes them. An approval covers the
 * sale, also items that are rung later.
 */
const setBuyers = (
  ctx: Ctx,
  id: string,
  { version, buyers }: { version: number; buyers: BuyerGroup | null },
  who: Who,
): Sale =>
  salesOf(ctx).command(id, version, 'command', (tx, now) => {
    salesOf(ctx).refuseDuringPayment(now)
    if (now.sale.promotionRules !== null) throw new ProblemError('prices-frozen')
    const { buyers: before, note: text } = now.sale
    saleRowsOf(ctx).setBuyers(tx, id, buyers)
    guardOf(ctx).record(tx, 'buyers-set', id, check(ctx, now, who), { before, after: buyers })
    return { kind: 'buyers', before: { of: 'note', text, buyers: before } }
  })

/** Sets a note of visible characters on a line, or on the sale if `line` is null. An empty text removes the note. */
const note = (
  ctx: Ctx,
  id: string,
  { version, line, note }: { version: number; line: number | null; note: string },
): Sale =>
  salesOf(ctx).command(id, version, 'command', (tx, now) => {
    const text = plainText(note) || null
    if (line === null) {
      saleRowsOf(ctx).setNote(tx, id, text)
      return { kind: 'note', before: { of: 'note', text: now.sale.note } }
    }
    const noted = openLine(now, line)
    saleRowsOf(ctx).setLine(tx, id, line, { ...stateOf(noted), note: text })
    return { kind: 'note', before: { of: 'line', number: line, row: stateOf(noted) } }
  })

/**
 * Changes of an open sale other than its items: prices, discounts, exemptions, buyers and notes. Each command names the
 * version that its screen showed, and can be undone. All but a note are refused while a redemption or card payment is
 * open, and if the sale would cost less than its payments.
 */
export const saleChangesOf = perLane((ctx: Ctx) =>
  bound(ctx, {
    discount,
    removeDiscount,
    changePrice,
    exempt,
    setBuyers,
    note,
  }),
)

export type Undo = ReturnType<typeof undoOf>

/**
 * Undoes the changes of a sale, newest first, one each call. Changes before an effective tender cannot be undone
 * (docs/decisions/0016-sale-commands-undo-and-giving-back.md); a tender is given back by its own command.
 */
export const undoOf = perLane((ctx: Ctx) => {
  const sales = salesOf(ctx)
  const repository = saleRowsOf(ctx)
  const guard = guardOf(ctx)
  function restore(tx: Tx, id: string, before: SaleChange['before']): void {
    switch (before.of) {
      case 'line': {
        const line = sales.parts(id).lines.find(({ number }) => number === before.number)
        if (line) repository.setLine(tx, id, before.number, before.row ?? { ...stateOf(line), voided: 1 })
        return
      }
      case 'discount':
        repository.discounts.setRemoved(tx, id, before.number, before.removed)
        if (before.line) repository.setLine(tx, id, before.line.number, before.line.row)
        return
      case 'member':
        restoreCollector(ctx, tx, id, before.card)
        return
      case 'note':
        repository.setNote(tx, id, before.text)
        if (before.buyers !== undefined) repository.setBuyers(tx, id, before.buyers)
        return
      case 'exemption':
        repository.setExemption(tx, id, before.json)
    }
  }

  return {
    /** Undoes the newest change of a sale. Throws ProblemError `nothing-to-undo`. */
    undo(id: string, version: number, who: Who): Sale {
      return sales.command(id, version, 'command', (tx, now) => {
        sales.refuseDuringPayment(now)
        const change = now.lastChange
        if (!change) throw new ProblemError('nothing-to-undo')
        restore(tx, id, change.before)
        sales.refuseAdded(now)
        sales.refuseBelowTendered(id)
        // An undo can restore a discount or price that was removed on purpose, so it needs the same permission as
        // giving it.
        const authorization = guard.change(now, sales.parts(id), who)
        guard.record(tx, 'change-undone', id, authorization, { change: change.kind })
        return 'undone'
      })
    },
  }
})

/**
 * Routes that change an open sale. A change that needs approval is refused with `approval-required`, and sent again
 * with `approval`. A change after which nothing is due completes a partly paid sale.
 */
export function saleChangesRoutes(ctx: Ctx, app: App): void {
  const changes = saleChangesOf(ctx)
  const coupons = couponTakingOf(ctx)
  const undo = undoOf(ctx)
  const completeIfPaid = completeIfPaidOf(ctx)
  serve(app, salesContract['POST /sales/:id/discounts'], (request) => {
    const { id } = request.params
    const who = whoOf(request)
    return { sale: completeIfPaid(id, changes.discount(id, request.body, who)) }
  })
  serve(app, salesContract['POST /sales/:id/discounts/:number/remove'], (request) => ({
    sale: changes.removeDiscount(request.params.id, request.body.version, request.params.number, whoOf(request)),
  }))
  serve(app, salesContract['PUT /sales/:id/lines/:number/price'], (request) => {
    const { id, number } = request.params
    const who = whoOf(request)
    return { sale: completeIfPaid(id, changes.changePrice(id, number, request.body, who)) }
  })
  serve(app, salesContract['POST /sales/:id/lines/:number/shelf-price'], (request) => {
    const { id, number } = request.params
    const sale = priceAccuracyOf(ctx).correctPrice(id, number, request.body, whoOf(request))
    return { sale: completeIfPaid(id, sale) }
  })
  serve(app, salesContract['POST /sales/current/coupons'], (request) => ({ sale: coupons.take(request.body.code) }))
  serve(app, salesContract['PUT /sales/:id/exemption'], (request) => {
    const { id } = request.params
    const who = whoOf(request)
    return { sale: completeIfPaid(id, changes.exempt(id, request.body, who)) }
  })
  serve(app, salesContract['PUT /sales/:id/buyers'], (request) => ({
    sale: changes.setBuyers(request.params.id, request.body, whoOf(request)),
  }))
  serve(app, salesContract['PUT /sales/:id/note'], (request) => ({
    sale: changes.note(request.params.id, request.body),
  }))
  serve(app, salesContract['POST /sales/:id/undo'], (request) => {
    const { id } = request.params
    const who = whoOf(request)
    return { sale: completeIfPaid(id, undo.undo(id, request.body.version, who)) }
  })
}
