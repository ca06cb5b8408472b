/** To the minute, in UTC, as it is written in every language. */
export const minuteOf = (at: Date): string =>
  `${at.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')} UTC`
