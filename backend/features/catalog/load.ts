import { createHash, type Hash } from 'node:crypto'
import type { Item } from '../../../contracts/api/catalog.ts'
import type { Bilingual, Locale, Names } from '../../../contracts/locales.ts'
import { parseDollars } from '../../../contracts/money.ts'
import { TaxCategory } from '../../../contracts/regions.ts'
import { bytesOf, piecesOfText, whyNoText } from '../../text-file.ts'
import { mayBeScanned } from './barcode.ts'
import { CsvError, parseCsv, type CsvRecord } from './csv.ts'
import type { Staging, Duplicate } from './staging.ts'

export interface CatalogError {
  readonly file: string
  /** From 1; null when the file could not be read at all. */
  readonly line: number | null
  readonly messages: Bilingual
}

const COLUMNS = ['sku', 'barcode', 'name_en', 'name_fr', 'price', 'tax_category', 'department', 'category'] as const
/** What the columns of names are in. A third language is one more column here. */
const NAME_COLUMNS = [
  ['name_en', 'en-CA'],
  ['name_fr', 'fr-CA'],
] as const
/**
 * May be left out, and then no item has it. open_price: bounds such as 1.00-200.00 of an item whose price is entered
 * when it is rung.
 */
const MORE_COLUMNS = ['open_price'] as const
const KNOWN_COLUMNS = [...COLUMNS, ...MORE_COLUMNS]
type Column = (typeof KNOWN_COLUMNS)[number]

/** More would only bury the first ones. */
const MAX_ERRORS = 50

/** The SHA-256 of the file, which tells whether it has changed since the last import. */
export const hashCatalog = (path: string): { hash: string } | { errors: CatalogError[] } =>
  reading(path, () => {
    const hash = createHash('sha256')
    for (const bytes of bytesOf(path)) hash.update(bytes)
    return { hash: hash.digest('hex') }
  })

/**
 * Reads and checks a catalog file and stages its items, however many there are. Finds what is wrong in every line (the
 * first fifty are told). Answers the number of items and the SHA-256 of the bytes that they were read from.
 */
export const stageCatalog = (
  path: string,
  staging: Staging,
): { items: number; hash: string } | { errors: CatalogError[] } =>
  reading(path, () => {
    // First and for the whole file: an accent in the wrong encoding is no trouble of its line.
    const trouble = whyNoText(path)
    if (trouble) return { errors: [{ file: path, ...trouble }] }
    const hash = createHash('sha256')
    const errors: CatalogError[] = []
    const items = stageRecords(parseCsv(piecesOfText(hashed(bytesOf(path), hash))), staging, (line, messages) => {
      errors.push({ file: path, line, messages })
      return errors.length < MAX_ERRORS
    })
    return errors.length > 0 ? { errors } : { items, hash: hash.digest('hex') }
  })

/** A file that cannot be read is an error of the catalog, like one in its lines. */
function reading<Result>(path: string, work: () => Result): Result | { errors: CatalogError[] } {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const missing = 'code' in error && error.code === 'ENOENT'
    return {
      errors: [
        {
          file: path,
          line: null,
          messages: missing
            ? words('there is no such catalog file', 'ce fichier de catalogue n’existe pas')
            : words(
                `the catalog cannot be read (${String(error)})`,
                `le catalogue ne peut pas être lu (${String(error)})`,
              ),
        },
      ],
    }
  }
}

function* hashed(pieces: Iterable<Uint8Array>, hash: Hash): Generator<Uint8Array> {
  for (const piece of pieces) {
    hash.update(piece)
    yield piece
  }
}

/** Tells an error of a line. False: enough were told. */
type Report = (line: number, messages: Bilingual) => boolean

