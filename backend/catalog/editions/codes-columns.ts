import type { Item, Pack } from '../../../contracts/catalog/catalog.ts'
import { MAX_CODES } from '../../../contracts/catalog/goods.ts'
import { holdsCardNumber } from '../../../contracts/core/card-numbers.ts'
import type { Localized } from '../../../contracts/core/locales.ts'
import type { FileMessageKey } from '../../core/i18n.ts'
import { readBarcode } from './search-terms.ts'

/**
 * The columns `more_barcodes` and `packs` of a catalog file. A cell has one code or pack per line, or separated by `|`
 * or `;`: `4011 | 94011`. A pack is its code, a multiplication sign, its number of pieces, and optionally `@` and the
 * price of the pack: `10012345678902 x 12 @ 11.99`. A cell with more than one code is text for every spreadsheet, which
 * therefore leaves its digits alone; a comma is no separator, because it may be part of a number.
 */
const SEPARATOR = /[|;\n\r]+/
const PACK = /^(\S+?)\s*[x×*]\s*(\d{1,3})(?:\s*@\s*(\S+))?$/i
/** Least number of pieces of a pack. */
const FEWEST = 2

/** Returns a barcode, corrected if only one correction is possible, or a message with the expected form. */
export function barcodeIn(value: string, isReachable: (code: string) => boolean): ReturnType<typeof readBarcode> {
  const read = readBarcode(value)
  const codes = 'barcode' in read && read.barcode !== null ? [value, read.barcode] : [value]
  return codes.every(isReachable) ? read : { wrong: 'catalog.unreachable' }
}

const partsOf = (cell: string): string[] =>
  cell
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== '')

type CodesColumn = 'more_barcodes' | 'packs'

/** Reads the further codes and packs of an item; reports a cell that is wrong with `wrong`. */
export function codesIn(
  value: (column: CodesColumn) => string,
  dollars: (text: string) => Item['priceCents'] | undefined,
  isReachable: (code: string) => boolean,
  wrong: (column: CodesColumn, expected: FileMessageKey | Localized) => void,
): { readonly codes: string[]; readonly packs: Pack[] } {
  const code = (column: CodesColumn, text: string): string[] => {
    if (holdsCardNumber(text)) return []
    const read = barcodeIn(text, isReachable)
    if ('wrong' in read) wrong(column, read.wrong)
    return 'barcode' in read && read.barcode !== null ? [read.barcode] : []
  }
  const codes = partsOf(value('more_barcodes')).flatMap((part) => code('more_barcodes', part))
  const packs = partsOf(value('packs')).flatMap((part): Pack[] => {
    const [, text = '', pieces, amount] = PACK.exec(part) ?? []
    const quantity = Number(pieces)
    const priceCents = amount === undefined ? undefined : dollars(amount)
    if (!(quantity >= FEWEST) || (amount !== undefined && (priceCents === undefined || priceCents < 0))) {
      wrong('packs', 'catalog.packs')
      return []
    }
    return code('packs', text).map((barcode) => ({
      barcode,
      quantity,
      ...(priceCents === undefined ? {} : { priceCents }),
    }))
  })
  if (codes.length > MAX_CODES) wrong('more_barcodes', 'catalog.tooManyCodes')
  if (packs.length > MAX_CODES) wrong('packs', 'catalog.tooManyCodes')
  return { codes, packs }
}
