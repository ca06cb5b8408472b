import type { Shift } from '../../../contracts/api/shifts.ts'
import { useWords } from '../../i18n/words.tsx'

/** What a shift is called: by its number, and by its person where everybody has a drawer of their own. */
export function useShiftName(): (shift: Pick<Shift, 'id' | 'drawerOf'>) => string {
  const { t } = useWords()
  return ({ id, drawerOf }) =>
    drawerOf === null
      ? t('shifts.number', { number: String(id) })
      : t('shifts.numberOf', { number: String(id), name: drawerOf.name })
}
