/** What the print queue calls the papers of drawers and of days: each names what it is of. */
const numbered =
  (letters: string) =>
  (number: number): string =>
    `${letters}${String(number).padStart(8, '0')}`

export const zPaper = numbered('Z')
export const shiftPaper = numbered('SHIFT')
export const movementPaper = numbered('CASH')

/**
 * `CLOSING202611Z7`: with the number of its last Z, and an X behind it while more can come to it. What is printed after
 * another Z, also one of a clock that was set, or once it is over, is no copy of what was printed before.
 */
export const closingPaper = (period: string, lastZ: number, isOver: boolean): string =>
  `CLOSING${period.replaceAll('-', '')}Z${lastZ}${isOver ? '' : 'X'}`

/** Of which day or month such a paper is; `soFar`: the Z up to which one goes that was not over. A period is itself. */
export function closingOf(id: string): { readonly period: string; readonly soFar: number | null } {
  const [, year, month, day, lastZ, isSoFar] = /^CLOSING(\d{4})(\d{2})(\d{2})?Z(\d+)(X?)$/.exec(id) ?? []
  if (year === undefined) return { period: id, soFar: null }
  return {
    period: [year, month, day].filter((part) => part !== undefined).join('-'),
    soFar: isSoFar === 'X' ? Number(lastZ) : null,
  }
}

/** What people call such a paper by: its number, or the day or the month of a closing. */
export const numberOnPaper = (id: string): string =>
  id.startsWith('CLOSING') ? closingOf(id).period : String(Number(id.replace(/^[A-Z]+/, '')))
