import { z } from 'zod'
import { ReceiptTraces } from '../../../contracts/api/call-traces.ts'
import { SaleId } from '../../../contracts/ids.ts'
import type { Routes } from '../../http/app.ts'
import type { TraceReader } from './reader.ts'

/** The traces of a receipt, beside it in the manager's journal. */
export const tracesRoutes =
  (reader: Pick<TraceReader, 'ofReceipt'>): Routes =>
  (app) => {
    app.get(
      '/api/journal/:receipt/traces',
      {
        schema: {
          tags: ['reports'],
          summary: 'The calls of a receipt that moved miles: their traces and their steps, oldest first',
          params: z.object({ receipt: SaleId }),
          response: { 200: ReceiptTraces },
        },
        config: { access: 'manager' },
      },
      (request) => reader.ofReceipt(request.params.receipt),
    )
  }
