import { create } from 'zustand'
import type { HistoryShown, MemberHistory } from '../../../contracts/loyalty/member.ts'
import { ApiProblem } from '../../core/api/problem.ts'
import { api } from '../../core/api/terminal-api.ts'
import { sessionOf, useMemberSession } from './member-session.ts'
import { useSale } from '../../sales/sale.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useWords } from '../../core/i18n/words.tsx'

interface HistoryState {
  readonly saleId: string | null
  /** What the cashier has open, at this window or as the customer's display heard of it; null: nothing. */
  readonly shown: HistoryShown | null
}

const CLOSED: HistoryState = { saleId: null, shown: null }
const FIRST: HistoryShown = { range: '30-days', sponsors: 'all', sort: ['newest'], page: 0 }

/** Which part of the member's history is open. The transactions themselves are in no state: they go with the screen. */
export const useMemberHistory = create<HistoryState>()(() => CLOSED)

/** The display was told what the cashier has open. */
export const takeHistoryShown = ({ saleId, shown }: HistoryState): void =>
  useMemberHistory.setState(shown === null ? CLOSED : { saleId, shown })

let told: Promise<unknown> = Promise.resolve()
/** One after another, so that the display ends where the cashier did. */
function show(saleId: string, shown: HistoryShown | null): void {
  useMemberHistory.setState(shown === null ? CLOSED : { saleId, shown })
  told = told
    .then(() => api.showHistory(saleId, shown))
    .catch((error: unknown) => {
      // The display shows the basket then; the cashier has nothing to do about it.
      if (!(error instanceof ApiProblem)) throw error
    })
}

const isSignedIn = (saleId: string): boolean =>
  sessionOf(saleId, useMemberSession.getState())?.state === 'signed-in' && useSale.getState().current?.id === saleId

/** The newest transactions of the member who has signed in on the open sale. */
export function openHistory(): void {
  const saleId = useSale.getState().current?.id
  if (saleId !== undefined && isSignedIn(saleId)) show(saleId, FIRST)
}

/** Another range, partner, order or page; all but a page begin at the first. */
export function changeHistory(change: Partial<HistoryShown>): void {
  const { saleId, shown } = useMemberHistory.getState()
  if (saleId !== null && shown) show(saleId, { ...shown, page: 0, ...change })
}

export function closeHistory(): void {
  const { saleId } = useMemberHistory.getState()
  if (saleId !== null) show(saleId, null)
}

// It ends with the sign-in, the sale, and whoever serves: in each window by what it hears itself.
function endWithMember(): void {
  const { saleId } = useMemberHistory.getState()
  const served = useTerminal.getState().terminal?.signedIn != null
  if (saleId !== null && !(served && isSignedIn(saleId))) useMemberHistory.setState(CLOSED)
}
useMemberSession.subscribe(endWithMember)
useSale.subscribe(endWithMember)
useTerminal.subscribe(endWithMember)

/** A page of the member's history, for as long as it is looked at: nothing of it stays in the window after that. */
export function useMemberHistoryPage(saleId: string, shown: HistoryShown): UseQueryResult<MemberHistory> {
  const { format } = useWords()
  return useQuery({
    queryKey: ['member-history', saleId, shown, format.locale],
    queryFn: ({ signal }) => api.memberHistory(saleId, shown, format.locale, signal),
    gcTime: 0,
  })
}
