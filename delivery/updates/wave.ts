import type { Report } from './formats.ts'

/** Of the lanes that reported on one version: how many run it, and how many had to leave it. */
export interface Tally {
  readonly running: number
  readonly left: number
}

/** One lane that fails may be a bad disk; so may two. */
const FEWEST_LEFT = 3
const MOST_LEFT_PERCENT = 2

/** Each report is a lane’s last word on this version: one for each lane. */
export function tallyOf(reports: readonly Pick<Report, 'outcome'>[]): Tally {
  const running = reports.filter(({ outcome }) => outcome === 'running').length
  return { running, left: reports.length - running }
}

/** Whether a wave goes no further: three lanes at least left, and more than two in a hundred of those that reported. */
export const stopsWave = ({ running, left }: Tally): boolean =>
  left >= FEWEST_LEFT && left * 100 > MOST_LEFT_PERCENT * (running + left)
