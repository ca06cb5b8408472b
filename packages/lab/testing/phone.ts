import type { MemberSession } from '../../../contracts/loyalty/member.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import type { Window } from '../rig/window.ts'

type SessionEvent = Extract<TerminalEvent, { type: 'member-session' }>
type InState<State extends MemberSession['state']> = Extract<MemberSession, { state: State }>
type Waiting = InState<'waiting'>

/** The PIN that the reference services give every collector. */
const PHONE_PIN = '2468'

/** A member's phone at the page of the code: fills its form in, as a browser sends it. Answers the page's status. */
export async function onThePhone(
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

/** A window with what it was told so far, oldest first. */
export interface ListeningWindow extends Pick<Window, 'call' | 'event'> {
  events(): readonly TerminalEvent[]
}

/** Asks for a code for the collector of the sale, who signs in with their phone; resolves when the lane knows. */
export async function signInByPhone(window: ListeningWindow, saleId: string, collectorNumber: string): Promise<void> {
  const before = new Set(window.events())
  const session = async <State extends MemberSession['state']>(state: State): Promise<InState<State>> =>
    (
      await window.event(
        (event): event is SessionEvent & { session: InState<State> } =>
          event.type === 'member-session' && event.session?.state === state && !before.has(event),
      )
    ).session
  await window.call('POST', `/api/sales/${saleId}/member-session`, {})
  await onThePhone(await session('waiting'), { collectorNumber })
  await session('signed-in')
}
