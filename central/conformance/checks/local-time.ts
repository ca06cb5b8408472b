import { localDateTime } from '../../clock.ts'

/** The moment, in epoch milliseconds, when it is hour:minute in the time zone, `days` local days after the day of `now`. */
export function atLocalHour(now: number, timeZone: string, days: number, hour: number, minute: number): number {
  const wanted = wallClock(now, timeZone)
  const wall = Date.UTC(wanted.getUTCFullYear(), wanted.getUTCMonth(), wanted.getUTCDate() + days, hour, minute)
  // Two steps settle the offset also across a change of the clocks.
  let moment = wall
  for (let step = 0; step < 2; step += 1) moment += wall - wallClock(moment, timeZone).getTime()
  return moment
}

/** What a clock on the wall shows, as if it were UTC. */
const wallClock = (moment: number, timeZone: string): Date => new Date(`${localDateTime(moment, timeZone)}Z`)
