import type { AgeAnswer } from '../../contracts/sales/approvals.ts'
import type { Sale } from '../../contracts/sales/sales.ts'
import { ageOn, ageToCheck, dateOfBirth } from './sale/age-check.ts'
import { localDateTimeAt } from '../core/zone.ts'
import { ProblemError } from '../core/problem.ts'
import { stateOf, saleRowsOf } from './sale/sales.sql.ts'
import type { App } from '../core/http/app.ts'
import { salesContract } from '../../contracts/sales/sales.routes.ts'
import { serve } from '../core/http/serve.ts'
import { signedIn } from '../core/http/guards.ts'
import { salesOf, settlementOf } from './sales.ts'
import { type Ctx, perLane } from '../core/context.ts'

export type AgeChecks = ReturnType<typeof ageChecksOf>

/**
 * Items that are sold from an age on. What is asked for stands in the sale: no window holds it, and a restart asks
 * again. Kept is the outcome and the age that was wanted; a date of birth is looked at and forgotten.
 */
export const ageChecksOf = perLane((ctx: Ctx) => {
  const { profile, audit, clock } = ctx
  const sales = salesOf(ctx)
  const repository = saleRowsOf(ctx)
  /** Whether the customer is old enough. Throws ProblemError `birth-date-invalid`, `not-permitted`. */
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
        return ageOn(born, today) >= minimumAge
      }
    }
  }

  return {
    /**
     * The answer to what a sale asks. It names the age that it is of in place of a version: an item that was scanned
     * meanwhile changes nothing of it, and one of a higher age is asked for after it. Throws ProblemError
     * `age-not-asked` where nothing, or another age, is asked for.
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
          return 'kept'
        }
        const gone = now.lines.filter(
          (line) => line.voided === 0 && line.minimumAge !== null && line.minimumAge >= minimumAge,
        )
        audit.record(tx, {
          kind: 'age-refused',
          actorId,
          subject: id,
          detail: { age: minimumAge, ...(answer.kind === 'refused' ? {} : { by: answer.kind }), line: numbersOf(gone) },
        })
        // Whoever takes this back is asked again: nothing of it was checked.
        const changes = gone.map((line) => {
          repository.voidLine(tx, id, line.number)
          return { kind: 'void', before: { of: 'line', number: line.number, row: stateOf(line) } } as const
        })
        for (const change of changes.slice(0, -1)) repository.undo.keep(tx, id, change)
        return changes.at(-1) ?? 'kept'
      }),
  }
})

const numbersOf = (lines: readonly { readonly number: number }[]): string =>
  lines.map(({ number }) => number).join(', ')

/** What a sale asks before an item is sold from an age on. */
export function ageChecksRoutes(ctx: Ctx, app: App): void {
  const ageChecks = ageChecksOf(ctx)
  const settle = settlementOf(ctx)
  serve(app, salesContract['POST /sales/:id/age-check'], (request) => {
    const { id } = request.params
    const { minimumAge, answer } = request.body
    return { sale: settle(id, ageChecks.answer(id, minimumAge, answer, signedIn(request).id)) }
  })
}
