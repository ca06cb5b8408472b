import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../core/http/testing.ts'
import { CsvError, parseCsv } from './csv.ts'
import { formatCatalogErrors, stageCatalog, type CatalogError } from './load.ts'
import { openStaging, type StagedItem } from './staging.ts'

const STORES = join(import.meta.dirname, '../../..', 'stores')
const HEADER = 'sku,barcode,name_en,name_fr,price,tax_category,department,category'
const APPLES = '1001,0628451101000,"Apples, Gala",Pommes Gala,6.99,zero-rated,produce,'

function loadCatalog(file: string): { items: StagedItem[] } | { errors: CatalogError[] } {
  const staging = openStaging()
  try {
    const staged = stageCatalog(file, staging, { timeZone: 'America/Toronto' })
    return 'errors' in staged ? staged : { items: [...staging.alphabetical()] }
  } finally {
    staging.close()
  }
}

function complaint(text: string | Uint8Array, locale: 'en-CA' | 'fr-CA' = 'en-CA'): string {
  const folder = temporaryFolder()
  const file = join(folder, 'catalog.csv')
  writeFileSync(file, text)
  const loaded = loadCatalog(file)
  return 'items' in loaded
    ? `${loaded.items.length} items`
    : formatCatalogErrors(loaded.errors, locale).replaceAll(`${folder}/`, '')
}

test('the bounds of an open price are read from their column; a file without that column is accepted too', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'catalog.csv')
  const bounds = (text: string): unknown => {
    writeFileSync(file, text)
    const loaded = loadCatalog(file)
    return 'items' in loaded ? loaded.items.map(({ openPrice }) => openPrice) : formatCatalogErrors(loaded.errors)
  }
  expect(bounds(`${HEADER}\n${APPLES}`)).toEqual([null])
  expect(bounds(`${HEADER},open_price\n${APPLES},0.50-200`)).toEqual([{ leastCents: 50, mostCents: 20_000 }])
  for (const wrong of ['yes', '5', '5.00-1.00', '1-2-3', '-1.00-5.00', '1.005-2'])
    expect(bounds(`${HEADER},open_price\n${APPLES},${wrong}`), wrong).toContain(
      'open_price: expected lowest and highest price in dollars',
    )
})

function recordsOf(pieces: readonly string[]): unknown[] {
  const read: unknown[] = []
  try {
    for (const record of parseCsv(pieces)) read.push(record)
  } catch (error) {
    read.push(error)
  }
  return read
}

