import type { MemberSession } from '../../contracts/api/member-session.ts'

type Waiting = Extract<MemberSession, { state: 'waiting' }>

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
