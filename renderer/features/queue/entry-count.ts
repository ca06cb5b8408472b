import type { Queue } from '../../../contracts/api/queue.ts'

/**
 * How many entries the queue has in all. The summary also counts notices and a refused secret as things to look at, and
 * a reversal that nobody has confirmed twice: it is on its way, and to be looked at.
 */
export function entryCount({ summary, accepted, notices, secretRefused, entries }: Queue): number {
  const countedTwice = entries.filter(({ attention, state }) => attention && state === 'reversing').length
  const open = summary.waiting + summary.sending + summary.attention + accepted
  return open - notices.length - (secretRefused ? 1 : 0) - countedTwice
}
