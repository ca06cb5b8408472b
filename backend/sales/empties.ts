import type { z } from 'zod'
import type { EmptiesCount } from '../../contracts/catalog/charges.ts'
import { EMPTIES_DEPARTMENT, EMPTIES_SKU } from '../../contracts/catalog/goods.ts'
import type { Sale } from '../../contracts/sales/sales.ts'
import { salesContract } from '../../contracts/sales/sales.routes.ts'
import { chargeBookOf, emptiesName, isEmpties } from '../catalog/charges.ts'
import type { Ctx } from '../core/context.ts'
import type { Tx } from '../core/db/transact.ts'
import type { App } from '../core/http/app.ts'
import { serve } from '../core/http/serve.ts'
import { ProblemError } from '../core/problem.ts'
import { whoOf } from './approvals/approvals.ts'
import { type Who, guardOf } from './approvals/guard.ts'
import { salesOf } from './sales.ts'
import { saleRowsOf, stateOf } from './sale/sales.sql.ts'
import type { SaleChange } from './sale/sale-rows.sql.ts'

type Count = z.infer<typeof EmptiesCount>

const MAX_QUANTITY = 999

/** Adds empty containers to the line of their class, or on a new line whose price is the negative refund. */
function addClass(ctx: Ctx, tx: Tx, saleId: string, { id, count }: Count): SaleChange {
  const repository = saleRowsOf(ctx)
  const found = chargeBookOf(ctx)
    .classes()
    .classes.find((one) => one.id === id)
  if (!found) throw new ProblemError('empties-unknown')
  const { name, refundCents } = found
  const lines = repository.lines(saleId)
  const line = lines.find(
    (one) =>
      isEmpties(one) &&
      one.voided === 0 &&
      one.categoryId === id &&
      one.unitPriceCents === 0 - refundCents &&
      one.quantity + count <= MAX_QUANTITY,
  )
  if (line) {
    repository.setQuantity(tx, saleId, line.number, line.quantity + count)
    return { kind: 'ring', before: { of: 'line', number: line.number, row: stateOf(line) } }
  }
  repository.insertLine(tx, saleId, {
    sku: EMPTIES_SKU,
    name: emptiesName(name),
    quantity: count,
    unitPriceCents: 0 - refundCents,
    // The refund is no price and contains no tax (CRA, Returnable containers and goods).
    taxCategory: 'zero-rated',
    taxRule: null,
    departmentId: EMPTIES_DEPARTMENT,
    categoryId: id,
    minimumAge: null,
    rungAt: ctx.clock.now(),
    packPieces: null,
    charges: [],
    measure: null,
    returnDays: null,
  })
  return { kind: 'ring', before: { of: 'line', number: (lines.at(-1)?.number ?? 0) + 1, row: null } }
}

/**
 * Takes back empty containers, as lines of the open sale or of a new one. Throws ProblemError `empties-unknown`,
 * `empties-limit`, and `approval-required` from the amount in the profile.
 */
export function takeEmpties(ctx: Ctx, empties: readonly Count[], who: Who): Sale {
  const sales = salesOf(ctx)
  const id = ctx.transact((tx) => {
    const sale = sales.openSale(tx)
    const before = sales.parts(sale.id)
    sales.refuseDuringPayment(before)
    for (const count of empties) {
      const change = sales.grow(sale.id, () => addClass(ctx, tx, sale.id, count))
      sales.changedBy(tx, sale.id, change)
    }
    sales.refuseAboveMostEmpties(sale.id)
    guardOf(ctx).change(before, sales.parts(sale.id), who)
    return sale.id
  })
  return sales.publish(id, 'command')
}

export function emptiesRoutes(ctx: Ctx, app: App): void {
  serve(app, salesContract['GET /empties'], async () => chargeBookOf(ctx).classes())
  serve(app, salesContract['POST /sales/current/empties'], (request) => ({
    sale: takeEmpties(ctx, request.body.empties, whoOf(request)),
  }))
}
