import type { AgeAnswer } from '../../contracts/sales/approvals.ts'
import type { Sale } from '../../contracts/sales/sales.ts'
import { ageAtDate, ageToCheck, dateOfBirth } from './sale/age-check.ts'
import { localDateTimeAt } from '../core/zone.ts'
import { ProblemError } from '../core/problem.ts'
import { stateOf, saleRowsOf } from './sale/sales.sql.ts'
import type { App } from '../core/http/app.ts'
import { salesContract } from '../../contracts/sales/sales.routes.ts'
import { serve } from '../core/http/serve.ts'
import { signedIn } from '../core/http/guards.ts'
import { salesOf, completeIfPaidOf } from './sales.ts'
import { type Ctx, perLane } from '../core/context.ts'

export type AgeChecks = ReturnType<typeof ageChecksOf>

/**
 * Age checks of items with a minimum age. Whether one is due follows from the stored sale, so a restart does not skip
 * it. Only the result and the minimum age are stored, never a date of birth.
 */
export const ageChecksOf = perLane((ctx: Ctx) => {
  const { profile, audit, clock } = ctx
  const sales = salesOf(ctx)
  const repository = saleRowsOf(ctx)
  /**
   * Whether the cashier's answer shows that the customer is old enough. Throws ProblemError `birth-date-invalid` or
   * `not-permitted`.
   */
  function isOver(minimumAge: number, answer: AgeAnswer): boolean {
    switch (answer.kind) {
      case 'refused':
        return false
      case 'clearly-over':
        if (!profile.ageChecks.clearlyOver) throw new ProblemError('not-permitted')
        return true
      case 'date-of-birth': {
        const today = localDateTimeAt(clock.now(), profile.timeZone).toPlainDate()
        const born = dateOfBirth(answer.date, today)
        if (born === null) throw new ProblemError('birth-date-invalid')
        return ageAtDate(born, today) >= minimumAge
      }
    }
  }

  return {
    /**
     * Records the cashier's answer to the age check of a sale. The command names the checked age instead of the sale's
     * version: an item scanned in the meantime does not change the answer, and a higher minimum age is checked
     * afterwards. Throws ProblemError `age-not-asked` if no check of this age is due.
     */
    answer: (id: string, minimumAge: number, answer: AgeAnswer, actorId: string): Sale =>
      sales.command(id, null, 'command', (tx, now) => {
        sales.refuseDuringPayment(now)
        const asked = now.lines.some(
          (line) => line.voided === 0 && line.minimumAge === minimumAge && minimumAge > (now.sale.ageChecked ?? 0),
        )
        if (!asked || (ageToCheck(now.lines, now.sale.ageChecked) ?? 0) < minimumAge)
          throw new ProblemError('age-not-asked')
        if (isOver(minimumAge, answer)) {
          repository.setAgeChecked(tx, id, minimumAge)
          audit.record(tx, { kind: 'age-checked', actorId, subject: id, detail: { age: minimumAge, by: answer.kind } })
          return 'undo-unchanged'
        }
        const refusedLines = now.lines.filter(
          (line) => line.voided === 0 && line.minimumAge !== null && line.minimumAge >= minimumAge,
        )
        audit.record(tx, {
          kind: 'age-refused',
          actorId,
          subject: id,
          detail: {
            age: minimumAge,
            ...(answer.kind === 'refused' ? {} : { by: answer.kind }),
            line: numbersOf(refusedLines),
          },
        })
        // Voids each item of this or a higher minimum age. An undo requires the age check again.
        const changes = refusedLines.map((line) => {
          repository.voidLine(tx, id, line.number)
          return { kind: 'void', before: { of: 'line', number: line.number, row: stateOf(line) } } as const
        })
        for (const change of changes.slice(0, -1)) repository.undo.push(tx, id, change)
        return changes.at(-1) ?? 'undo-unchanged'
      }),
  }
})

const numbersOf = (lines: readonly { readonly number: number }[]): string =>
  lines.map(({ number }) => number).join(', ')

export function ageChecksRoutes(ctx: Ctx, app: App): void {
  const ageChecks = ageChecksOf(ctx)
  const completeIfPaid = completeIfPaidOf(ctx)
  serve(app, salesContract['POST /sales/:id/age-check'], (request) => {
    const { id } = request.params
    const { minimumAge, answer } = request.body
    return { sale: completeIfPaid(id, ageChecks.answer(id, minimumAge, answer, signedIn(request).id)) }
  })
}
