import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { CurrentShift, Shift } from '../../../contracts/day/shifts.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useEvents } from '../../core/state/events.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { useI18n } from '../../core/i18n/i18n.ts'

/** First segment of the query keys for drawers and day ends, because one command may make both outdated. */
export const SHIFTS = 'shifts'

export function useCurrentShift(): UseQueryResult<CurrentShift> {
  const personId = useTerminal((state) => state.terminal?.signedIn?.id)
  const current = useQuery({ queryKey: [SHIFTS, 'current', personId], queryFn: api.currentShift })
  useShiftChanges()
  return current
}

export function useShiftChanges(): void {
  const queries = useQueryClient()
  const changes = useEvents((state) => state.shiftCount)
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: [SHIFTS] })
  }, [changes, queries])
}

/** Returns a function that names a shift: by its number, and by its person where each person has their own drawer. */
export function useShiftName(): (shift: Pick<Shift, 'id' | 'drawerOf'>) => string {
  const { t } = useI18n()
  return ({ id, drawerOf }) =>
    drawerOf === null
      ? t('shifts.number', { number: String(id) })
      : t('shifts.numberOf', { number: String(id), name: drawerOf.name })
}
