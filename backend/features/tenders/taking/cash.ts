import { cashTender } from '../../../domain/cash-tender.ts'
import { ProblemError } from '../../../http/problem.ts'
import type { Take } from './take.ts'

export const takeCash: Take<'cash'> = ({ dueCents }, { tenderedCents }) => {
  const cash = cashTender(dueCents, tenderedCents)
  if (!cash) throw new ProblemError('tender-amount-invalid')
  return { kind: 'cash', ...cash, reference: null, operationId: null }
}
