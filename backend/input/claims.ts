import type { Clock } from '../clock.ts'

/** A window that still wants the gestures says so again within this time; one that closes gives them back at once. */
export const CLAIM_MS = 60_000

export type Claimed = 'cards' | 'items' | 'badges'

export type InputClaims = ReturnType<typeof createInputClaims>

/** Which window wants the next cards or items for itself: a form that asks for a card, goods that come back. */
export function createInputClaims(clock: Pick<Clock, 'monotonic'>, isOpen: (stream: string) => boolean) {
  const claims = new Map<Claimed, { readonly stream: string; readonly until: number }>()
  return {
    claim: (what: Claimed, stream: string): void => {
      claims.set(what, { stream, until: clock.monotonic() + CLAIM_MS })
    },
    /** Somebody has signed out: the forms that claimed are gone, and can no longer say so. */
    forget: (): void => claims.clear(),
    /** By the window that claimed; another's claim stands. */
    release: (what: Claimed, stream: string): void => {
      if (claims.get(what)?.stream === stream) claims.delete(what)
    },
    /** The stream of the window that has claimed; undefined where the sale has them. */
    holder(what: Claimed): string | undefined {
      const claim = claims.get(what)
      return claim && clock.monotonic() < claim.until && isOpen(claim.stream) ? claim.stream : undefined
    },
  }
}
