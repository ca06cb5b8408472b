import { create } from 'zustand'
import type { HistoryShown, MemberHistory } from '../../../contracts/loyalty/member.ts'
import { ApiProblem } from '../../core/api/problem.ts'
import { api } from '../../core/api/terminal-api.ts'
import { sessionOf, useMemberSession } from './member-session.ts'
import { useSale } from '../../sales/sale.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useI18n } from '../../core/i18n/i18n.tsx'

interface HistoryState {
  readonly saleId: string | null
  /** The open history, at this window or as received by the customer display; null: closed. */
  readonly shown: HistoryShown | null
}

const CLOSED: HistoryState = { saleId: null, shown: null }
const FIRST: HistoryShown = { range: '30-days', sponsors: 'all', sort: ['newest'], page: 0 }

/**
 * The selected range and page of the member's history. The transactions are in no store: they are discarded with the
 * screen.
 */
export const useMemberHistory = create<HistoryState>()(() => CLOSED)

/** Applies the cashier's selection on the display. */
export const takeHistoryShown = ({ saleId, shown }: HistoryState): void =>
  useMemberHistory.setState(shown === null ? CLOSED : { saleId, shown })

let sending: Promise<unknown> = Promise.resolve()
/** Sends in order, so that the display shows the cashier's last selection. */
function show(saleId: string, shown: HistoryShown | null): void {
  useMemberHistory.setState(shown === null ? CLOSED : { saleId, shown })
  sending = sending
    .then(() => api.showHistory(saleId, shown))
    .catch((error: unknown) => {
      // The display then shows the basket; the cashier need not act.
      if (!(error instanceof ApiProblem)) throw error
    })
}

const isSignedIn = (saleId: string): boolean =>
  sessionOf(saleId, useMemberSession.getState())?.state === 'signed-in' && useSale.getState().current?.id === saleId

/** Opens the newest transactions of the signed-in member on the open sale. */
export function openHistory(): void {
  const saleId = useSale.getState().current?.id
  if (saleId !== undefined && isSignedIn(saleId)) show(saleId, FIRST)
}

/** Changes range, partner, order or page; all but a page start at the first page. */
export function changeHistory(change: Partial<HistoryShown>): void {
  const { saleId, shown } = useMemberHistory.getState()
  if (saleId !== null && shown) show(saleId, { ...shown, page: 0, ...change })
}

export function closeHistory(): void {
  const { saleId } = useMemberHistory.getState()
  if (saleId !== null) show(saleId, null)
}

// Closes with the sign-in, the sale or the cashier's session, in each window by its own events.
function endWithMember(): void {
  const { saleId } = useMemberHistory.getState()
  const served = useTerminal.getState().terminal?.signedIn != null
  if (saleId !== null && !(served && isSignedIn(saleId))) useMemberHistory.setState(CLOSED)
}
useMemberSession.subscribe(endWithMember)
useSale.subscribe(endWithMember)
useTerminal.subscribe(endWithMember)

/** A page of the member's history, discarded when it is no longer shown. */
export function useMemberHistoryPage(saleId: string, shown: HistoryShown): UseQueryResult<MemberHistory> {
  const { format } = useI18n()
  return useQuery({
    queryKey: ['member-history', saleId, shown, format.locale],
    queryFn: ({ signal }) => api.memberHistory(saleId, shown, format.locale, signal),
    gcTime: 0,
  })
}
