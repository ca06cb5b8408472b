/**
 * Where a spreadsheet would begin to read a formula: at the start of a field, and behind what another reader takes for
 * the end of a cell or of a line (where the decimal sign is a comma, spreadsheets split at semicolons, and then a quote
 * inside a line quotes nothing). Full-width signs count too, and blanks and quotes before a sign hide nothing. A field
 * that begins with such a break is none to leave as it is either (owasp.org/www-community/attacks/CSV_Injection).
 */
const FORMULA_START = /(?<=^|[;\t\r\n])(?=[[\s\p{Cc}\p{Cf}"]--[\t\r\n]]*[=+\-@＝＋－＠])|^(?=[\t\r\n\0])/gv

/** Dollars with their cents: a number to every reader. */
const AMOUNT = /^-\d{1,15}\.\d{2}$/

/** The byte order mark tells a spreadsheet that the file is UTF-8; what reads files by program takes the JSON. */
const BOM = '\uFEFF'

/**
 * One field of RFC 4180. What a spreadsheet would run as a formula gets an apostrophe before it, which shows it as
 * text; numbers and amounts in dollars stay as they are.
 */
function field(value: string | number): string {
  if (typeof value === 'number' || AMOUNT.test(value)) return String(value)
  const harmless = value.replace(FORMULA_START, "'")
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** A line of a CSV file, ended by CR LF. */
export const csvLine = (record: readonly (string | number)[]): string => `${record.map(field).join(',')}\r\n`

/** How a CSV file begins: in UTF-8 with a byte order mark, and a header line. */
export const csvHead = (header: readonly string[]): string => BOM + csvLine(header)

/** A CSV file in UTF-8 with a byte order mark: a header line, then the records. */
export const csvFile = (header: readonly string[], records: readonly (readonly (string | number)[])[]): string =>
  csvHead(header) + records.map(csvLine).join('')
