import type { AgeAnswer } from '../../../contracts/api/age-checks.ts'
import type { Sale } from '../../../contracts/api/sales.ts'
import type { Profile } from '../../../contracts/profile.ts'
import type { Clock } from '../../clock.ts'
import { ageOn, ageToCheck, dateOfBirth } from '../../domain/age-check.ts'
import { localDateTimeAt } from '../../domain/zone.ts'
import { ProblemError } from '../../http/problem.ts'
import { stateOf, type SalesRepository } from '../sales/repository.ts'
import type { Sales } from '../sales/service.ts'
import type { AuditTrail } from '../staff/audit.ts'

export interface AgeChecksOptions {
  readonly sales: Sales
  readonly repository: SalesRepository
  readonly profile: Pick<Profile, 'ageChecks' | 'timeZone'>
  readonly audit: Pick<AuditTrail, 'record'>
  readonly clock: Clock
}

export type AgeChecks = ReturnType<typeof createAgeChecks>

/**
 * Items that are sold from an age on. What is asked for stands in the sale: no window holds it, and a restart asks
 * again. Kept is the outcome and the age that was wanted; a date of birth is looked at and forgotten.
 */
export function createAgeChecks({ sales, repository, profile, audit, clock }: AgeChecksOptions) {
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
}

const numbersOf = (lines: readonly { readonly number: number }[]): string =>
  lines.map(({ number }) => number).join(', ')
