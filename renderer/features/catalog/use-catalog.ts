import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useEvents } from '../../state/events.ts'

/** What the terminal answers to a question about its catalog, asked again whenever that has changed. */
export function useCatalog<Answer>(name: string, ask: () => Promise<Answer>): UseQueryResult<Answer> {
  const changes = useEvents((state) => state.catalogCount)
  return useQuery({
    queryKey: ['catalog', name, changes],
    queryFn: ask,
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
}
