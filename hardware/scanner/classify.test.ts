import { expect, test } from 'vitest'
import { SaleId } from '../../contracts/core/ids.ts'
import { CardPatterns } from '../../contracts/core/profile.ts'
import type { Scan } from '../device.ts'
import { programCards } from '../msr/program-card.ts'
import { scanClassifier } from './classify.ts'

const cards = programCards(CardPatterns.parse({}))
const classify = scanClassifier(cards)
const scan = (text: string): Scan => classify(Buffer.from(text, 'latin1'))
const foreign = { kind: 'foreign-card' }

test.each([
  // ISO/IEC 15424 identifiers that checkout scanners send.
  [']E04006381333931', '4006381333931'],
  [']E00036000291452', '0036000291452'],
  [']E0036000291452', '0036000291452'],
  [']E496385074', '96385074'],
  [']E3400638133393112', '4006381333931'],
  ['4006381333931', '4006381333931'],
  ['036000291452', '0036000291452'],
  ['04252614', '0042100005264'],
  ['96385074', '96385074'],
  ['4006381333932', '4006381333932'],
  ['1001', '1001'],
  [']C0ABC-123', 'ABC-123'],
  [']A0SKU 7', 'SKU 7'],
  [']e00104006381333931', '4006381333931'],
  ['0104006381333931', '4006381333931'],
  // ITF-14 is used on cases, where its first digit is the packaging level; a shorter ITF is the store's own.
  [']I110614141000415', '10614141000415'],
  [']I104006381333931', '4006381333931'],
  [']I1123456', '123456'],
  // Letters and digits that are not a sale id are a coupon or a supplier's item code.
  [']C0SUMMER2026', 'SUMMER2026'],
  [']C0X001ABCDEF', 'X001ABCDEF'],
  [']C0004HQ3NIDBVD', '004HQ3NIDBVD'],
  ['004HQ3NIDBVD', '004HQ3NIDBVD'],
])('the barcode %s is read as item %s', (bytes, code) => {
  expect(scan(bytes)).toEqual({ kind: 'item', code })
})

test.each([
  [']C080000000011'],
  ['80000000011'],
  [']I1080000000011'],
  [']Q180000000011'],
  [';80000000011=4912101?'],
  [']L0;80000000011=4912101?'],
  ['%B80000000011^DOE/JANE^4912?'],
  ['%E?;80000000011=4912?'],
])('the barcode %s is read as a collector number', (bytes) => {
  expect(scan(bytes)).toEqual({ kind: 'collector', collectorNumber: '80000000011' })
})

test('an EAN or UPC barcode is never read as a collector number', () => {
  expect(scan(']E0080000000011')).not.toHaveProperty('collectorNumber')
  expect(scan(']E080000000011')).toEqual({ kind: 'unknown', code: '80000000011' })
  expect(scan(']e080000000011')).toEqual({ kind: 'unknown', code: '80000000011' })
})

test('a sale id is read as a receipt in Code 128 and in an unknown symbology', () => {
  expect(scan(']C0N1010100000042K7QZ')).toEqual({ kind: 'receipt', saleId: 'N1010100000042K7QZ' })
  expect(scan('N1010100000042K7QZ')).toEqual({ kind: 'receipt', saleId: 'N1010100000042K7QZ' })
  // A sale id with sixteen digits that a card scheme might issue is still a receipt.
  expect(scan(']C0Q4111111111111111')).toEqual({ kind: 'receipt', saleId: 'Q4111111111111111' })
  expect(SaleId.safeParse('N1010100000042K7QZ').success).toBe(true)
  expect(scan(']A0N1010100000042K7QZ')).toEqual({ kind: 'item', code: 'N1010100000042K7QZ' })
  expect(scan(']C01234567890')).toEqual({ kind: 'item', code: '1234567890' })
})

test('an EAN with a wrong check digit is reported as unknown', () => {
  expect(scan(']E04006381333932')).toEqual({ kind: 'unknown', code: '4006381333932' })
})

test('an unknown scan is shown with a dot in place of each character outside printable ASCII', () => {
  expect(scan(']Q1https://example.com/p?id=1')).toEqual({ kind: 'unknown', code: 'https://example.com/p?id=1' })
  const odd = scan('caf\xc3\xa9\x1d1')
  expect(odd).toEqual({ kind: 'unknown', code: 'caf···1' })
})

test.each([
  [';4111111111111111=4912101?'],
  ['%B4111111111111111^DOE/JANE^4912?'],
  [';4111111111111111=4912'],
  ['4111111111111111'],
  ['4111 1111 1111 1111'],
  ['4111-1111-1111-1111'],
  ['378282246310005'],
  [']C05555555555554444'],
  [']Q1PAN:6011111111111117;EXP'],
  ['%E?;4111111111111111=4912?'],
  [';1234567890123=99?'],
  ['B4111111111111111'],
  [';E?'],
  ['%B3782 822463 10005^DOE/JANE^4912?'],
  [';80000000019=4111111111111111?'],
  ['12 4111 1111 1111 1111'],
  ['7-3782 822463 10005'],
])('the scan %s is recognised as a payment card, and its data is dropped', (bytes) => {
  expect(scan(bytes)).toEqual(foreign)
})

test.each([['4111111111111112'], [']C1010400638133393110ABC'], ['4006381333931'], ['9912345678901239']])(
  'the scan %s is not taken for a payment card',
  (bytes) => {
    expect(scan(bytes).kind).toBe('item')
  },
)

