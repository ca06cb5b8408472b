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
function wallClock(moment: number, timeZone: string): Date {
  const parts = Object.fromEntries(new Intl.DateTimeFormat('en-CA', {
    timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
  }).formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
  return new Date(Date.UTC(parts.year ?? 0, (parts.month ?? 1) - 1, parts.day, parts.hour, parts.minute, parts.second))
}
