import { z } from 'zod'
import { ShowChoice } from '../../../contracts/api/customer-display.ts'
import { SaleId } from '../../../contracts/ids.ts'
import type { TerminalEvent } from '../../../contracts/events.ts'
import type { Routes } from '../../http/app.ts'
import { ProblemError } from '../../http/problem.ts'
import type { Sales } from '../sales/service.ts'

export interface CustomerDisplayRoutesOptions {
  readonly sales: Pick<Sales, 'view'>
  readonly publish: (event: TerminalEvent) => void
}

/**
 * What the cashier's screen shows the customer beside the sale itself. It is told and not kept: nothing of it moves
 * miles.
 */
export const customerDisplayRoutes =
  ({ sales, publish }: CustomerDisplayRoutesOptions): Routes =>
  (app) => {
    app.put(
      '/api/sales/:id/choice-shown',
      {
        schema: {
          summary: 'Show the customer how many units the cashier has on the stepper; null when it was left',
          params: z.object({ id: SaleId }),
          body: ShowChoice,
          response: { 200: ShowChoice },
        },
        config: { command: 'awaited' },
      },
      async (request) => {
        const { id } = request.params
        const { units } = request.body
        const choice = sales.view(id).redemptionChoice
        // A screen that is out of date must not show a customer more than can be redeemed.
        if (units !== null && (!choice || units > choice.maxUnits)) throw new ProblemError('redemption-units-invalid')
        publish({ type: 'choice-shown', saleId: id, units })
        return { units }
      },
    )
  }
