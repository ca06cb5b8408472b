import { z } from 'zod'
import { ReceiptView, ReprintPaper } from '../../../contracts/sales/sales.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { Routes } from '../../core/http/app.ts'
import { ProblemError } from '../../core/problem.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'
import { receiptsOf } from './receipts.ts'
import { storeReturnsOf } from '../returns/store-returns.ts'
import type { Ctx } from '../../core/context.ts'

const byId = z.object({ id: SaleId })

/** The documents of a sale: seen, as a file, and printed again. */
export const receiptsRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const receipts = receiptsOf(ctx)
    const store = storeReturnsOf(ctx)
    app.get(
      '/api/sales/:id/receipt',
      { schema: { summary: 'The receipt as a screen may show it', params: byId, response: { 200: ReceiptView } } },
      (request) => receipts.view(request.params.id),
    )
    app.get(
      '/api/sales/:id/receipt.svg',
      {
        schema: {
          summary: 'The receipt as a picture, without what is for paper only',
          params: byId,
          produces: ['image/svg+xml'],
        },
      },
      (request, reply) =>
        reply
          .type('image/svg+xml; charset=utf-8')
          .header('content-disposition', `inline; filename="${request.params.id}.svg"`)
          .send(receipts.svg(request.params.id)),
    )
    app.get(
      '/api/sales/:id/receipt.png',
      {
        schema: {
          summary: 'The receipt as a picture in pixels, without what is for paper only',
          params: byId,
          produces: ['image/png'],
        },
      },
      async (request, reply) =>
        reply
          .type('image/png')
          .header('content-disposition', `inline; filename="${request.params.id}.png"`)
          .send(await receipts.png(request.params.id)),
    )
    app.get(
      '/api/sales/:id/receipt.pdf',
      {
        schema: {
          summary: 'The receipt as a file, without what is for paper only',
          params: byId,
          produces: ['application/pdf'],
        },
      },
      async (request, reply) =>
        reply
          .type('application/pdf')
          .header('content-disposition', `inline; filename="${request.params.id}.pdf"`)
          .send(await receipts.pdf(request.params.id)),
    )
    app.post(
      '/api/sales/:id/gift-receipt',
      {
        schema: {
          summary: 'Print a receipt without prices, for a present',
          params: byId,
          response: { 200: z.object({ print: ReceiptView.shape.print }) },
        },
      },
      (request) => {
        const { id } = request.params
        if (store.foreign(id)) throw new ProblemError('gift-receipt-other-lane')
        return receipts.printGift(id, signedIn(request).id)
      },
    )
    app.post(
      '/api/sales/:id/reprint',
      {
        schema: {
          summary: 'Print the receipt again',
          params: byId,
          body: ReprintPaper,
          response: { 200: z.object({ print: ReceiptView.shape.print }) },
        },
        config: {
          before: async (request) => {
            const { id } = byId.parse(request.params)
            if (store.isElsewhere(id)) await store.know(id)
            return undefined
          },
        },
      },
      (request) => {
        const { id } = request.params
        const elsewhere = store.foreign(id)
        return elsewhere
          ? receipts.copyElsewhere(elsewhere, whoOf(request), request.body?.locale)
          : receipts.reprint(
              { kind: 'sale', id },
              {
                actorId: signedIn(request).id,
                who: whoOf(request),
                locale: request.body?.locale,
              },
            )
      },
    )
  }
