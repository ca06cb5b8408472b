/** What a spreadsheet would take for the beginning of a formula, full-width forms too, even behind blanks. */
const FORMULA = /^[\s\p{Cc}]*[=+\-@＝＋－＠]/u

/** The byte order mark tells a spreadsheet that the file is UTF-8; what reads files by program takes the JSON. */
const BOM = '\uFEFF'

/**
 * One field of RFC 4180. Text that a spreadsheet would run as a formula gets an apostrophe before it, which shows it as
 * text; numbers stay as they are.
 */
function field(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const harmless = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** A line of a CSV file, ended by CR LF. */
export const csvLine = (record: readonly (string | number)[]): string => `${record.map(field).join(',')}\r\n`

/** How a CSV file begins: in UTF-8 with a byte order mark, and a header line. */
export const csvHead = (header: readonly string[]): string => BOM + csvLine(header)

/** A CSV file in UTF-8 with a byte order mark: a header line, then the records. */
export const csvFile = (header: readonly string[], records: readonly (readonly (string | number)[])[]): string =>
  csvHead(header) + records.map(csvLine).join('')