test.each([
  // Element strings from GS1 General Specifications §7.8 and figures 2.1.11; GS represents FNC1.
  [']C10109506000134352', { code: '9506000134352' }],
  // GS1 allows the same element twice.
  [']C101095060001343520109506000134352', { code: '9506000134352' }],
  [']C1010950600013435210ABC\x1d1714112010ABC', { code: '9506000134352', lot: 'ABC', expiry: '2014-11-20' }],
  [']C101095060001343521614112015150100', { code: '9506000134352', expiry: '2014-11-20' }],
  [']C1010950600013435215141100', { code: '9506000134352', expiry: '2014-11-30' }],
  [']C101095060001343521714112010ABC123\x1d', { code: '9506000134352', lot: 'ABC123', expiry: '2014-11-20' }],
  [']d20195012345678903392212\x1d', { code: '95012345678903', measure: { kind: 'price', cents: 12 } }],
  [']d201950123456789033922150\x1d', { code: '95012345678903', measure: { kind: 'price', cents: 150 } }],
  [']Q301950123456789033103001750', { code: '95012345678903', measure: { kind: 'weight', grams: 1750 } }],
  [']e001950123456789033201000015392203991', { code: '95012345678903', measure: { kind: 'price', cents: 3991 } }],
  [']e00195012345678903320100001539220399', { code: '95012345678903', measure: { kind: 'price', cents: 399 } }],
  [
    ']e001950123456789033201000015',
    { code: '95012345678903', measure: { kind: 'weight', grams: 680, poundThousandths: 1500 } },
  ],
  ['\x1d0195012345678903393212401299', { code: '95012345678903', measure: { kind: 'price', cents: 1299 } }],
])('the GS1 element string %j is read as %j', (text, expected) => {
  expect(scan(text)).toEqual({ kind: 'item', ...expected })
})

test.each([
  // The North American coupon code in DataBar, and a coupon number of UPC-A.
  [']e0811010614141654321350011000003991231', { code: '811010614141654321350011000003991231' }],
  [']E0514141100906', { code: '0514141100906' }],
  // Examples of the GS1 Digital Link URI syntax, §4: any domain, a path before the key, qualifiers after it, attributes
  // in the query.
  [']Q1https://id.gs1.org/01/09506000134352', { code: '9506000134352' }],
  ['https://id.gs1.org/01/09506000134352', { code: '9506000134352' }],
  [
    ']d1http://store.example/a/b/01/9506000134352/10/ABC%2F1?17=141120',
    { code: '9506000134352', lot: 'ABC/1', expiry: '2014-11-20' },
  ],
  [
    `]Q1https://example.com/01/09506000134352/22/2A/10/ABC/21/777?17=141120&linkType=gs1:pip&x=${'y'.repeat(60)}`,
    { code: '9506000134352', lot: 'ABC', expiry: '2014-11-20' },
  ],
  [
    ']Q1https://example.com/01/95012345678903?3103=001750',
    { code: '95012345678903', measure: { kind: 'weight', grams: 1750 } },
  ],
  [']Q1HTTPS://EXAMPLE.COM/01/00000096385074', { code: '96385074' }],
])('the coupon code or GS1 Digital Link %s is classified as the code of an item', (text, expected) => {
  expect(scan(text)).toEqual({ kind: 'item', ...expected })
})

test.each([
  ['no GTIN', ']Q1https://example.com/10/ABC'],
  ['a wrong check digit', ']Q1https://example.com/01/09506000134353'],
  ['the weight missing', ']Q1https://example.com/01/95012345678903'],
  ['a half percent sign', ']Q1https://example.com/01/09506000134352/10/%E'],
  ['two GTINs', ']Q1https://example.com/01/09506000134352?01=12345678901231'],
])('a web address with %s is read as unknown', (_what, text) => {
  expect(scan(text).kind).toBe('unknown')
})

test.each([
  ['a piece of variable measure without its measure', ']C10195012345678903'],
  ['a price in another currency', ']C10195012345678903393284001299'],
  ['a wrong check digit', ']C10109506000134353'],
  ['an identifier twice with two values', ']C101095060001343520112345678901231'],
  ['a lot twice with two values', ']C1010950600013435210ABC\x1d10ABD'],
  ['a date cut off', ']C101095060001343521714'],
  ['no item at all', ']C110ABC'],
])('the GS1 element string of %s is read as unknown', (_what, text) => {
  expect(scan(text).kind).toBe('unknown')
})

test('a scan with a payment card number as its lot or serial number is classified as a payment card', () => {
  expect(scan(']C10109506000134352104111111111111111')).toEqual(foreign)
  expect(scan(']C1214111111111111111')).toEqual(foreign)
  expect(scan(']C14111111111111111')).toEqual(foreign)
  expect(scan(']Q1https://example.com/01/09506000134352/21/4111111111111111')).toEqual(foreign)
})

test('a long unknown scan is cut before a run of digits, never within it', () => {
  const long = scan(`]Q1${'x'.repeat(70)} 41111111111111121222222222222`)
  expect(long).toEqual({ kind: 'unknown', code: `${'x'.repeat(70)} …` })
})

test('the QR code of an enrolment sheet is recognised even if the fingerprint in it contains a card number', () => {
  const ticket =
    'milepost-enrol:https://store.example:8443?code=WG6QB-5YH6B-3AS1A-N8R7P&certificate=' +
    '4111111111111111f65eff3cbdfd4e680a7fb0aaccfecdfda12fabd4f3c628ab'
  for (const bytes of [ticket, `]Q1${ticket}`]) expect(scan(bytes)).toEqual({ kind: 'enrolment', ticket })
  expect(scan(ticket.slice(0, 60))).not.toMatchObject({ kind: 'enrolment' })
})
