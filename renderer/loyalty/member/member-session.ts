import { create } from 'zustand'
import type { MemberSession, MemberSessionNow, SignInSlipAnswer } from '../../../contracts/loyalty/member.ts'
import { api } from '../../core/api/terminal-api.ts'
import { printerTodo } from '../../core/i18n/printer-todo.ts'
import { enqueue, isInFlight } from '../../core/state/command-queue.ts'
import { notify, report } from '../../core/state/notices.ts'
import { useSale } from '../../sales/sale.ts'

/** State of the member's sign-in in this window; `printing`: its code is being sent to the printer. */
export type MemberSessionShown = MemberSessionNow & { readonly printing: boolean }

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
  // The sign-in from an event received after the request was sent is newer than the answer.
  useMemberSession.setState((now) => (now.session === before ? { offered, session } : { offered }))
}

export const sessionOf = (
  saleId: string | undefined,
  { session }: Pick<MemberSessionNow, 'session'>,
): MemberSession | null => (session?.saleId === saleId ? session : null)

const KIND = 'member-session'

async function ask(run: (saleId: string) => Promise<MemberSessionNow>): Promise<void> {
  const saleId = useSale.getState().current?.id
  if (saleId === undefined || isInFlight(KIND)) return
  try {
    await take(() => enqueue(KIND, () => run(saleId)))
  } catch (error) {
    report(error)
  }
}

export const beginMemberSession = (): Promise<void> => ask(api.beginMemberSession)
export const cancelMemberSession = (): Promise<void> => ask(api.cancelMemberSession)

/**
 * Prints the sign-in code, for a customer who cannot see the display. It is not a queued command, so that the sale does
 * not wait for the printer.
 */
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
