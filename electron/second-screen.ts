import type { Rectangle } from 'electron'
import { customerPlace, isOutOfSight, isSamePlace } from './displays.ts'
import type { Place } from './displays.ts'

/** What the system says of its screens, as far as it is asked. */
export interface Screens {
  places(): readonly Place[]
  /** The screen that most of a window is on; the nearest where it is on none. */
  idUnder(bounds: Rectangle): number
  onChange(listener: () => void): void
}
export interface CashierWindow {
  /** Null when it is closed. */
  bounds(): Rectangle | null
  /** Puts it on the primary screen, as at a start. Returns that screen: the window itself may arrive later. */
  bringBack(): number
}
export interface SecondScreenOptions {
  readonly screens: Screens
  readonly cashier: CashierWindow
  /** Opens the customer's window on a screen. */
  readonly open: (bounds: Rectangle) => { close(): void }
  /**
   * How long the screens must be left alone before a window is moved: one that wakes up goes and comes back, and its
   * size changes on the way.
   */
  readonly settleMs?: number
}

/**
 * Keeps the customer's window on the second screen while there is one, and the cashier's in sight. A window whose
 * screen has changed is opened anew, which is no loss: what it shows is the backend's. Moving one that fills a screen
 * is something that each system does in its own way.
 */
export function keepSecondScreen({ screens, cashier, open, settleMs = 500 }: SecondScreenOptions): void {
  let customer: { readonly place: Place; readonly window: { close(): void } } | null = null
  const place = (): void => {
    const bounds = cashier.bounds()
    if (bounds === null) return
    const places = screens.places()
    // For a moment a system may have no screen at all: everything stays where it was.
    if (places.length === 0) return
    const cashierId = isOutOfSight(bounds, places) ? cashier.bringBack() : screens.idUnder(bounds)
    const wanted = customerPlace(places, cashierId, customer?.place.id ?? null)
    if (isSamePlace(customer?.place ?? null, wanted)) return
    customer?.window.close()
    customer = wanted === null ? null : { place: wanted, window: open(wanted.bounds) }
  }
  place()
  let settling: NodeJS.Timeout | undefined
  screens.onChange(() => {
    clearTimeout(settling)
    settling = setTimeout(place, settleMs)
  })
}
