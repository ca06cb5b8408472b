import { z } from 'zod'
import {
  CommitReturn,
  QuoteReturn,
  QuoteUnrecorded,
  UnrecordedQuote,
  ReturnableSale,
  ReturnQuote,
  ReturnWithoutRecord,
  SaleReturn,
} from '../../../contracts/payments/returns.ts'
import { ReceiptView, ReprintPaper } from '../../../contracts/sales/sales.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { Routes } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'
import { returnsOf } from './returns.ts'
import type { Ctx } from '../../core/context.ts'

const byId = z.object({ id: SaleId })
const OneReturn = z.object({ return: SaleReturn })
const Printing = z.object({ print: ReceiptView.shape.print })

/** Goods that come back, and the store credit that goes out for them. */
export const returnsRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const returns = returnsOf(ctx)
    app.get(
      '/api/sales/:id/returnable',
      {
        schema: {
          summary: 'What is left of a completed sale to return',
          params: byId,
          response: { 200: ReturnableSale },
        },
      },
      (request) => returns.returnableAsked(request.params.id),
    )
    app.post(
      '/api/returns/quote',
      {
        schema: {
          summary: 'What would go back for these goods, and in which form; changes nothing',
          body: QuoteReturn,
          response: { 200: ReturnQuote },
        },
        config: { command: 'reading' },
      },
      (request) => returns.quoteAsked(request.body),
    )
    app.post(
      '/api/returns',
      {
        schema: { summary: 'Take goods of a sale back', body: CommitReturn, response: { 200: OneReturn } },
        config: {
          before: async (request) => {
            const held = await returns.claim(CommitReturn.parse(request.body), whoOf(request))
            request.storeClaim = held?.id ?? null
            return held?.done
          },
        },
      },
      (request) => {
        return { return: returns.commit(request.body, whoOf(request), request.storeClaim) }
      },
    )
    app.post(
      '/api/returns/without-record/quote',
      {
        schema: {
          summary: 'What goods of an unknown sale are worth today',
          body: QuoteUnrecorded,
          response: { 200: UnrecordedQuote },
        },
        config: { command: 'reading' },
      },
      (request) => returns.quoteUnrecorded(request.body.items),
    )
    app.post(
      '/api/returns/without-record',
      {
        schema: {
          summary: 'Take goods of an unknown sale back, for store credit',
          body: ReturnWithoutRecord,
          response: { 200: OneReturn },
        },
        config: {
          before: async (request) => {
            request.unrecordedElsewhere = await returns.unrecordedElsewhere(whoOf(request))
            return undefined
          },
        },
      },
      (request) => {
        return {
          return: returns.withoutRecord(request.body, whoOf(request), request.unrecordedElsewhere),
        }
      },
    )
    app.get(
      '/api/returns/:id',
      { schema: { summary: 'One return', params: byId, response: { 200: OneReturn } } },
      (request) => ({ return: returns.view(request.params.id, signedIn(request)) }),
    )
    app.get(
      '/api/returns/:id/receipt',
      { schema: { summary: 'The paper of a return', params: byId, response: { 200: ReceiptView } } },
      (request) => returns.receipt(request.params.id),
    )
    app.post(
      '/api/returns/:id/reprint',
      {
        schema: {
          summary: 'Print the paper of a return again',
          params: byId,
          body: ReprintPaper,
          response: { 200: Printing },
        },
      },
      (request) => returns.reprint(request.params.id, whoOf(request), request.body?.locale),
    )
  }
