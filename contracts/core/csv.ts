/**
 * Matches the start of a formula for a spreadsheet: at the start of a field, or after a character that another reader
 * treats as the end of a cell or line (with a decimal comma, spreadsheets split at semicolons and ignore quotes inside
 * a line). Full-width signs count, and leading blanks and quotes are skipped. A field that begins with such a separator
 * is also matched (owasp.org/www-community/attacks/CSV_Injection).
 */
const FORMULA_START = /(?<=^|[;\t\r\n])(?=[[\s\p{Cc}\p{Cf}"]--[\t\r\n]]*[=+\-@＝＋－＠])|^(?=[\t\r\n\0])/gv

/** Matches the apostrophe that `field` adds before a formula. */
const ADDED_APOSTROPHE = /(?<=^|[;\t\r\n])'(?=[[\s\p{Cc}\p{Cf}"]--[\t\r\n]]*[=+\-@＝＋－＠])|^'(?=[\t\r\n\0])/gv

/** Matches a negative amount of dollars with cents, which every reader parses as a number. */
const AMOUNT = /^-\d{1,15}\.\d{2}$/

/** The byte order mark makes spreadsheets read the file as UTF-8. Programs use the JSON output instead. */
const BOM = '\uFEFF'

/**
 * Encodes one field by RFC 4180. A formula gets a leading apostrophe, so that a spreadsheet shows it as text and does
 * not run it; numbers and dollar amounts are unchanged.
 */
function field(value: string | number): string {
  if (typeof value === 'number' || AMOUNT.test(value)) return String(value)
  const harmless = value.replace(FORMULA_START, "'")
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Returns the text of a field without the apostrophes that the export added. */
export const withoutApostrophes = (text: string): string => text.replace(ADDED_APOSTROPHE, '')

export const csvLine = (record: readonly (string | number)[]): string => `${record.map(field).join(',')}\r\n`

export const csvHead = (header: readonly string[]): string => BOM + csvLine(header)

export const csvFile = (header: readonly string[], records: readonly (readonly (string | number)[])[]): string =>
  csvHead(header) + records.map(csvLine).join('')
