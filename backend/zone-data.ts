import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { MomentZone } from 'moment-timezone'
import moment from 'moment-timezone/moment-timezone.js'

const DATA = createRequire(import.meta.url).resolve('moment-timezone/data/packed/latest.json')
const zones = new Map<string, MomentZone>()

/**
 * A zone of the data that ships with the program, by any of its names; null where the data does not know it. The file
 * is read once for each zone and forgotten, since a lane asks for one of six hundred.
 */
export function zoneOf(timeZone: string): MomentZone | null {
  const known = zones.get(timeZone)
  if (known) return known
  const data = JSON.parse(readFileSync(DATA, 'utf8')) as { readonly zones: string[]; readonly links: string[] }
  // Zones are `name|…`, links `zone|other name`.
  const name = timeZone.toLowerCase()
  const link = data.links.find((names) => names.toLowerCase().endsWith(`|${name}`))
  const canonical = link?.slice(0, link.indexOf('|')).toLowerCase() ?? name
  const packed = data.zones.find((zone) => zone.toLowerCase().startsWith(`${canonical}|`))
  if (packed === undefined) return null
  moment.tz.add(packed)
  const zone = moment.tz.zone(canonical)
  if (zone) zones.set(timeZone, zone)
  return zone
}
