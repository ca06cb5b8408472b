import { api } from '../api/terminal-api.ts'
import { useTerminal } from './terminal.ts'
import type { Control } from '../../../contracts/core/text.ts'
import { create } from 'zustand'
import { useEffect } from 'react'
import type { CaptureInput } from '../../../contracts/sales/input.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { report } from './notices.ts'

const TOUCHES = ['pointerdown', 'keydown', 'focus'] as const

let acting = false

/** Stores whether this window is the acting one, as the terminal reports it. */
export const takeActing = (acts: boolean): void => {
  acting = acts
}

/**
 * Reports touches of this window to the terminal, so that questions about a swipe or scan appear here. Focusing the
 * window counts as a touch. Returns a function that stops reporting.
 */
export function notifyTouches(): () => void {
  const touched = (): void => {
    if (acting) return
    acting = true
    // If the report fails, the next action shows that the terminal is unreachable.
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

/**
 * Called for a new event stream, because the terminal may have restarted or another window may have closed: if this
 * window has the focus, reports it as the window touched last.
 */
export function actAgain(): void {
  acting = document.hasFocus()
  if (acting) api.act().catch(() => undefined)
}

/**
 * Interval between reports of activity: frequent enough for any sign-out time of a store, and at most one call a
 * minute.
 */
const REPORT_INTERVAL_MS = 60_000

/**
 * Reports activity of a person who only reads and touches, because the terminal signs out inactive people. Returns a
 * function that stops reporting.
 */
export function notifyActivity(
  target: Pick<Document, 'addEventListener' | 'removeEventListener'> = document,
): () => void {
  let reportedAt = performance.now()
  const notify = (): void => {
    if (!useTerminal.getState().terminal?.signedIn || performance.now() - reportedAt < REPORT_INTERVAL_MS) return
    reportedAt = performance.now()
    // If the report fails, the next action shows that the terminal is unreachable.
    api.active().catch(() => undefined)
  }
  const signs = ['pointerdown', 'keydown'] as const
  for (const sign of signs) target.addEventListener(sign, notify, { capture: true, passive: true })
  return () => {
    for (const sign of signs) target.removeEventListener(sign, notify, { capture: true })
  }
}

let perform: (control: Control) => void = () => undefined

/** Performs the action of a scanned control barcode; ignores it while no screen with keys is open. */
export const takeControl = (control: Control): void => perform(control)

export function onControl(next: (control: Control) => void): () => void {
  perform = next
  return () => {
    if (perform === next) perform = () => undefined
  }
}

interface ShellState {
  readonly shortcutsOpen: boolean
  readonly trainingOpen: boolean
  /** Whether the dialog that changes the cashier is open. The open sale remains. */
  readonly switchingCashier: boolean
  readonly earningOpen: boolean
  readonly keyingCollector: boolean
  /** Id of the status bar entry whose explanation is open. */
  readonly explained: string | null
  readonly focusSearch: () => void
  /** Focuses the open field of a quantity, if any. */
  readonly focusQuantity: () => void
}

export const useShell = create<ShellState>()(() => ({
  shortcutsOpen: false,
  trainingOpen: false,
  switchingCashier: false,
  earningOpen: false,
  keyingCollector: false,
  explained: null,
  focusSearch: () => undefined,
  focusQuantity: () => undefined,
}))

export type CapturedCard = Pick<Extract<TerminalEvent, { type: 'card-claimed' }>, 'readId' | 'entryMode' | 'last4'>

/** Interval of renewing a capture, well below the time after which the terminal sends input to the sale again. */
const RENEWAL_MS = 20_000

let takeCard: ((card: CapturedCard) => void) | null = null
export const passCard = (card: CapturedCard): void => takeCard?.(card)

/**
 * While this form is shown, makes the terminal send cards, badges or items to it instead of to the sale. The terminal
 * ends a capture that is not renewed.
 */
export function useInputCapture(what: CaptureInput['what']): void {
  useEffect(() => {
    const renew = (): void => {
      api.captureInput(what, true).catch(report)
    }
    renew()
    const timer = setInterval(renew, RENEWAL_MS)
    return () => {
      clearInterval(timer)
      api.captureInput(what, false).catch(report)
    }
  }, [what])
}

let takeBadge: ((readId: string) => void) | null = null
export const passBadge = (readId: string): void => takeBadge?.(readId)

export function useCapturedBadge(take: (readId: string) => void): void {
  useInputCapture('badges')
  useEffect(() => {
    takeBadge = take
    return () => {
      takeBadge = null
    }
  })
}

/** While a form is shown, makes the terminal send card reads to it instead of to the sale. */
export function useCapturedCard(take: (card: CapturedCard) => void): void {
  useInputCapture('cards')
  useEffect(() => {
    takeCard = take
    return () => {
      takeCard = null
    }
  })
}
