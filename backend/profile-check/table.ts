import type { CatalogEncoding } from '../../contracts/api/catalog-manager.ts'
import type { ProfileCheckAnswer, ProfileMistake, TableCell } from '../../contracts/profile-check.ts'
import type { Localized } from '../../contracts/locales.ts'
import { CsvError, parseCsv, type CsvRecord } from '../features/catalog/csv.ts'
import { catalogText, encodingOf } from '../features/catalog/encoding.ts'
import { quoteWords, separatorOf } from '../features/catalog/load.ts'
import { mistakeOf, unreadable } from '../profile-file.ts'
import { bytesOf } from '../text-file.ts'

/** The cells of a table with their places, in whatever encoding and with whatever separator a spreadsheet saved it. */
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

function tableIn(file: string, encoding: CatalogEncoding): ProfileCheckAnswer {
  const [separator, pieces] = separatorOf(catalogText(bytesOf(file), encoding))
  const rows: TableCell[][] = []
  try {
    for (const record of parseCsv(pieces, separator, true)) rows.push(cellsOf(record))
    return { mistakes: [], rows }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // Where one quote is lost, nothing after it is what it seems to be.
    return { mistakes: [wrong(file, error.line, quoteWords(error))], rows: [] }
  }
}

const cellsOf = ({ line, fields, places }: CsvRecord): TableCell[] =>
  fields.map((text, index) => ({ text, line: places[index]?.line ?? line, column: places[index]?.column ?? 1 }))

const wrong = (file: string, line: number | null, messages: Localized): ProfileMistake => ({
  ...mistakeOf(file, messages),
  at: [],
  line,
  column: line === null ? null : 1,
})
