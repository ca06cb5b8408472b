import type { CatalogEncoding } from '../../../contracts/catalog/catalog.ts'
import type { ProfileCheckAnswer, ProfileMistake, TableCell } from '../../../contracts/core/profile-check.ts'
import type { Localized } from '../../../contracts/core/locales.ts'
import {
  CsvError,
  type CsvRecord,
  type Separator,
  catalogText,
  encodingOf,
  parseCsv,
} from '../../catalog/editions/csv.ts'
import { quoteMessage, separatorOf } from '../../catalog/editions/load.ts'
import { mistakeOf, MAX_REPORTED, unreadable } from '../../core/profile/profile-file.ts'
import { bytesOf } from '../../core/text-file.ts'

/** Reads the cells of a table with their positions, in any encoding and with any separator of a spreadsheet. */
export function readTable(file: string): ProfileCheckAnswer {
  try {
    const encoding = encodingOf(file)
    if (typeof encoding === 'string') return tableIn(file, encoding)
    return { mistakes: [wrong(file, encoding.line, encoding.messages)], rows: [] }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    return { mistakes: [wrong(file, null, unreadable(error))], rows: [] }
  }
}

/** Leaves out a row with wrong quotation marks. If its end cannot be found, the table ends before it. */
function tableIn(file: string, encoding: CatalogEncoding): ProfileCheckAnswer {
  const [separator, pieces] = separatorOf(catalogText(bytesOf(file), encoding))
  let text = [...pieces].join('')
  const mistakes: ProfileMistake[] = []
  for (;;) {
    const { rows, trouble } = rowsOf(text, separator)
    if (trouble === null) return { mistakes, rows }
    mistakes.push(wrong(file, trouble.line, quoteMessage(trouble)))
    if (trouble.message === 'unclosed-quote' || trouble.endLine !== null || mistakes.length >= MAX_REPORTED)
      return { mistakes, rows }
    text = withoutRow(text, trouble.line, separator)
  }
}

function rowsOf(text: string, separator: Separator): { rows: TableCell[][]; trouble: CsvError | null } {
  const rows: TableCell[][] = []
  try {
    for (const record of parseCsv([text], separator, true)) rows.push(cellsOf(record))
    return { rows, trouble: null }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return { rows, trouble: error }
  }
}

function withoutRow(text: string, line: number, separator: Separator): string {
  const lines = text.split('\n')
  const [first = ''] = lines[line - 1]?.split(separator) ?? []
  lines[line - 1] = first.includes('"') ? '' : first
  return lines.join('\n')
}

const cellsOf = ({ line, fields, places }: CsvRecord): TableCell[] =>
  fields.map((text, index) => ({ text, line: places[index]?.line ?? line, column: places[index]?.column ?? 1 }))

const wrong = (file: string, line: number | null, messages: Localized): ProfileMistake => ({
  ...mistakeOf(file, messages),
  at: [],
  line,
  column: line === null ? null : 1,
})
