import { MOST_LIKELY_CHANGE_CENTS } from '../../../../contracts/tenders/likely-change.ts'
import { cashTender } from '../../../domain/cash-tender.ts'
import { ProblemError } from '../../../http/problem.ts'
import type { Take } from './take.ts'

export const takeCash: Take<'cash'> = ({ dueCents }, { tenderedCents, confirmed }) => {
  const cash = cashTender(dueCents, tenderedCents)
  if (!cash) throw new ProblemError('tender-amount-invalid')
  if (cash.changeCents >= MOST_LIKELY_CHANGE_CENTS && !confirmed) throw new ProblemError('cash-unlikely')
  return { kind: 'cash', ...cash, reference: null, operationId: null }
}
