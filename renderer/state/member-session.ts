import { create } from 'zustand'
import type { MemberSession, MemberSessionNow } from '../../contracts/api/member-session.ts'
import { api } from '../api/terminal-api.ts'
import { inTurn, isUnderWay } from './command-queue.ts'
import { report } from './notices.ts'
import { useSale } from './sale.ts'

/** The collector's sign-in with their own phone, as the backend last told of it. */
export const useMemberSession = create<MemberSessionNow>()(() => ({ offered: false, session: null }))

export const takeMemberSession = (session: MemberSession | null): void => useMemberSession.setState({ session })

export async function loadMemberSession(): Promise<void> {
  const before = useMemberSession.getState().session
  const { offered, session } = await api.memberSession()
  // An event that came after the question is newer than the answer.
  useMemberSession.setState((now) => (now.session === before ? { offered, session } : { offered }))
}

/** The sign-in of this sale; null when there is none of it. */
export const sessionOf = (saleId: string | undefined, { session }: MemberSessionNow): MemberSession | null =>
  session?.saleId === saleId ? session : null

const KIND = 'member-session'

async function ask(run: (saleId: string) => Promise<MemberSessionNow>): Promise<void> {
  const saleId = useSale.getState().current?.id
  if (saleId === undefined || isUnderWay(KIND)) return
  try {
    useMemberSession.setState(await inTurn(KIND, () => run(saleId)))
  } catch (error) {
    report(error)
  }
}

/** A code for the phone of the sale's collector, in place of one that is shown. */
export const beginMemberSession = (): Promise<void> => ask(api.beginMemberSession)
/** Nobody signs in, or whoever has is forgotten. */
export const cancelMemberSession = (): Promise<void> => ask(api.cancelMemberSession)
