import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { HistoryShown, MemberHistory } from '../../../contracts/api/member-history.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'

/** A page of the member's history, for as long as it is looked at: nothing of it stays in the window after that. */
export function useMemberHistoryPage(saleId: string, shown: HistoryShown): UseQueryResult<MemberHistory> {
  const { format } = useWords()
  return useQuery({
    queryKey: ['member-history', saleId, shown, format.locale],
    queryFn: ({ signal }) => api.memberHistory(saleId, shown, format.locale, signal),
    gcTime: 0,
  })
}
