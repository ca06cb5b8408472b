export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Place {
  readonly id: number
  readonly bounds: Rectangle
}

const isMirror = (one: Place, other: Place): boolean =>
  one.bounds.x === other.bounds.x && one.bounds.y === other.bounds.y

const overlap = (one: Rectangle, other: Rectangle): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height

const sameBounds = (one: Rectangle, other: Rectangle): boolean =>
  one.x === other.x && one.y === other.y && one.width === other.width && one.height === other.height

/**
 * Chooses the screen of the customer’s window: one without the cashier’s window, or null. Keeps the current one if
 * possible, else returns the first in the system’s order. Excludes a mirrored screen, where the window would cover the
 * sale.
 */
export function customerPlace(places: readonly Place[], cashierId: number, currentId: number | null): Place | null {
  const cashier = places.find(({ id }) => id === cashierId)
  const free = places.filter(
    (place) =>
      place.id !== cashierId &&
      place.bounds.width > 0 &&
      place.bounds.height > 0 &&
      (cashier === undefined || !isMirror(place, cashier)),
  )
  return free.find(({ id }) => id === currentId) ?? free[0] ?? null
}

export const isOffScreen = (window: Rectangle, places: readonly Place[]): boolean =>
  !places.some(({ bounds }) => overlap(window, bounds))

export const isSamePlace = (one: Place | null, other: Place | null): boolean =>
  one === null || other === null ? one === other : one.id === other.id && sameBounds(one.bounds, other.bounds)

export interface Screens {
  places(): readonly Place[]
  idUnder(bounds: Rectangle): number
  onChange(listener: () => void): void
}
export interface CashierWindow {
  bounds(): Rectangle | null
  bringBack(): number
}
/**
 * Time for which screens must be unchanged before a window is moved: a screen that wakes up disconnects, reconnects and
 * changes its size.
 */
const STABLE_MS = 500

/**
 * Keeps the customer's window on the second screen, if any, and the cashier's window visible. If the customer's screen
 * changes, its window is closed and opened again, because systems differ in moving full-screen windows; its content
 * comes from the backend.
 */
export function keepSecondScreen(
  screens: Screens,
  cashier: CashierWindow,
  open: (bounds: Rectangle) => { close(): void },
  stableMs = STABLE_MS,
): void {
  let customer: { readonly place: Place; readonly window: { close(): void } } | null = null
  const place = (): void => {
    const bounds = cashier.bounds()
    if (bounds === null) return
    const places = screens.places()
    // The system may briefly have no screen at all: change nothing then.
    if (places.length === 0) return
    const cashierId = isOffScreen(bounds, places) ? cashier.bringBack() : screens.idUnder(bounds)
    const target = customerPlace(places, cashierId, customer?.place.id ?? null)
    if (isSamePlace(customer?.place ?? null, target)) return
    customer?.window.close()
    customer = target === null ? null : { place: target, window: open(target.bounds) }
  }
  place()
  let timer: NodeJS.Timeout | undefined
  screens.onChange(() => {
    clearTimeout(timer)
    timer = setTimeout(place, stableMs)
  })
}
