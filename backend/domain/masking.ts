/** The last four digits of a card or collector number: all that a screen, a receipt or a log may carry. */
export const last4 = (number: string): string => number.slice(-4)

/**
 * Masks every run of 8 or more digits in free text that came from outside (an error message may quote the collector
 * number), leaving the last four. Spaces and hyphens of any kind between digits do not hide a number, nor do further
 * digits before or after it.
 */
export const maskNumbers = (text: string): string =>
  text.replace(/\d(?:[\s\p{Pd}]?\d){7,}/gu, (run) => `•••• ${last4(run.replace(/\D/g, ''))}`)
