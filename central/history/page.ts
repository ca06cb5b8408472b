import type { CardsQuery, SortField } from '../../contracts/central/history.ts'
import { present, withoutEmpty } from '../http/answer.ts'
import type { Activity } from './activities.ts'

/** Newest first, unless told otherwise. */
const DEFAULT_SORT: { field: SortField; descending: boolean }[] = [{ field: 'transactionDate', descending: true }]

/**
 * Records sorted, one page, with links to the others (specification 2 §2.3). `address` is the request's own, query
 * included.
 */
export function pageOf(
  activities: readonly Activity[],
  { page, size, sort = DEFAULT_SORT }: CardsQuery,
  address: URL,
): Record<string, unknown> {
  const order = new Map(activities.map((activity, index) => [activity, index]))
  const sorted = [...activities].sort((a, b) => {
    for (const { field, descending } of sort) {
      const [x, y] = [a[field] ?? '', b[field] ?? '']
      if (x !== y) return (x < y ? -1 : 1) * (descending ? -1 : 1)
    }
    // Records of one moment stand in the order in which they were posted, read from the same end as the dates.
    return ((order.get(a) ?? 0) - (order.get(b) ?? 0)) * (sort[0]?.descending ? -1 : 1)
  })
  const totalPages = Math.ceil(sorted.length / size)
  const last = Math.max(0, totalPages - 1)
  const link = (number: number): { href: string } => {
    const linked = new URL(address)
    linked.searchParams.set('page', String(number))
    linked.searchParams.set('size', String(size))
    return { href: linked.href }
  }
  const records = sorted.slice(page * size, (page + 1) * size).map((activity) => withoutEmpty(activity))
  return present({
    _embedded: records.length > 0 ? { genericActivityDtoList: records } : undefined,
    _links: { first: link(0), self: link(page), ...(page < last ? { next: link(page + 1) } : {}), last: link(last) },
    page: { size, totalElements: sorted.length, totalPages, number: page },
  })
}
