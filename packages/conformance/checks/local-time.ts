import type { Client } from '../client.ts'
import { localDateTime } from '../expect.ts'

/** Returns the epoch milliseconds of a time of day in a time zone, `days` local days after the day of `now`. */
export function atLocalHour(now: number, timeZone: string, days: number, hour: number, minute: number): number {
  const wanted = wallClock(now, timeZone)
  const wall = Date.UTC(wanted.getUTCFullYear(), wanted.getUTCMonth(), wanted.getUTCDate() + days, hour, minute)
  // Two steps find the time zone’s offset, also across a clock change.
  let moment = wall
  for (let step = 0; step < 2; step += 1) moment += wall - wallClock(moment, timeZone).getTime()
  return moment
}

const wallClock = (moment: number, timeZone: string): Date => new Date(`${localDateTime(moment, timeZone)}Z`)

/**
 * Runs `work` with the services’ clock set to a time (epoch milliseconds), and resets the clock. Needs the control
 * port.
 */
export async function during<Done>(client: Client, moment: number, work: () => Promise<Done>): Promise<Done> {
  const { body } = await client.control('GET', '/clock')
  const offsetMs = Number(body.offsetMs)
  await client.control('POST', '/clock', { offsetMs: offsetMs + moment - Date.parse(String(body.now)) })
  try {
    return await work()
  } finally {
    await client.control('POST', '/clock', { offsetMs })
  }
}

/** Returns the last noon before the zone’s next clock change in this direction; undefined without one in 400 days. */
export function noonBeforeChange(now: number, timeZone: string, way: 'forward' | 'back'): number | undefined {
  const offset = (moment: number): number => wallClock(moment, timeZone).getTime() - Math.floor(moment / 1_000) * 1_000
  for (let days = 1; days < 400; days += 1) {
    const noon = atLocalHour(now, timeZone, days, 12, 0)
    const change = offset(noon + 86_400_000) - offset(noon)
    if (way === 'forward' ? change > 0 : change < 0) return noon
  }
  return undefined
}
