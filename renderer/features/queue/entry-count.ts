import type { Queue } from '../../../contracts/api/queue.ts'

/**
 * How many entries the queue has in all. The summary also counts notices and a refused secret as things to look at, and
 * a reversal that nobody has confirmed twice: it is on its way, and to be looked at.
 */
export function entryCount({ summary, notices, secretRefused, entries }: Queue): number {
  const countedTwice = entries.filter(({ attention, state }) => attention && state === 'reversing').length
  return summary.waiting + summary.sending + summary.attention - notices.length - (secretRefused ? 1 : 0) - countedTwice
}
