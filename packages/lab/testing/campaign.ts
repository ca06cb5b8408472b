/**
 * Whether campaigns run in their long, nightly form (`MILEPOST_CAMPAIGN=1`). Without it, `npm run test:campaigns` takes
 * a duration that continuous integration can afford.
 */
export const isWholeCampaign = process.env['MILEPOST_CAMPAIGN'] === '1'

const DAY_MS = 86_400_000
/** Days since 1970 (UTC), which decide the test cases of today. */
export const DAY = Math.floor(Date.now() / DAY_MS)

/** Returns one in `days` cases, another share each day; all cases in a nightly campaign. */
export const todays = <Case>(cases: readonly Case[], days: number): Case[] =>
  cases.filter((_, index) => isWholeCampaign || index % days === DAY % days)
