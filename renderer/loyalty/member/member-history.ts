import { create } from 'zustand'
import type { HistoryShown, MemberHistory } from '../../../contracts/loyalty/member.ts'
import { ApiProblem } from '../../core/api/problem.ts'
import { api } from '../../core/api/terminal-api.ts'
import { sessionOf, useMemberSession } from './member-session.ts'
import { useSale } from '../../sales/sale.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useI18n } from '../../core/i18n/i18n.ts'

interface HistoryState {
  readonly saleId: string | null
  /** The shown part of the history: chosen at this window, or received by the customer display; null: closed. */
  readonly shown: HistoryShown | null
}

const CLOSED: HistoryState = { saleId: null, shown: null }
const FIRST: HistoryShown = { range: '30-days', sponsors: 'all', sort: ['newest'], page: 0 }

/**
 * The selected range and page of the member's history. The transactions are not in this state: they are discarded with
 * the screen.
 */
export const useMemberHistory = create<HistoryState>()(() => CLOSED)

export const applyHistory = ({ saleId, shown }: HistoryState): void =>
  useMemberHistory.setState(shown === null ? CLOSED : { saleId, shown })

let sending: Promise<unknown> = Promise.resolve()
/** Shows a selection, and sends it to the customer display in order, so that the display has the last one. */
function show(saleId: string, shown: HistoryShown | null): void {
  useMemberHistory.setState(shown === null ? CLOSED : { saleId, shown })
  sending = sending
    .then(() => api.showHistory(saleId, shown))
    .catch((error: unknown) => {
      // If sending fails, the customer display shows the basket, so the cashier need not act.
      if (!(error instanceof ApiProblem)) throw error
    })
}

const isSignedIn = (saleId: string): boolean =>
  sessionOf(saleId, useMemberSession.getState())?.state === 'signed-in' && useSale.getState().current?.id === saleId

export function openHistory(): void {
  const saleId = useSale.getState().current?.id
  if (saleId !== undefined && isSignedIn(saleId)) show(saleId, FIRST)
}

/** Changes the range, partner, order or page; every change except of the page goes to the first page. */
export function changeHistory(change: Partial<HistoryShown>): void {
  const { saleId, shown } = useMemberHistory.getState()
  if (saleId !== null && shown) show(saleId, { ...shown, page: 0, ...change })
}

export function closeHistory(): void {
  const { saleId } = useMemberHistory.getState()
  if (saleId !== null) show(saleId, null)
}

// The history closes when the member's sign-in, the sale or the cashier's session ends. Each window learns this from
// its own events.
function endWithMember(): void {
  const { saleId } = useMemberHistory.getState()
  const served = useTerminal.getState().terminal?.signedIn != null
  if (saleId !== null && !(served && isSignedIn(saleId))) useMemberHistory.setState(CLOSED)
}
useMemberSession.subscribe(endWithMember)
useSale.subscribe(endWithMember)
useTerminal.subscribe(endWithMember)

export function useMemberHistoryPage(saleId: string, shown: HistoryShown): UseQueryResult<MemberHistory> {
  const { format } = useI18n()
  return useQuery({
    queryKey: ['member-history', saleId, shown, format.locale],
    queryFn: ({ signal }) => api.memberHistory(saleId, shown, format.locale, signal),
    gcTime: 0,
  })
}
