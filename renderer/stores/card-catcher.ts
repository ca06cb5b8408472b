import type { TerminalEvent } from '../../contracts/events.ts'

export type CardRead = Pick<Extract<TerminalEvent, { type: 'card-read' }>, 'readId' | 'entryMode' | 'last4'>

let catcher: ((card: CardRead) => void) | null = null

/** While a form asks for a card, a read is for it and not for the sale. Answers what gives the reads back. */
export function catchCards(take: (card: CardRead) => void): () => void {
  catcher = take
  return () => {
    if (catcher === take) catcher = null
  }
}

/** True when a form took the read. */
export function caughtCard(card: CardRead): boolean {
  catcher?.(card)
  return catcher !== null
}
