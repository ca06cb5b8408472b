import { expect, test } from 'vitest'
import { CardPatterns } from '../../contracts/core/profile.ts'
import { programCards } from '../msr/program-card.ts'
import { scanClassifier } from './classify.ts'
import { findElements, gs1Item, valuesOf } from './gs1.ts'

/**
 * Test vectors of GS1's own Syntax Engine (github.com/gs1/gs1-syntax-engine, commit 50657dbd, Apache License 2.0):
 * `test_ai_processAIdata` of ai.c, in which `^` is FNC1, and `test_scandata_processScanData` of scandata.c. See
 * docs/decisions/0006-our-own-reader-of-gs1-codes.md.
 */
/** Element strings that the Syntax Engine and this program accept. */
const ACCEPTED = [
  '^991234',
  '^0112345678901231',
  '^0112345678901231^',
  '^0112345678901231991234',
  '^0112345678901231^991234',
  '^2421',
  '^24212',
  '^242123',
  '^2421234',
  '^24212345',
  '^242123456',
  '^242123456^10ABC123',
  '^242123456^',
  '^81111234',
  '^81111234^10ABC123',
  '^800112341234512398',
  '^800112341234512398^0112345678901231',
  '^7007211225211231',
  '^7007211225',
  '^800302112345678900ABC',
  '^800302112345678900',
  '^800302112345678900^10ABC123',
  '^800302112345678900ABCDEFGHIJKLMNOP',
  '^7230121234567890123456789012345678',
  '^7230123',
  '^235ABC',
  '^235ABCDEFGHIJKLMNOPQRSTUVWXYZ12',
  '^0112345678901231235XYZ',
  '^0112345678901231235XYZ^10BATCH',
  '^423528',
  '^423528528',
  '^423528528528',
  '^423528528528528',
  '^423528528528528528',
]

/** Element strings that the Syntax Engine and this program refuse. */
const REFUSED = [
  '^',
  '^891234',
  '^01A2345678901231',
  '^011234567890123A',
  '^011234567890123',
  '^01123456789012312',
  '^011234567890123^',
  '^01123456789012345^',
  '^01123456789012345^991234',
  '^8001123412345123981^01123456789012312',
  '^423',
  '^891234',
]

/**
 * Element strings that only the Syntax Engine refuses, because of the contents of one value that a lane does not use.
 */
const ONLY_REFUSED_BY_GS1 = [
  '^99~ABC',
  '^99ABC~',
  '^0112345678901234',
  '^2421234567',
  '^8111123',
  '^811112345',
  '^80011234123451239',
  '^8001123412345123981',
  '^80011234123451239^0112345678901231',
  '^70072112252',
  '^700721122521',
  '^7007211225211',
  '^70072112252112',
  '^700721122521123',
  '^70072112252212311',
  '^800302112345678901ABC',
  '^800302112345678900ABCDEFGHIJKLMNOPQ',
  '^72301212345678901234567890123456789',
  '^723012',
  '^235ABCDEFGHIJKLMNOPQRSTUVWXYZ123',
  '^4235',
  '^42352',
  '^4235285',
  '^42352852',
  '^4235285285',
  '^42352852852',
  '^4235285285285',
  '^42352852852852',
  '^4235285285285285',
  '^42352852852852852',
  '^4235285285285285285',
]

/** Scans of the symbologies of goods, and the item that a lane reads; null: none. */
const SCANS: readonly (readonly [string, string | null])[] = [
  [']e0', null],
  [']Q3', null],
  [']Q3011231231231233310ABC123\x1d99TESTING', '12312312312333'],
  [']d2', null],
  [']d2011231231231233310ABC123\x1d99TESTING', '12312312312333'],
  [']e0', null],
  [']e0011231231231233310ABC123\x1d99TESTING', '12312312312333'],
  [']e0011231231231233310ABC123\x1d99TESTING\x1d98XYZ', '12312312312333'],
  [']e0011231231231233310ABC123\x1d1199122598TESTING\x1d97XYZ', '12312312312333'],
  [']e00112312312312333235XYZ\x1d10ABC', '12312312312333'],
  [']C1', null],
  [']C1011231231231233310ABC123\x1d99TESTING', '12312312312333'],
  [']C10112312312312333235XYZ', '12312312312333'],
  [']C10112312312312333235XYZ\x1d10ABC', '12312312312333'],
  [']E0', null],
  [']E0123456789012', '0123456789012'],
  [']E012345678901234', null],
  [']E01234ABC890123', null],
  [']E02112345678901', null],
  [']E02112345678900', '2112345678900'],
  [']E4', null],
  [']E41234567', null],
  [']E4123456789', null],
  [']E412ABC678', null],
  [']E402345674', null],
  [']E402345673', '02345673'],
  [']C101123123123133^10ABC', null],
]

const read = (vector: string) => {
  const data = Buffer.from(vector.replaceAll('^', '\x1d'), 'latin1')
  const elements = findElements(data)
  return elements && valuesOf(data, elements)
}

test.each(ACCEPTED)('the reader accepts the element string %s, as the GS1 Syntax Engine does', (vector) => {
  expect(read(vector)).not.toBeNull()
})

test.each(REFUSED)('the reader refuses the element string %s, as the GS1 Syntax Engine does', (vector) => {
  expect(read(vector)).toBeNull()
})

test.each(ONLY_REFUSED_BY_GS1)(
  'at most a valid GTIN is read from the element string %s, which only the GS1 Syntax Engine refuses',
  (vector) => {
    const values = read(vector)
    expect(values).not.toBeNull()
    const isSold = vector.endsWith('^0112345678901231')
    expect(values && gs1Item(values, 2026)).toEqual(
      isSold ? { gtin: '12345678901231', measure: null, lot: null, expiry: null } : null,
    )
  },
)

test.each(SCANS)('the scan %j, a test of the GS1 Syntax Engine, is read as item %s (null: no item)', (scan, code) => {
  const classify = scanClassifier(programCards(CardPatterns.parse({})))
  const found = classify(Buffer.from(scan, 'latin1'))
  expect(found.kind === 'item' ? found.code : null).toBe(code)
})
