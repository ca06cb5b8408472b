import { z } from 'zod'
import { Sale } from '../../../contracts/api/sales.ts'
import { SaleId } from '../../../contracts/ids.ts'
import { CardTransactions, ChargeCard, ResolveCardTransaction } from '../../../contracts/tenders/card-terminal.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import type { CardTender } from './tender.ts'

const byId = z.object({ id: SaleId })
const byReference = z.object({ reference: z.string().regex(/^[A-Z0-9]{1,10}$/) })
const answer = { 200: z.object({ sale: Sale }) }
const access = 'manager'

/** Payments by the lane's card terminal, and what a manager settles of them. */
export const cardPaymentsRoutes =
  (cardTender: CardTender): Routes =>
  (app) => {
    app.post(
      '/api/sales/:id/card-payment',
      {
        schema: {
          summary: 'Ask the card terminal for an amount; the outcome comes by events',
          params: byId,
          body: ChargeCard,
          response: answer,
        },
      },
      (request) => ({
        sale: cardTender.pay(request.params.id, request.body.version, request.body.amountCents),
      }),
    )
    app.post(
      '/api/sales/:id/card-payment/cancel',
      {
        schema: { summary: 'Ask the terminal to stop the payment that runs', params: byId, response: answer },
      },
      (request) => ({ sale: cardTender.cancel(request.params.id) }),
    )
    app.get(
      '/api/card-transactions',
      {
        config: { access },
        schema: {
          summary: 'Card payments and refunds that a person must look at',
          response: { 200: CardTransactions },
        },
      },
      () => ({ entries: cardTender.list() }),
    )
    app.post(
      '/api/card-transactions/:reference/resolve',
      {
        config: { access },
        schema: {
          summary: 'What the terminal’s own report says of one',
          params: byReference,
          body: ResolveCardTransaction,
          response: { 200: CardTransactions },
        },
      },
      (request) => ({
        entries: cardTender.resolve(request.params.reference, request.body, signedIn(request).id),
      }),
    )
  }
