import { create } from 'zustand'
import type { MemberSession, MemberSessionNow, SignInSlipAnswer } from '../../../contracts/loyalty/member.ts'
import { api } from '../../core/api/terminal-api.ts'
import { printerTodo } from '../../core/i18n/printer-todo.ts'
import { inTurn, isUnderWay } from '../../core/state/command-queue.ts'
import { notify, report } from '../../core/state/notices.ts'
import { useSale } from '../../sales/sale.ts'

/** The sign-in as this window knows it; `printing`: its code is on the way to the printer. */
export type MemberSessionShown = MemberSessionNow & { readonly printing: boolean }

/** The collector's sign-in with their own phone, as the backend last told of it. */
export const useMemberSession = create<MemberSessionShown>()(() => ({
  offered: false,
  session: null,
  printing: false,
}))

export const takeMemberSession = (session: MemberSession | null): void => useMemberSession.setState({ session })

export const loadMemberSession = (): Promise<void> => take(api.memberSession)

async function take(asked: () => Promise<MemberSessionNow>): Promise<void> {
  const before = useMemberSession.getState().session
  const { offered, session } = await asked()
  // An event that came after the question is newer than the answer, which may be overtaken by the code itself.
  useMemberSession.setState((now) => (now.session === before ? { offered, session } : { offered }))
}

/** The sign-in of this sale; null when there is none of it. */
export const sessionOf = (
  saleId: string | undefined,
  { session }: Pick<MemberSessionNow, 'session'>,
): MemberSession | null => (session?.saleId === saleId ? session : null)

const KIND = 'member-session'

async function ask(run: (saleId: string) => Promise<MemberSessionNow>): Promise<void> {
  const saleId = useSale.getState().current?.id
  if (saleId === undefined || isUnderWay(KIND)) return
  try {
    await take(() => inTurn(KIND, () => run(saleId)))
  } catch (error) {
    report(error)
  }
}

/** A code for the phone of the sale's collector, in place of one that is shown. */
export const beginMemberSession = (): Promise<void> => ask(api.beginMemberSession)
/** Nobody signs in, or whoever has is forgotten. */
export const cancelMemberSession = (): Promise<void> => ask(api.cancelMemberSession)

/** The code on paper, for a customer who cannot see the display. The sale waits for no printer: it takes no turn. */
export async function printMemberCode(): Promise<void> {
  const saleId = useSale.getState().current?.id
  if (saleId === undefined || useMemberSession.getState().printing) return
  useMemberSession.setState({ printing: true })
  try {
    notifySlip(await api.printMemberCode(saleId))
  } catch (error) {
    report(error)
  } finally {
    useMemberSession.setState({ printing: false })
  }
}

function notifySlip({ state, trouble }: SignInSlipAnswer): void {
  const printed = state === 'confirmed' || state === 'sent'
  notify(
    printed ? 'success' : 'warning',
    ({ t }) =>
      state === 'failed'
        ? t('memberSession.slip.failed', { todo: printerTodo(t, trouble ?? undefined) ?? t('devices.todo.any') })
        : t(`memberSession.slip.${state}`),
    { topic: 'member-slip' },
  )
}
