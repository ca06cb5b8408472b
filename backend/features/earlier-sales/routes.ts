import {
  EarlierSales,
  EarlierSalesQuery,
  OwedDocuments,
  ReceiptsSummary,
} from '../../../contracts/api/earlier-sales.ts'
import type { Routes } from '../../http/app.ts'
import type { EarlierSalesService } from './service.ts'

/** Earlier sales and their receipts. A receipt is printed again by `POST /api/sales/:id/reprint`. */
export const earlierSalesRoutes =
  (earlier: EarlierSalesService): Routes =>
  (app) => {
    app.get(
      '/api/sales/earlier',
      {
        schema: {
          summary: 'Closed sales and returns, newest first; a search finds receipts of the store’s other lanes too',
          querystring: EarlierSalesQuery,
          response: { 200: EarlierSales },
        },
      },
      (request) => earlier.listWithStore(request.query),
    )
    app.get(
      '/api/receipts/owed',
      {
        schema: {
          summary: 'Documents of anything but a sale that were never printed',
          response: { 200: OwedDocuments },
        },
      },
      () => earlier.owed(),
    )
    app.get(
      '/api/receipts',
      {
        schema: {
          summary: 'The sale completed last, and how many documents never reached paper',
          response: { 200: ReceiptsSummary },
        },
      },
      () => earlier.summary(),
    )
  }
