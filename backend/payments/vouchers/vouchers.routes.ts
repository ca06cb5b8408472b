import { z } from 'zod'
import { ReceiptView, Sale } from '../../../contracts/sales/sales.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import {
  PresentVoucher,
  ReprintVoucher,
  SellGiftCard,
  Voucher,
  VoucherId,
  VoucherDocuments,
} from '../../../contracts/payments/vouchers.ts'
import type { Routes } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'
import { vouchersOf } from './vouchers.ts'
import type { Ctx } from '../../core/context.ts'

const byId = z.object({ id: VoucherId })

/** Store credit and gift cards. A code comes in the body of a call, never in an address: addresses are logged. */
export const vouchersRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const vouchers = vouchersOf(ctx)
    app.post(
      '/api/vouchers/present',
      {
        schema: {
          summary: 'Show a voucher to pay with it',
          body: PresentVoucher,
          response: { 200: z.object({ voucher: Voucher }) },
        },
        config: { command: 'awaited' },
      },
      async (request) => ({ voucher: await vouchers.present(request.body.code) }),
    )
    app.post(
      '/api/vouchers/:id/reprint',
      {
        schema: {
          summary: 'Print the paper of a voucher again',
          params: byId,
          body: ReprintVoucher,
          response: { 200: z.object({ print: ReceiptView.shape.print }) },
        },
        config: { before: (request) => vouchers.prepareReprint(byId.parse(request.params).id) },
      },
      (request) => vouchers.reprint(request.params.id, whoOf(request)),
    )
    app.get(
      '/api/sales/:id/vouchers',
      {
        schema: {
          summary: 'The vouchers whose paper the end of this sale made',
          params: z.object({ id: SaleId }),
          response: { 200: VoucherDocuments },
        },
      },
      (request) => ({ vouchers: vouchers.documentsOfSale(request.params.id, signedIn(request)) }),
    )
    app.post(
      '/api/sales/current/gift-cards',
      {
        schema: {
          summary: 'Ring a gift card; opens a sale when there is none',
          body: SellGiftCard,
          response: { 200: z.object({ sale: Sale }) },
        },
        config: { before: (request) => vouchers.prepareSale(SellGiftCard.parse(request.body)) },
      },
      (request) => ({ sale: vouchers.sell(request.body, whoOf(request)) }),
    )
  }
