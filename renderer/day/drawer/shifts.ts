import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { CurrentShift, Shift } from '../../../contracts/day/shifts.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useEvents } from '../../core/state/events.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { useWords } from '../../core/i18n/words.tsx'

/** Everything that is asked about drawers and the day begins with this: one command may change all of it. */
export const SHIFTS = 'shifts'

/** The drawer of whoever is signed in, asked again whenever a drawer has changed. */
export function useCurrentShift(): UseQueryResult<CurrentShift> {
  const who = useTerminal((state) => state.terminal?.signedIn?.id)
  const current = useQuery({ queryKey: [SHIFTS, 'current', who], queryFn: api.currentShift })
  useShiftChanges()
  return current
}

/** While a screen about drawers is open, what it shows is asked for again with each change of a drawer. */
export function useShiftChanges(): void {
  const queries = useQueryClient()
  const changes = useEvents((state) => state.shiftCount)
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: [SHIFTS] })
  }, [changes, queries])
}

/** What a shift is called: by its number, and by its person where everybody has a drawer of their own. */
export function useShiftName(): (shift: Pick<Shift, 'id' | 'drawerOf'>) => string {
  const { t } = useWords()
  return ({ id, drawerOf }) =>
    drawerOf === null
      ? t('shifts.number', { number: String(id) })
      : t('shifts.numberOf', { number: String(id), name: drawerOf.name })
}
