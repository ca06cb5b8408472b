import { z } from 'zod'
import { ReceiptView, ReprintPaper } from '../../../contracts/api/sales.ts'
import { SaleId } from '../../../contracts/ids.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import { whoOf } from '../approvals/who-of.ts'
import type { Receipts } from './service.ts'

const byId = z.object({ id: SaleId })

/** The documents of a sale: seen, as a file, and printed again. */
export const receiptsRoutes =
  (receipts: Receipts): Routes =>
  (app) => {
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
      (request) => receipts.printGift(request.params.id, signedIn(request).id),
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
      },
      (request) =>
        receipts.reprint(
          { kind: 'sale', id: request.params.id },
          { actorId: signedIn(request).id, who: whoOf(request) },
        ),
    )
  }
