import { sessionOf, useMemberSession } from '../../state/member-session.ts'
import { useSale } from '../../state/sale.ts'

/** The member of this sale has not signed in, and can. */
export function useCanSignIn(): boolean {
  const sale = useSale(({ current }) => current)
  return useMemberSession((now) => {
    const session = sessionOf(sale?.id, now)
    return now.offered && sale?.member != null && session?.state !== 'signed-in'
  })
}
