import type { MemberSession } from '../../../contracts/loyalty/member.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import type { Window } from '../rig/window.ts'

type SessionEvent = Extract<TerminalEvent, { type: 'member-session' }>
type InState<State extends MemberSession['state']> = Extract<MemberSession, { state: State }>
type Waiting = InState<'waiting'>

const PHONE_PIN = '2468'

export async function submitSignInForm(
  { page, userCode }: Pick<Waiting, 'page' | 'userCode'>,
  fields: { readonly collectorNumber: string; readonly pin?: string; readonly decision?: 'approve' | 'deny' },
): Promise<number> {
  const answer = await fetch(page, {
    method: 'POST',
    body: new URLSearchParams({
      user_code: userCode,
      collector_number: fields.collectorNumber,
      pin: fields.pin ?? PHONE_PIN,
      decision: fields.decision ?? 'approve',
    }),
  })
  await answer.body?.cancel()
  return answer.status
}

export interface RecordingWindow extends Pick<Window, 'call' | 'event'> {
  events(): readonly TerminalEvent[]
}

/**
 * Requests a sign-in code for the collector of the sale and signs the collector in by phone; resolves when the lane has
 * the member’s sign-in.
 */
export async function signInByPhone(window: RecordingWindow, saleId: string, collectorNumber: string): Promise<void> {
  const before = new Set(window.events())
  const session = async <State extends MemberSession['state']>(state: State): Promise<InState<State>> =>
    (
      await window.event(
        (event): event is SessionEvent & { session: InState<State> } =>
          event.type === 'member-session' && event.session?.state === state && !before.has(event),
      )
    ).session
  await window.call('POST', `/api/sales/${saleId}/member-session`, {})
  await submitSignInForm(await session('waiting'), { collectorNumber })
  await session('signed-in')
}
