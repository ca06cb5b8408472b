import type { Region } from './regions.ts'

/**
 * The IANA time zones in which a store of a region can stand. A zone of another place, or one without the region's
 * daylight saving (EST, Etc/GMT+5), puts the end of the reversal window, 03:00 at the store, an hour off for half a
 * year. The second zone of a region is that of a part of it: its north-west, its islands, a town on the border.
 */
export const REGION_ZONES = {
  BC: ['America/Vancouver', 'America/Edmonton', 'America/Creston', 'America/Dawson_Creek', 'America/Fort_Nelson'],
  AB: ['America/Edmonton'],
  SK: ['America/Regina', 'America/Swift_Current', 'America/Edmonton'],
  MB: ['America/Winnipeg'],
  ON: [
    'America/Toronto',
    'America/Winnipeg',
    'America/Thunder_Bay',
    'America/Nipigon',
    'America/Rainy_River',
    'America/Atikokan',
  ],
  TB: ['America/Toronto', 'America/Thunder_Bay'],
  QC: ['America/Toronto', 'America/Montreal', 'America/Halifax', 'America/Blanc-Sablon'],
  NB: ['America/Moncton', 'America/Halifax'],
  NS: ['America/Halifax', 'America/Glace_Bay'],
  PE: ['America/Halifax'],
  NL: ['America/St_Johns', 'America/Goose_Bay'],
  NT: ['America/Yellowknife', 'America/Edmonton', 'America/Inuvik'],
  NU: [
    'America/Iqaluit',
    'America/Pangnirtung',
    'America/Rankin_Inlet',
    'America/Resolute',
    'America/Cambridge_Bay',
    'America/Coral_Harbour',
    'America/Atikokan',
  ],
  YT: ['America/Whitehorse', 'America/Dawson'],
  // Reserved for automated tests: it lies nowhere.
  ZZ: [],
} as const satisfies Record<Region, readonly string[]>
