import { z } from 'zod'
import {
  AddCoupon,
  ChangePrice,
  GiveDiscount,
  RemoveDiscount,
  SetExemption,
  SetNote,
  UndoChange,
} from '../../../contracts/sales/sale-changes.ts'
import { Sale } from '../../../contracts/sales/sales.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { Routes } from '../../core/http/app.ts'
import { whoOf } from '../approvals/approvals.ts'
import { saleChangesOf, undoOf } from './sale-changes.ts'
import { couponTakingOf } from './coupons.ts'
import { settlementOf } from '../sales.ts'
import type { Ctx } from '../../core/context.ts'

const byId = z.object({ id: SaleId })
const byNumber = byId.extend({ number: z.coerce.number().int().min(1) })
const answer = { 200: z.object({ sale: Sale }) }

/**
 * What may be changed on an open sale. A change that needs a supervisor is refused with `approval-required` and comes
 * again with `approval` in it. A change that leaves nothing to pay completes a sale of which a part was paid.
 */
export const saleChangesRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const changes = saleChangesOf(ctx)
    const coupons = couponTakingOf(ctx)
    const undo = undoOf(ctx)
    const tenders = { settle: settlementOf(ctx) }
    app.post(
      '/api/sales/:id/discounts',
      {
        schema: {
          summary: 'Give a discount on a line or on the sale',
          params: byId,
          body: GiveDiscount,
          response: answer,
        },
      },
      (request) => {
        const { id } = request.params
        const who = whoOf(request)
        return { sale: tenders.settle(id, changes.discount(id, request.body, who)) }
      },
    )
    app.post(
      '/api/sales/:id/discounts/:number/remove',
      {
        schema: {
          summary: 'Take a discount or a coupon off',
          params: byNumber,
          body: RemoveDiscount,
          response: answer,
        },
      },
      (request) => ({
        sale: changes.removeDiscount(request.params.id, request.body.version, request.params.number, whoOf(request)),
      }),
    )
    app.put(
      '/api/sales/:id/lines/:number/price',
      { schema: { summary: 'Change the price of a line', params: byNumber, body: ChangePrice, response: answer } },
      (request) => {
        const { id, number } = request.params
        const who = whoOf(request)
        return { sale: tenders.settle(id, changes.changePrice(id, number, request.body, who)) }
      },
    )
    app.post(
      '/api/sales/current/coupons',
      { schema: { summary: 'Take a coupon on the open sale', body: AddCoupon, response: answer } },
      (request) => ({ sale: coupons.take(request.body.code) }),
    )
    app.put(
      '/api/sales/:id/exemption',
      {
        schema: {
          summary: 'Exempt the sale from tax, or no longer',
          params: byId,
          body: SetExemption,
          response: answer,
        },
      },
      (request) => {
        const { id } = request.params
        const who = whoOf(request)
        return { sale: tenders.settle(id, changes.exempt(id, request.body, who)) }
      },
    )
    app.put(
      '/api/sales/:id/note',
      { schema: { summary: 'Write a note on the sale or on a line', params: byId, body: SetNote, response: answer } },
      (request) => ({ sale: changes.note(request.params.id, request.body) }),
    )
    app.post(
      '/api/sales/:id/undo',
      { schema: { summary: 'Take the last change back', params: byId, body: UndoChange, response: answer } },
      (request) => {
        const { id } = request.params
        const who = whoOf(request)
        return { sale: tenders.settle(id, undo.undo(id, request.body.version, who)) }
      },
    )
  }
