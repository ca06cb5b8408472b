import { z } from 'zod'
import {
  AddTender,
  ChangeLine,
  CurrentSale,
  ReceiptView,
  Redeem,
  RingItem,
  RingScanned,
  Sale,
  SaleCommand,
  TakeTenderBack,
  VoidLine,
} from '../../../contracts/api/sales.ts'
import { SaleId } from '../../../contracts/ids.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import { whoOf } from '../approvals/who-of.ts'
import type { Members } from '../member/service.ts'
import type { Receipts } from '../receipts/service.ts'
import type { createMilesTender } from '../tenders/redemption.ts'
import type { Tenders } from '../tenders/service.ts'
import type { TakeBack } from '../tenders/take-back.ts'
import type { Sales } from './service.ts'

export interface SalesRoutesOptions {
  readonly sales: Sales
  readonly tenders: Tenders
  readonly takeBack: TakeBack
  readonly milesTender: ReturnType<typeof createMilesTender>
  readonly members: Members
  readonly receipts: Receipts
}

const OneSale = z.object({ sale: Sale })
const byId = z.object({ id: SaleId })
const byLine = byId.extend({ number: z.coerce.number().int().min(1) })
const answer = { 200: OneSale }

/** The sale and everything that happens to it. A command names the version that its screen has seen. */
export const salesRoutes =
  ({ sales, tenders, takeBack, milesTender, members, receipts }: SalesRoutesOptions): Routes =>
  (app) => {
    app.get(
      '/api/sales/current',
      { schema: { summary: 'The open sale of this lane', response: { 200: CurrentSale } } },
      () => ({ sale: sales.current() }),
    )
    app.get('/api/sales/:id', { schema: { summary: 'One sale', params: byId, response: answer } }, (request) => ({
      sale: sales.view(request.params.id),
    }))

    app.post(
      '/api/sales/current/lines',
      { schema: { summary: 'Ring an item; opens a sale when there is none', body: RingItem, response: answer } },
      (request) => ({
        sale: sales.ringSku(request.body.sku, request.body.quantity, request.body.priceCents, whoOf(request)),
      }),
    )
    app.post(
      '/api/sales/current/lines/scanned',
      { schema: { summary: 'Ring the scanned item that waits for an approval', body: RingScanned, response: answer } },
      (request) => ({
        sale: sales.ringWaiting(whoOf(request)),
      }),
    )
    app.put(
      '/api/sales/:id/lines/:number',
      { schema: { summary: 'Change the quantity of a line', params: byLine, body: ChangeLine, response: answer } },
      (request) => ({
        sale: tenders.settle(
          request.params.id,
          sales.changeQuantity(
            request.params.id,
            request.body.version,
            request.params.number,
            request.body.quantity,
            whoOf(request),
          ),
        ),
      }),
    )
    app.post(
      '/api/sales/:id/lines/:number/void',
      { schema: { summary: 'Void a line', params: byLine, body: VoidLine, response: answer } },
      (request) => ({
        sale: tenders.settle(
          request.params.id,
          sales.voidLine(request.params.id, request.body.version, request.params.number, whoOf(request)),
        ),
      }),
    )

    app.post(
      '/api/sales/:id/member/remove',
      { schema: { summary: 'Take the collector off the sale', params: byId, body: SaleCommand, response: answer } },
      (request) => ({ sale: members.remove(request.params.id, request.body.version) }),
    )

    app.post(
      '/api/sales/:id/member/inquire',
      {
        schema: {
          summary: 'Ask about the collector once more, without another read of the card',
          params: byId,
          body: SaleCommand,
          response: answer,
        },
      },
      (request) => ({ sale: members.inquireAgain(request.params.id, request.body.version) }),
    )

    app.post(
      '/api/sales/:id/redemption',
      {
        schema: {
          summary: 'Redeem miles; answers when the outcome is known',
          params: byId,
          body: Redeem,
          response: answer,
        },
        // Cut off, it stands in the sale as recovery has found it.
        config: {
          command: 'awaited',
          interrupted: (request) => ({ sale: sales.view(byId.parse(request.params).id) }),
        },
      },
      async (request) => ({
        sale: await milesTender.redeem(request.params.id, request.body.version, request.body.units, request.claim),
      }),
    )
    app.post(
      '/api/sales/:id/tenders',
      {
        schema: {
          summary: 'Take cash or card; the tender that reaches the sum completes the sale',
          params: byId,
          body: AddTender,
          response: answer,
        },
      },
      (request) => ({
        sale: tenders.add(request.params.id, request.body),
      }),
    )
    app.post(
      '/api/sales/:id/tenders/:number/take-back',
      {
        schema: {
          summary: 'Give one payment back; the sale stays open, and miles are reversed',
          params: byLine,
          body: TakeTenderBack,
          response: answer,
        },
      },
      (request) => ({
        sale: takeBack.takeBack(request.params.id, request.body.version, request.params.number, signedIn(request).id),
      }),
    )

    app.post(
      '/api/sales/:id/complete',
      { schema: { summary: 'Complete a sale that costs nothing', params: byId, body: SaleCommand, response: answer } },
      (request) => ({
        sale: tenders.completeFree(request.params.id, request.body.version),
      }),
    )
    app.post(
      '/api/sales/:id/cancel',
      {
        schema: {
          summary: 'Cancel the sale; an approved redemption is reversed',
          params: byId,
          body: SaleCommand,
          response: answer,
        },
      },
      (request) => ({
        sale: tenders.cancel(request.params.id, request.body.version),
      }),
    )

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
      (request, reply) =>
        reply
          .type('application/pdf')
          .header('content-disposition', `inline; filename="${request.params.id}.pdf"`)
          .send(receipts.pdf(request.params.id)),
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
          response: { 200: z.object({ print: ReceiptView.shape.print }) },
        },
      },
      (request) => receipts.reprint({ kind: 'sale', id: request.params.id }, { actorId: signedIn(request).id }),
    )
  }
