/** Units are device-independent pixels. */
export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A screen as the system has it. */
export interface Place {
  readonly id: number
  readonly bounds: Rectangle
}

const showsTheSame = (one: Place, other: Place): boolean =>
  one.bounds.x === other.bounds.x && one.bounds.y === other.bounds.y

const overlap = (one: Rectangle, other: Rectangle): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height

const sameBounds = (one: Rectangle, other: Rectangle): boolean =>
  one.x === other.x && one.y === other.y && one.width === other.width && one.height === other.height

/**
 * The screen of the customer's window: one that the cashier's is not on, or null. The one that it has stays the one
 * while it can; else the first in the system's order. A mirrored screen shows what the cashier sees, and a window on it
 * would cover the sale: it is none.
 */
export function customerPlace(places: readonly Place[], cashierId: number, currentId: number | null): Place | null {
  const cashier = places.find(({ id }) => id === cashierId)
  const free = places.filter(
    (place) =>
      place.id !== cashierId &&
      place.bounds.width > 0 &&
      place.bounds.height > 0 &&
      (cashier === undefined || !showsTheSame(place, cashier)),
  )
  return free.find(({ id }) => id === currentId) ?? free[0] ?? null
}

/** True when nothing of the window is on any screen: the one that it was on is gone. */
export const isOutOfSight = (window: Rectangle, places: readonly Place[]): boolean =>
  !places.some(({ bounds }) => overlap(window, bounds))

/** True when a window that fills one place already fills the other. */
export const isSamePlace = (one: Place | null, other: Place | null): boolean =>
  one === null || other === null ? one === other : one.id === other.id && sameBounds(one.bounds, other.bounds)

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
/**
 * The screens must stay unchanged this long before a window is moved: one that wakes up goes and comes back, and its
 * size changes on the way.
 */
const SETTLE_MS = 500

/**
 * Keeps the customer's window on the second screen while there is one, and the cashier's in sight. A window whose
 * screen has changed is opened anew, which is no loss: what it shows is the backend's. Moving one that fills a screen
 * is something that each system does in its own way.
 */
export function keepSecondScreen(
  screens: Screens,
  cashier: CashierWindow,
  open: (bounds: Rectangle) => { close(): void },
  settleMs = SETTLE_MS,
): void {
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
