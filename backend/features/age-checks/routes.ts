import { z } from 'zod'
import { AnswerAgeCheck } from '../../../contracts/api/age-checks.ts'
import { Sale } from '../../../contracts/api/sales.ts'
import { SaleId } from '../../../contracts/ids.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import type { AgeChecks } from './service.ts'

export interface AgeChecksRoutesOptions {
  readonly ageChecks: AgeChecks
  /** A sale that a refusal brought down to what is paid already closes. */
  readonly settle: (saleId: SaleId, sale: Sale) => Sale
}

/** What a sale asks before an item is sold from an age on. */
export const ageChecksRoutes =
  ({ ageChecks, settle }: AgeChecksRoutesOptions): Routes =>
  (app) => {
    app.post(
      '/api/sales/:id/age-check',
      {
        schema: {
          summary: 'Answer the age check of a sale; a refusal removes the items',
          params: z.object({ id: SaleId }),
          body: AnswerAgeCheck,
          response: { 200: z.object({ sale: Sale }) },
        },
      },
      (request) => {
        const { id } = request.params
        const { minimumAge, answer } = request.body
        return { sale: settle(id, ageChecks.answer(id, minimumAge, answer, signedIn(request).id)) }
      },
    )
  }
