import type { Rectangle } from 'electron'

/** A screen as the system has it; units are device-independent pixels. */
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
