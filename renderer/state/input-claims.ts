import { useEffect } from 'react'
import type { ClaimInput } from '../../contracts/api/input.ts'
import type { TerminalEvent } from '../../contracts/events.ts'
import { api } from '../api/terminal-api.ts'
import { report } from './notices.ts'

export type ClaimedCard = Pick<Extract<TerminalEvent, { type: 'card-claimed' }>, 'readId' | 'entryMode' | 'last4'>

/** Well within the time after which the terminal gives the gestures back to the sale. */
const AGAIN_MS = 20_000

let takeCard: ((card: ClaimedCard) => void) | null = null
/** A card was read for the form that asked for one. */
export const claimedCard = (card: ClaimedCard): void => takeCard?.(card)

/**
 * While this is shown the next cards or items are for it and not for the sale. The terminal forgets it when it is no
 * longer said.
 */
export function useClaim(what: ClaimInput['what']): void {
  useEffect(() => {
    const claim = (): void => {
      api.claimInput(what, true).catch(report)
    }
    claim()
    const timer = setInterval(claim, AGAIN_MS)
    return () => {
      clearInterval(timer)
      api.claimInput(what, false).catch(report)
    }
  }, [what])
}

let takeBadge: ((readId: string) => void) | null = null
/** A staff badge was read for the form that asked for one. */
export const claimedBadge = (readId: string): void => takeBadge?.(readId)

/** While a form asks for a badge, a read is for it. */
export function useClaimedBadge(take: (readId: string) => void): void {
  useClaim('badges')
  useEffect(() => {
    takeBadge = take
    return () => {
      takeBadge = null
    }
  })
}

/** While a form asks for a card, a read is for it and not for the sale. */
export function useClaimedCard(take: (card: ClaimedCard) => void): void {
  useClaim('cards')
  useEffect(() => {
    takeCard = take
    return () => {
      takeCard = null
    }
  })
}
