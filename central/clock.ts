/** Time as the services see it: epoch milliseconds, movable so that a rehearsal can cross 03:00 without waiting. */
export interface MovableClock {
  now(): number
  /** Milliseconds ahead of the machine's clock. */
  readonly offsetMs: number
  move(offsetMs: number): void
}

export function createClock(): MovableClock {
  let offset = 0
  return {
    now: () => Date.now() + offset,
    get offsetMs() { return offset },
    move(offsetMs) { offset = offsetMs },
  }
}

interface WallTime { year: number, month: number, day: number, hour: number, minute: number, second: number, offsetMinutes: number }

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-CA', {
      timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
    })
    formatters.set(timeZone, formatter)
  }
  return formatter
}

function wallTime(at: number, timeZone: string): WallTime {
  const parts = new Map(formatterOf(timeZone).formatToParts(at).map((part) => [part.type, Number(part.value)]))
  const field = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0
  const wall = { year: field('year'), month: field('month'), day: field('day'), hour: field('hour'), minute: field('minute'), second: field('second') }
  const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second)
  return { ...wall, offsetMinutes: Math.round((asUtc - Math.floor(at / 1000) * 1000) / 60_000) }
}

const two = (value: number): string => String(value).padStart(2, '0')

/** ISO 8601 with the place's offset and milliseconds, e.g. 2026-07-01T14:03:22.123-04:00. */
export function localTimestamp(at: number, timeZone: string): string {
  const { year, month, day, hour, minute, second, offsetMinutes } = wallTime(at, timeZone)
  const sign = offsetMinutes < 0 ? '-' : '+'
  const shift = Math.abs(offsetMinutes)
  const millis = String(((at % 1000) + 1000) % 1000).padStart(3, '0')
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}.${millis}${sign}${two(Math.floor(shift / 60))}:${two(shift % 60)}`
}

/** Local wall time without a zone, as the offer service writes its dates (specification 1 §2.2). */
export const localDateTime = (at: number, timeZone: string): string => localTimestamp(at, timeZone).slice(0, 19)

/** Epoch milliseconds of midnight on the local day of `at`. */
export const startOfDay = (at: number, timeZone: string): number => hourOfDay(at, timeZone, 0, 0)

/** Epoch milliseconds of a wall-clock hour on the day after the local date of `at`. */
export const hourOfNextDay = (at: number, timeZone: string, hour: number): number => hourOfDay(at, timeZone, 1, hour)

/** A clock change is honoured by reading the offset again at the answer: no zone of the program changes its clocks at midnight or 03:00 twice. */
function hourOfDay(at: number, timeZone: string, daysLater: number, hour: number): number {
  const wall = wallTime(at, timeZone)
  const wanted = Date.UTC(wall.year, wall.month - 1, wall.day + daysLater, hour)
  let instant = wanted - wall.offsetMinutes * 60_000
  for (let round = 0; round < 2; round += 1) instant = wanted - wallTime(instant, timeZone).offsetMinutes * 60_000
  return instant
}
