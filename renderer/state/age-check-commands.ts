import type { AgeAnswer } from '../../contracts/api/age-checks.ts'
import { api } from '../api/terminal-api.ts'
import { showAgeCheck } from './age-check.ts'
import { notify } from './notices.ts'
import { onCurrent } from './sale-commands.ts'
import { useSale } from './sale.ts'

/** Answers what the open sale asks. Where the customer is too young the items are gone, and that is said. */
export async function answerAgeCheck(minimumAge: number, answer: AgeAnswer): Promise<void> {
  const standing = (): number => useSale.getState().current?.lines.filter(({ voided }) => !voided).length ?? 0
  const before = standing()
  if (!(await onCurrent('age-check', (sale) => api.answerAgeCheck(sale.id, minimumAge, answer)))) return
  showAgeCheck()
  const count = before - standing()
  if (count > 0) notify('warning', ({ t }) => t('age.removed', { count }), { topic: 'age' })
}
