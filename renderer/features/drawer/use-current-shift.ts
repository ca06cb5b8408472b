import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { CurrentShift } from '../../../contracts/api/shifts.ts'
import { api } from '../../api/terminal-api.ts'
import { useEvents } from '../../state/events.ts'
import { useTerminal } from '../../state/terminal.ts'

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
