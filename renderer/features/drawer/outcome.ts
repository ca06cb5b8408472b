import { useWords } from '../../i18n/words.tsx'

/** Over or short in words, from counted less expected in cents. */
export function useOutcome(): (differenceCents: number) => string {
  const { t, format } = useWords()
  return (differenceCents) =>
    t(`shifts.outcome.${differenceCents === 0 ? 'exact' : differenceCents > 0 ? 'over' : 'short'}`, {
      amount: format.money(Math.abs(differenceCents)),
    })
}
