import { useInfiniteQuery, type UseInfiniteQueryResult } from '@tanstack/react-query'
import { SHIFTS } from '../drawer/use-current-shift.ts'

/**
 * Pages of a list, newest first, each before the last of the one before it, which is named by its number or its period.
 * What changed meanwhile is loaded again as
 * far as it was shown.
 */
export function usePages<Page extends { readonly more: boolean }>(
  name: string,
  load: (before?: string) => Promise<Page>,
  lastOf: (page: Page) => string | number | undefined,
): UseInfiniteQueryResult<Page[]> {
  return useInfiniteQuery({
    queryKey: [SHIFTS, 'pages', name],
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.more ? lastOf(page)?.toString() : undefined),
    select: ({ pages }) => pages,
  })
}
