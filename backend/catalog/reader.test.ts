import { isAscii, isUtf8 } from 'node:buffer'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CatalogEncoding } from '../../contracts/catalog/catalog.ts'
import { temporaryFolder } from '../core/http/testing.ts'
import { CATALOG_HEAD, openCatalogFixture } from './catalog.fixture.ts'
import { stageCatalog, type Staged } from './editions/load.ts'
import { openStaging, type StagedItem } from './editions/staging.ts'

function read(bytes: Uint8Array): { staged: Staged; items: StagedItem[] } {
  const file = join(temporaryFolder(), 'catalog.csv')
  writeFileSync(file, bytes)
  const staging = openStaging()
  try {
    const staged = stageCatalog(file, staging, { timeZone: 'America/Toronto', countsAll: true })
    return { staged, items: 'errors' in staged ? [] : [...staging.alphabetical()] }
  } finally {
    staging.close()
  }
}

const SIGNS_1252: Readonly<Record<string, number>> = { '€': 0x80, Œ: 0x8c, œ: 0x9c, '’': 0x92, '“': 0x93, '”': 0x94 }
const ENCODERS: Readonly<Record<CatalogEncoding, (text: string) => Buffer>> = {
  'utf-8': (text) => Buffer.from(text),
  'utf-8-bom': (text) => Buffer.from(`\uFEFF${text}`),
  'utf-16le': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'utf-16be': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
  'windows-1252': (text) => Buffer.from([...text].map((sign) => SIGNS_1252[sign] ?? sign.charCodeAt(0))),
}
const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`

test('a catalog file of arbitrary bytes is read, or refused with a message', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 400 }),
        fc.string({ unit: 'binary', maxLength: 200 }).map((text) => Buffer.from(`${CATALOG_HEAD}\n${text}`)),
        fc
          .tuple(fc.constantFrom(...Object.values(ENCODERS)), fc.nat(), fc.integer({ min: 0, max: 255 }))
          .map(([encoded, at, byte]) => {
            const bytes = encoded(`${CATALOG_HEAD}\nA1,,Tea,Thé,1.00,standard,grocery,\n`)
            bytes[at % bytes.length] = byte
            return bytes
          }),
      ),
      (bytes) => {
        const { staged, items } = read(bytes)
        const translated =
          'errors' in staged ? staged.errors.filter(({ messages }) => messages['fr-CA'] !== '').length : 0
        const good = 'errors' in staged ? 0 : staged.items
        expect(translated > 0).toBe('errors' in staged)
        expect(items.length).toBe(good)
      },
    ),
    { numRuns: 300 },
  )
})

test('random cells of a catalog file are read as they were written, in every encoding, with every separator', () => {
  const sign = fc.constantFrom(...'abcXYZ 0189éàçÉÎ’œŒ€"“,;.-/&')
  const name = fc
    .array(sign, { minLength: 1, maxLength: 40 })
    .map((signs) => signs.join('').trim())
    .filter((text) => text !== '')
  const row = fc.record({ english: name, french: name, priceCents: fc.nat(9_999_999) })
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 12 }),
      fc.constantFrom(...(Object.keys(ENCODERS) as CatalogEncoding[])),
      fc.constantFrom(',', ';', '\t'),
      (rows, encoding, separator) => {
        const lines = rows.map(({ english, french, priceCents }, index) =>
          [`S${index}`, '', quoted(english), quoted(french), (priceCents / 100).toFixed(2), 'standard', 'x', ''].join(
            separator,
          ),
        )
        const text = [CATALOG_HEAD.replaceAll(',', separator), ...lines].join('\r\n')
        const bytes = ENCODERS[encoding](text)
        // Some texts in Windows-1252 are also valid UTF-8 ("É€" is "ɀ"), so that both readings are right.
        const isAmbiguous = encoding === 'windows-1252' && isUtf8(bytes)
        fc.pre(!isAmbiguous || isAscii(bytes))
        const { staged, items } = read(bytes)
        expect(staged).toMatchObject({ encoding: isAmbiguous ? 'utf-8' : encoding })
        const found = new Map(items.map((item) => [item.sku, item]))
        for (const [index, { english, french, priceCents }] of rows.entries())
          expect(found.get(`S${index}`)).toMatchObject({ name: { 'en-CA': english, 'fr-CA': french }, priceCents })
      },
    ),
    { numRuns: 60 },
  )
})

test('a dropped import of a file with a random row changes nothing in the catalog', async () => {
  const { catalog, imports, compared, everything, file } = await openCatalogFixture()
  await catalog.open(file(['1,0628451101512,Milk,Lait,5.49,zero-rated,dairy,', '2,,Soap,Savon,2.00,standard,care,']))
  const before = everything()
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: 9 }),
      fc.nat(5),
      async (cells, at) => {
        const good = Array.from({ length: 5 }, (_, index) => `G${index},,Good,Bon,1.00,standard,x,`)
        const lines = good.toSpliced(at, 0, cells.map(quoted).join(','))
        const shown = await compared([CATALOG_HEAD, ...lines].join('\n'))
        // A dropped import cannot be applied, whether its file has errors or not.
        imports.drop(shown.id)
        expect(() => imports.apply(shown.id, 'sam')).toThrow('catalog-import-gone')
        expect(everything()).toEqual(before)
      },
    ),
    { numRuns: 40 },
  )
})
