/** Of no time to come, beside what happens at this moment: a clock of the database that was set back makes those. */
export const isPast = (at: string): string => `${at} <= now() + interval '1 minute'`

/** SQL that says whether it was so short a time ago; null where `at` is. Milliseconds. */
export const within = (at: string, ms: number): string =>
  `(${at} >= now() - interval '${ms} milliseconds' AND ${isPast(at)})`
