import type { CountedThing } from '../../../contracts/api/shifts.ts'
import { useWords } from '../../i18n/words.tsx'

/** Over or short in words, from counted less expected in cents. */
export function useOutcome(): (differenceCents: number) => string {
  const { t, format } = useWords()
  return (differenceCents) =>
    t(`shifts.outcome.${differenceCents === 0 ? 'exact' : differenceCents > 0 ? 'over' : 'short'}`, {
      amount: format.money(Math.abs(differenceCents)),
    })
}

/** Of what a count differs, in words. By how much is told to nobody who may count again. */
export function useDiffers(): (recount: readonly CountedThing[]) => string {
  const { t } = useWords()
  return (recount) => t('shifts.differs', { what: recount.map((what) => t(`shifts.step.${what}`)).join(', ') })
}
