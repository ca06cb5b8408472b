import { api } from '../api/terminal-api.ts'
import { useTerminal } from './terminal.ts'
import type { Control } from '../../../contracts/core/text.ts'
import { create } from 'zustand'
import { useEffect } from 'react'
import type { ClaimInput } from '../../../contracts/sales/input.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { report } from './notices.ts'

const TOUCHES = ['pointerdown', 'keydown', 'focus'] as const

let acting = false

/** The terminal says which window was touched last. */
export const takeActing = (acts: boolean): void => {
  acting = acts
}

/**
 * From now on the terminal hears when this window is touched: what a gesture asks of a person is asked where that
 * person is. A window that opens is one. Answers a function that ends it.
 */
export function notifyTouches(): () => void {
  const touched = (): void => {
    if (acting) return
    acting = true
    // Who cannot be heard is told so by what they do next.
    api.act().catch(() => {
      acting = false
    })
  }
  for (const touch of TOUCHES) addEventListener(touch, touched, { capture: true })
  return () => {
    acting = false
    for (const touch of TOUCHES) removeEventListener(touch, touched, { capture: true })
  }
}

/** A stream of events that begins anew: the terminal may have forgotten, or another window has gone. */
export function actAgain(): void {
  acting = document.hasFocus()
  if (acting) api.act().catch(() => undefined)
}

/** Often enough for any time that a store would set, and no more than a call a minute. */
const TELL_AGAIN_MS = 60_000

/**
 * Tells the backend that somebody is there, who reads and touches and asks for nothing: otherwise it signs them out.
 * Answers what ends it.
 */
export function notifyActivity(
  target: Pick<Document, 'addEventListener' | 'removeEventListener'> = document,
): () => void {
  let told = performance.now()
  const notify = (): void => {
    if (!useTerminal.getState().terminal?.signedIn || performance.now() - told < TELL_AGAIN_MS) return
    told = performance.now()
    // Whoever cannot be heard is told so by what they do next.
    api.active().catch(() => undefined)
  }
  const signs = ['pointerdown', 'keydown'] as const
  for (const sign of signs) target.addEventListener(sign, notify, { capture: true, passive: true })
  return () => {
    for (const sign of signs) target.removeEventListener(sign, notify, { capture: true })
  }
}

let perform: (control: Control) => void = () => undefined

/** A barcode that stands for a key was scanned. Nothing happens while no screen with keys is open. */
export const takeControl = (control: Control): void => perform(control)

/** Says what does the controls from now on. Answers a function that stops it. */
export function onControl(next: (control: Control) => void): () => void {
  perform = next
  return () => {
    if (perform === next) perform = () => undefined
  }
}

/** What is open around the sale, and where the search field is. */
interface ShellState {
  readonly shortcutsOpen: boolean
  readonly trainingOpen: boolean
  /** Another cashier takes over while the sale stays. */
  readonly switchingCashier: boolean
  /** What the miles of the basket come from is open. */
  readonly earningOpen: boolean
  /** The cashier types a collector's number. */
  readonly keyingCollector: boolean
  /** The place of the status bar whose explanation is open, by an id of its own. */
  readonly explained: string | null
  readonly focusSearch: () => void
}

export const useShell = create<ShellState>()(() => ({
  shortcutsOpen: false,
  trainingOpen: false,
  switchingCashier: false,
  earningOpen: false,
  keyingCollector: false,
  explained: null,
  focusSearch: () => undefined,
}))

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