describe('parsing of comma-separated values', () => {
  test.each([
    [
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\r\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['"a,1","say ""hi"""\n', [['a,1', 'say "hi"']]],
    [
      '"two\nlines",b\nc,d',
      [
        ['two\nlines', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,,\n\n   \n"",b,c',
      [
        ['a', '', ''],
        ['', 'b', 'c'],
      ],
    ],
    ['\uFEFFa', [['a']]],
    ['', []],
  ])('returns the records of %j', (text, fields) => {
    expect([...parseCsv([text])].map((record) => record.fields)).toEqual(fields)
    expect([...parseCsv(text.match(/./gsu) ?? [])].map((record) => record.fields)).toEqual(fields)
  })

  test('returns the line on which a record begins, also after a value with line breaks', () => {
    expect([...parseCsv(['a\n"b\nb\nb",x\n\nc'])].map((record) => record.line)).toEqual([1, 2, 6])
  })

  test('returns the position of each field on request', () => {
    const text = '\uFEFFid;name\r\n"1";"a\nb";c\n\n2;é;;"d"'
    for (const pieces of [[text], text.match(/./gsu) ?? []])
      expect([...parseCsv(pieces, ';', true)].map(({ places }) => places.map((at) => [at.line, at.column]))).toEqual([
        [
          [1, 1],
          [1, 4],
        ],
        [
          [2, 1],
          [2, 5],
          [3, 4],
        ],
        [
          [5, 1],
          [5, 3],
          [5, 5],
          [5, 6],
        ],
      ])
    expect([...parseCsv([text], ';')].flatMap(({ places }) => places)).toEqual([])
  })

  test('refuses a quote that is not closed or is followed by text', () => {
    expect(() => [...parseCsv(['a\n"b'])]).toThrow(CsvError)
    expect(() => [...parseCsv(['a\n"b"c,d'])]).toThrow(CsvError)
  })

  test('stops reading the file soon when a quote is never closed', () => {
    let read = 0
    function* pieces(): Generator<string> {
      yield 'a,b\n1,"lost\n'
      for (; read < 1_000; read += 1) yield 'c,d\n'.repeat(10_000)
    }
    expect(() => [...parseCsv(pieces())]).toThrow('unclosed-quote')
    expect(read).toBeLessThan(100)
  })

  test('gives the same records, lines and errors however the text is divided into pieces', () => {
    const signs = fc.constantFrom('a', '"', ',', '\n', '\r', '\r\n', '""', ' ', 'é', '\uFEFF')
    fc.assert(
      fc.property(fc.array(fc.array(signs), { maxLength: 12 }), (cut) => {
        const pieces = cut.map((piece) => piece.join(''))
        expect(recordsOf(pieces)).toEqual(recordsOf([pieces.join('')]))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('the import of a catalog file', () => {
  test.each(['example-catalog.csv', 'training-catalog.csv'])('accepts the catalog file %s of this project', (name) => {
    const loaded = loadCatalog(join(STORES, name))
    expect('items' in loaded && loaded.items.length).toBeGreaterThan(20)
    expect('items' in loaded && loaded.items[0]).toEqual({
      sku: '1001',
      barcode: '0628451101000',
      name: { 'en-CA': 'Apples, Gala (bag)', 'fr-CA': 'Pommes Gala (sac)' },
      priceCents: 699,
      openPrice: null,
      taxCategory: 'zero-rated',
      departmentId: 'produce',
      categoryId: null,
      priceFrom: null,
    })
  })

  test.each(['96385074', '628451101000', '0628451101000', '10628451101007', '4011', 'SHELF-7', '555-1234', '425261'])(
    'accepts the barcode %s',
    (barcode) => {
      expect(complaint(`${HEADER}\n1001,${barcode},Apples,Pommes,1,standard,produce,\n`)).toBe('1 items')
    },
  )

  test.each([
    ['36000291469', '036000291469'],
    ['+36000291469', '036000291469'],
    ['0-36000-29148-3', '036000291483'],
    ['0 36000\u00a029148 3', '036000291483'],
    ['36000-29148-3', '036000291483'],
    ['4252614', '04252614'],
    ['0-425261-4', '04252614'],
    ['04252614', '04252614'],
    ['01234565', '01234565'],
    ['"36000291469,00"', '036000291469'],
    ["'036000291452", '036000291452'],
    ['="036000291452"', '036000291452'],
    ['4006381333931.0', '4006381333931'],
    ['4.006381333931E+12', '4006381333931'],
  ])('reads the cell %s as the barcode %s', (written, barcode) => {
    const file = join(temporaryFolder(), 'catalog.csv')
    writeFileSync(file, `${HEADER}\n1001,${written},Apples,Pommes,1,standard,produce,\n`)
    const loaded = loadCatalog(file)
    expect('items' in loaded ? loaded.items[0]?.barcode : loaded.errors).toBe(barcode)
  })

  const damaged = ['"36,000,291,469"', '=A2', '36000291469.5'].concat([
    '#N/A',
    '#REF!',
    '#VALEUR!',
    '#DIV/0!',
    '#####',
    'N/A',
    'TRUE',
    'FALSE',
    'Faux',
    'Err:502',
    '-36000291469',
  ])
  test.each(damaged)('refuses the barcode %s, which a spreadsheet has changed', (written) => {
    expect(complaint(`${HEADER}\n1001,${written},Apples,Pommes,1,standard,produce,\n`)).toContain(
      'catalog.csv:2  barcode: expected all digits of the barcode, as text (a spreadsheet has changed this value)',
    )
  })

  // 1234565 may be the UPC-E or the EAN-8 01234565; the others have no valid check digit.
  test.each(['4210000526', '1234565', '1234567', '123456789', '12345678901'])(
    'refuses the barcode %s, which lacks digits that cannot be restored',
    (written) => {
      expect(complaint(`${HEADER}\n1001,${written},Apples,Pommes,1,standard,produce,\n`)).toBe(
        'catalog.csv:2  barcode: expected all digits of the barcode (leading zeros or the check digit are missing), ' +
          `found “${written}”`,
      )
    },
  )

  test.each(['0', '00', '00000000', '0000000000000'])('refuses the barcode %s, which is only zeros', (written) => {
    expect(complaint(`${HEADER}\n1001,${written},Apples,Pommes,1,standard,produce,\n`)).toBe(
      `catalog.csv:2  barcode: expected the characters of a barcode, or nothing, found “${written}”`,
    )
  })

  test.each(['36000291469', '0036000291469', '00036000291469', '+36000291469'])(
    'refuses two items with the same barcode, written as 036000291469 and %s',
    (written) => {
      const other = `1002,${written},Pears,Poires,1,standard,produce,`
      expect(complaint(`${HEADER}\n1001,036000291469,Apples,Pommes,1,standard,produce,\n${other}\n`)).toMatch(
        /^catalog\.csv:3 {2}barcode \d+ is already on line 2$/,
      )
    },
  )

  test('refuses two items of which one has a UPC-E and the other the same number as UPC-A', () => {
    const lines = ['1,01234565,Gum,Gomme,1,standard,candy,', '2,012345000065,Mints,Menthes,1,standard,candy,']
    expect(complaint([HEADER, ...lines].join('\n'))).toBe('catalog.csv:3  barcode 012345000065 is already on line 2')
  })

  test.each([';', ',', '\t'])('accepts the line in which Excel names the separator %j', (separator) => {
    const line = '1001,96385074,Apples,Pommes,1,standard,produce,'
    const text = [`sep=${separator}`, HEADER.toUpperCase(), line].join('\r\n').replaceAll(',', separator)
    expect(complaint(text)).toBe('1 items')
    expect(complaint(`${text}\r\nshort`)).toContain('catalog.csv:4')
  })

  test('accepts column names in capitals', () => {
    const head = 'SKU,Barcode,Name_EN,name_fr,Price,Tax_Category,Department,Category'
    expect(complaint(`${head}\n${APPLES}\n`)).toBe('1 items')
  })

  test('accepts columns in any order', () => {
    expect(
      complaint(
        'price,sku,name_fr,name_en,barcode,tax_category,category,department\n1.00,A,Un,One,,standard,,grocery\n',
      ),
    ).toBe('1 items')
  })

  test.each([
    ['an empty file', '', `catalog.csv:1  the catalog is empty; its first line names the columns: ${HEADER}`],
    [
      'no column of prices',
      `${HEADER.replace('price', 'prix')}\n`,
      `catalog.csv:1  the column price is missing\ncatalog.csv:1  the column “prix” does not exist; known: ` +
        `${HEADER.replaceAll(',', ', ')}, open_price, price_from, minimum_age, sold_by, ` +
        'tare, more_barcodes, packs, most_per_sale, blocked, tax_rule, tax_changes, deposits, return_days',
    ],
    [
      'tax changes that are not in order',
      `${HEADER},tax_rule,tax_changes\n` +
        '1001,,Apples,Pommes,6.99,standard,produce,,,2027-02-01=book|2027-01-01=standard\n',
      'catalog.csv:2  tax_changes: expected planned changes such as 2025-02-16=standard, oldest first, ' +
        'separated by |, found “2027-02-01=book|2027-01-01=standard”',
    ],
    [
      'a tare of an item sold by the piece',
      `${HEADER},sold_by,tare\n1001,,Apples,Pommes,6.99,standard,produce,,each,0.012\n`,
      'catalog.csv:2  tare: expected a weight such as 0.012 or a share such as 4%, of an item sold by weight, ' +
        'or nothing, found “0.012”',
    ],
    [
      'an unknown unit',
      `${HEADER},sold_by\n1001,,Apples,Pommes,6.99,standard,produce,,oz\n`,
      'catalog.csv:2  sold_by: expected one of each, kg, 100g, lb, m, L, found “oz”',
    ],
    ['a value too few', `${HEADER}\n${APPLES}\n1002,,Pears\n`, 'catalog.csv:3  expected 8 values, found 3'],
    [
      'a price with a comma',
      `${HEADER}\n1001,,Apples,Pommes,"6,99",standard,produce,\n`,
      'catalog.csv:2  price: expected dollars such as 6.99, found “6,99”',
    ],
    [
      'a price of a tenth of a cent',
      `${HEADER}\n1001,,Apples,Pommes,6.999,standard,produce,\n`,
      'catalog.csv:2  price: expected dollars such as 6.99, found “6.999”',
    ],
    [
      'a price below nothing',
      `${HEADER}\n1001,,Apples,Pommes,-1.00,standard,produce,\n`,
      'catalog.csv:2  price: expected dollars such as 6.99, found “-1.00”',
    ],
    [
      'an unknown tax category',
      `${HEADER}\n1001,,Apples,Pommes,1,food,produce,\n`,
      'catalog.csv:2  tax_category: expected one of standard, book, children-wear, diapers, federal-only, ' +
        'zero-rated, found “food”',
    ],
    ...['0x13', '1e1', '19.0'].map((age): [string, string, string] => [
      `a least age of ${age}`,
      `${HEADER},minimum_age\n1001,,Apples,Pommes,1,standard,produce,,${age}\n`,
      `catalog.csv:2  minimum_age: expected whole years from 1 to 99, found “${age}”`,
    ]),
    [
      'a SKU that a spreadsheet has not worked out',
      `${HEADER}\n#REF!,,Apples,Pommes,1,standard,produce,\n`,
      'catalog.csv:2  sku: expected 1 to 40 letters, digits or symbols without spaces, found “#REF!”',
    ],
    [
      'a name with a printer command in it',
      `${HEADER}\n1001,,"App\u001bp0les",Pommes,1,standard,produce,\n`,
      'catalog.csv:2  name_en: expected a name of 1 to 120 characters, found “App\u001bp0les”',
    ],
    [
      'a name that turns the order of letters around',
      `${HEADER}\n1001,,"App\u202eles",Pommes,1,standard,produce,\n`,
      'catalog.csv:2  name_en: expected a name of 1 to 120 characters, found “App\u202eles”',
    ],
    [
      'a price above the highest that the item form accepts',
      `${HEADER}\n1001,,Apples,Pommes,1000000,standard,produce,\n`,
      'catalog.csv:2  price: expected at most 999999.99 dollars, found “1000000”',
    ],
    [
      'the same SKU twice',
      `${HEADER}\n${APPLES}\n1001,,Pears,Poires,1,standard,produce,\n`,
      'catalog.csv:3  sku 1001 is already on line 2',
    ],
    [
      'the same barcode under another length',
      `${HEADER}\n${APPLES}\n1002,628451101000,Pears,Poires,1,standard,produce,\n`,
      'catalog.csv:3  barcode 628451101000 is already on line 2',
    ],
    [
      'a quote that never closes',
      `${HEADER}\n1001,,"Apples,Pommes,1,standard,produce,\n`,
      'catalog.csv:2  a quote opens here and never closes',
    ],
    [
      'a quote that never closes, behind a value of two lines',
      `${HEADER}\n1001,,"Apples\nGala","Pommes,1,standard,produce,\n${APPLES.replaceAll('"', '')}\n`,
      'catalog.csv:3  a quote opens here and never closes',
    ],
    [
      'a quote that only the next quoted value closes',
      `${HEADER}\n1001,,"Apples,Pommes,1,standard,produce,\n${APPLES}\n`,
      'catalog.csv:2  a quote opens here and is not closed: the next, on line 3, is followed by text',
    ],
    [
      'a quote inside a value',
      `${HEADER}\n1001,,"3"" or 4" nails",Clous,1,standard,hardware,\n`,
      'catalog.csv:2  text follows a closing quote; a quote inside a value is written twice',
    ],
    [
      'a picture',
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xff, 0x01]),
      'catalog.csv:1  neither UTF-8, UTF-16 nor Windows-1252 text; save the file as “CSV UTF-8”',
    ],
    [
      'columns and nothing else',
      `${HEADER}\n\n`,
      'catalog.csv:1  the catalog has no items; a store without items cannot sell',
    ],
    [
      'a card number in a name',
      `${HEADER}\n1001,,Apples 4111.1111.1111.1111,Pommes,1,standard,produce,\n`,
      'catalog.csv:2  name_en: contains a card number; remove it',
    ],
    [
      'a barcode that a spreadsheet shortened',
      `${HEADER}\n1001,6.28451E+11,Apples,Pommes,1,standard,produce,\n`,
      'catalog.csv:2  barcode: “6.28451E+11” lost digits in a spreadsheet; format as text, enter again, export',
    ],
    [
      'a SKU that a spreadsheet shortened',
      `${HEADER}\n"1,00234E+12",,Apples,Pommes,1,standard,produce,\n`,
      'catalog.csv:2  sku: “1,00234E+12” lost digits in a spreadsheet; format as text, enter again, export',
    ],
    [
      'the number of gift cards',
      `${HEADER}\nmilepost:gift-card,,Apples,Pommes,1,standard,produce,\n`,
      'catalog.csv:2  sku: expected another number (this one is for gift cards), found “milepost:gift-card”',
    ],
    [
      'a wrong check digit',
      `${HEADER}\n1001,0628451101001,Apples,Pommes,1,standard,produce,\n`,
      'catalog.csv:2  barcode: expected a number whose last digit is its check digit (no scanner reads this ' +
        'one), found “0628451101001”',
    ],
  ])('reports the line and the mistake of an invalid file: %s', (_name, text, expected) => {
    expect(complaint(text)).toBe(expected)
  })

  test('reports every invalid line in both languages, up to fifty lines', () => {
    const bad = (count: number): string =>
      [HEADER, ...Array.from({ length: count }, (_, index) => `S${index},,Name,Nom,free,standard,grocery,`)].join('\n')
    expect(complaint(bad(3)).split('\n')).toHaveLength(3)
    expect(complaint(bad(200)).split('\n')).toHaveLength(50)
    expect(complaint(bad(1), 'fr-CA')).toBe('catalog.csv:2  price : attendu des dollars tels que 6.99, trouvé « free »')
  })

  describe('a file longer than one read', () => {
    const line = (index: number, name: string): string =>
      `S${index},,Item ${name},Œufs « ${name} »,1.00,standard,grocery,`
    const LINES = 5_000
    const rows = Array.from({ length: LINES }, (_, index) => line(index, String(LINES - index).padStart(6, '0')))

    test('has all its items read completely, in the order of their English names', () => {
      const folder = temporaryFolder()
      const file = join(folder, 'catalog.csv')
      writeFileSync(file, [HEADER, ...rows].join('\n'))
      const loaded = loadCatalog(file)
      const items = 'items' in loaded ? loaded.items : []
      expect(items.map(({ sku }) => sku)).toEqual(rows.map((_, index) => `S${LINES - 1 - index}`))
      expect(items[0]?.name).toEqual({ 'en-CA': 'Item 000001', 'fr-CA': 'Œufs « 000001 »' })
      expect(new Set(items.map(({ name }) => name['fr-CA']?.replaceAll(/\d/g, '')))).toEqual(new Set(['Œufs «  »']))
    })

    test('has an error at its end reported with the right line', () => {
      expect(complaint([HEADER, ...rows, line(7, 'again')].join('\n'))).toBe(
        `catalog.csv:${LINES + 2}  sku S7 is already on line 9`,
      )
      expect(complaint([HEADER, ...rows, '"'].join('\n'))).toBe(
        `catalog.csv:${LINES + 2}  a quote opens here and never closes`,
      )
    })

    test('has its encoding detected even if only its end reveals it', () => {
      const late = Buffer.from('\nL1,,Coffee,Caf\u00e9,1.00,standard,grocery,', 'latin1')
      const plain = [HEADER, ...rows.map((row) => row.replaceAll(/[Œ«»]/g, ''))].join('\n')
      const folder = temporaryFolder()
      const file = join(folder, 'catalog.csv')
      writeFileSync(file, Buffer.concat([Buffer.from(plain), late]))
      const loaded = loadCatalog(file)
      expect('items' in loaded && loaded.items.find(({ sku }) => sku === 'L1')?.name['fr-CA']).toBe('Café')
    })

    test('with an invalid byte at its end is refused for this byte alone, although another line is wrong', () => {
      expect(
        complaint(Buffer.concat([Buffer.from([HEADER, 'S0,too,few', ...rows, 'L1'].join('\n')), Buffer.of(0x81)])),
      ).toBe(`catalog.csv:${LINES + 3}  neither UTF-8, UTF-16 nor Windows-1252 text; save the file as “CSV UTF-8”`)
    })
  })

  test('reports a missing file', () => {
    const loaded = loadCatalog('/no/such/catalog.csv')
    expect('errors' in loaded && formatCatalogErrors(loaded.errors)).toBe(
      '/no/such/catalog.csv  this catalog file does not exist',
    )
  })
})