/** Answers how many items were staged; it means nothing once an error was reported. */
function stageRecords(records: Generator<CsvRecord>, staging: Staging, report: Report): number {
  let items = 0
  try {
    const header = records.next()
    if (header.done) {
      report(
        1,
        words(
          `the catalog is empty; its first line names the columns: ${COLUMNS.join(',')}`,
          `le catalogue est vide; sa première ligne nomme les colonnes : ${COLUMNS.join(',')}`,
        ),
      )
      return 0
    }
    let good = true
    const columns = columnsOf(
      header.value.fields.map((name) => name.trim()),
      (messages) => {
        good = false
        report(header.value.line, messages)
      },
    )
    if (!good) return 0
    for (const { line, fields } of records) {
      let enough = false
      const item = itemIn(fields, columns, (messages) => {
        enough = !report(line, messages)
      })
      const duplicate = item && staging.add(item, line)
      if (duplicate) enough = !report(line, duplicateMessage(duplicate))
      if (enough) return items
      items += 1
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    report(error.line, quoteWords(error))
    return items
  }
  if (items === 0)
    report(
      1,
      words(
        'the catalog has its columns and no item; a store without items can sell nothing',
        'le catalogue a ses colonnes et aucun article; un magasin sans articles ne peut rien vendre',
      ),
    )
  return items
}

/** One line per error: `stores/catalog.csv:12  expected …`. */
export const formatCatalogErrors = (errors: readonly CatalogError[], locale: Locale = 'en-CA'): string =>
  errors
    .map((error) => `${error.file}${error.line === null ? '' : `:${error.line}`}  ${error.messages[locale]}`)
    .join('\n')

function quoteWords({ message, endLine }: CsvError): Bilingual {
  if (message === 'unclosed-quote')
    return words('a quote opens here and never closes', 'un guillemet s’ouvre ici et ne se ferme jamais')
  if (endLine !== null)
    return words(
      `a quote opens here and seems not to be closed: the next one is on line ${endLine}, with text behind it`,
      `un guillemet s’ouvre ici et ne semble pas fermé : le suivant est à la ligne ${endLine}, avec du texte derrière`,
    )
  return words(
    'text follows a closing quote; a quote inside a value is written twice',
    'du texte suit un guillemet fermant; un guillemet dans une valeur s’écrit deux fois',
  )
}

const duplicateMessage = ({ of, value, line }: Duplicate): Bilingual =>
  of === 'sku'
    ? words(`sku ${value} stands on line ${line} already`, `le sku ${value} se trouve déjà à la ligne ${line}`)
    : words(
        `barcode ${value} stands on line ${line} already`,
        `le code-barres ${value} se trouve déjà à la ligne ${line}`,
      )

const words = (en: string, fr: string): Bilingual => ({ 'en-CA': en, 'fr-CA': fr })

function columnsOf(names: readonly string[], report: (messages: Bilingual) => void): readonly string[] {
  for (const column of COLUMNS)
    if (!names.includes(column)) report(words(`the column ${column} is missing`, `la colonne ${column} manque`))
  for (const name of new Set(names)) {
    if (!KNOWN_COLUMNS.some((column) => column === name))
      report(
        words(
          `there is no column “${name}”; known: ${KNOWN_COLUMNS.join(', ')}`,
          `la colonne « ${name} » n’existe pas; connues : ${KNOWN_COLUMNS.join(', ')}`,
        ),
      )
    else if (names.indexOf(name) !== names.lastIndexOf(name))
      report(words(`the column ${name} stands here twice`, `la colonne ${name} se trouve ici deux fois`))
  }
  return names
}

function itemIn(
  fields: readonly string[],
  columns: readonly string[],
  report: (messages: Bilingual) => void,
): Item | null {
  if (fields.length === columns.length)
    return itemOf((column) => (columns.includes(column) ? (fields[columns.indexOf(column)] ?? '') : '').trim(), report)
  report(
    words(
      `expected ${columns.length} values, found ${fields.length}`,
      `attendu ${columns.length} valeurs, trouvé ${fields.length}`,
    ),
  )
  return null
}

function itemOf(value: (column: Column) => string, report: (messages: Bilingual) => void): Item | null {
  let good = true
  const wrong = (column: Column, en: string, fr: string): void => {
    good = false
    report(
      words(
        `${column}: expected ${en}, found “${value(column).slice(0, 60)}”`,
        `${column} : attendu ${fr}, trouvé « ${value(column).slice(0, 60)} »`,
      ),
    )
  }
  const sku = value('sku')
  const shortened = (column: Column): boolean => {
    if (!/^\d+([.,]\d+)?E\+?\d+$/i.test(value(column))) return false
    good = false
    report(
      words(
        `${column}: a spreadsheet has shortened this number to “${value(column)}” and lost digits; give the ` +
          'column the format “text”, enter the numbers again, and export anew',
        `${column} : un tableur a abrégé ce nombre en « ${value(column)} » et perdu des chiffres; donnez à la ` +
          'colonne le format « texte », saisissez de nouveau les nombres et exportez encore',
      ),
    )
    return true
  }
  if (shortened('sku')) return null
  if (!/^[!-~]{1,40}$/.test(sku))
    wrong('sku', '1 to 40 letters, digits or signs without spaces', '1 à 40 lettres, chiffres ou signes sans espace')
  const barcode = value('barcode')
  if (shortened('barcode')) return null
  if (!mayBeScanned(barcode))
    wrong(
      'barcode',
      'a number whose last digit is its check digit (no scanner reads this one)',
      'un nombre dont le dernier chiffre est le chiffre de contrôle (aucun lecteur ne lit celui-ci)',
    )
  if (barcode !== '' && !/^[!-~]{1,80}$/.test(barcode))
    wrong('barcode', 'the characters of a barcode, or nothing', 'les caractères d’un code-barres, ou rien')
  const name: Names = {}
  for (const [column, locale] of NAME_COLUMNS) {
    name[locale] = value(column)
    if (!/^[^\p{Cc}]{1,120}$/u.test(value(column)))
      wrong(column, 'a name of 1 to 120 characters', 'un nom de 1 à 120 caractères')
  }
  const price = parseDollars(value('price'))
  if (price === undefined || price < 0) wrong('price', 'dollars such as 6.99', 'des dollars tels que 6.99')
  const tax = TaxCategory.safeParse(value('tax_category'))
  if (!tax.success)
    wrong('tax_category', `one of ${TaxCategory.options.join(', ')}`, `l’un de ${TaxCategory.options.join(', ')}`)
  if (value('department') === '') wrong('department', 'a department', 'un rayon')
  const openPrice = value('open_price') === '' ? null : boundsOf(value('open_price'))
  if (openPrice === undefined)
    wrong(
      'open_price',
      'the least and the most in dollars, such as 1.00-200.00, or nothing',
      'le moins et le plus en dollars, tels que 1.00-200.00, ou rien',
    )
  if (!good || openPrice === undefined || price === undefined || !tax.success) return null
  return {
    sku,
    barcode: barcode || null,
    name,
    priceCents: price,
    openPrice,
    taxCategory: tax.data,
    departmentId: value('department'),
    categoryId: value('category') || null,
  }
}

function boundsOf(text: string): Item['openPrice'] | undefined {
  const [least, most, ...rest] = text.split('-').map((part) => parseDollars(part))
  return least === undefined || most === undefined || rest.length > 0 || least > most
    ? undefined
    : { leastCents: least, mostCents: most }
}
