const DAY_MS = 86_400_000
const DATE = 'YYYY-MM-DD'.length
const MIDNIGHT = '00:00:00'

/** The last day, YYYY-MM-DD, of an offer that is over at this local date-time: at midnight the day before. */
export function lastDayOf(endDate: string): string {
  const day = endDate.slice(0, DATE)
  if (endDate.slice(DATE + 1) !== MIDNIGHT) return day
  return new Date(Date.parse(`${day}T00:00:00Z`) - DAY_MS).toISOString().slice(0, DATE)
}

/** Date, hour and minute of a local date-time, `YYYY-MM-DDTHH:MM:SS`. */
export const partsOf = (moment: string): { date: string; hour: string; minute: string } => ({
  date: moment.slice(0, DATE),
  hour: moment.slice(DATE + 1, DATE + 3),
  minute: moment.slice(DATE + 4, DATE + 6),
})
