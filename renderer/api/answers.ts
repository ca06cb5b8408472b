import type { QueryClient, QueryKey } from '@tanstack/react-query'

/**
 * Shows what an order was answered with. What was asked for before and is still on its way may tell of earlier and
 * would take the answer's place: it is dropped, and asked for anew.
 */
export async function showAnswer<Answer>(queries: QueryClient, queryKey: QueryKey, answer: Answer): Promise<void> {
  const exactly = { queryKey, exact: true }
  const isOnItsWay = queries.isFetching(exactly) > 0
  await queries.cancelQueries(exactly)
  queries.setQueryData<Answer>(queryKey, answer)
  if (isOnItsWay) void queries.invalidateQueries(exactly)
}
