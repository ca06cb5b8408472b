import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import { temporaryFolder } from '../http/testing.ts'
import { fileMessages, type FileMessageKey } from '../i18n.ts'
import { editDistance } from './profile-issues.ts'
import { checkCatalogNames, formatProfileErrors, loadProfile } from './profile.ts'

const STORES = join(import.meta.dirname, '../../..', 'stores')
const training = readFileSync(join(STORES, 'training.yaml'), 'utf8')
const production = readFileSync(join(STORES, 'example.yaml'), 'utf8')

function edit(text: string, from: string | RegExp, to: string): string {
  const edited = text.replace(from, to)
  if (edited === text) throw new Error(`nothing in the profile matches ${String(from)}`)
  return edited
}

function complaint(text: string, locale: 'en-CA' | 'fr-CA' = 'en-CA'): string {
  const folder = temporaryFolder()
  const file = join(folder, 'store.yaml')
  writeFileSync(file, text)
  const loaded = loadProfile(file)
  if ('profile' in loaded) return 'accepted'
  return formatProfileErrors(loaded.errors, locale).replaceAll(`${folder}/`, '')
}

describe('a valid profile', () => {
  test('such as the example store’s or the training store’s is loaded with its defaults', () => {
    const example = loadProfile(join(STORES, 'example.yaml'))
    expect(example).toMatchObject({ profile: { mode: 'production', region: 'QC', limits: { cashTimeoutMs: 8000 } } })
    const trainingStore = loadProfile(join(STORES, 'training.yaml'))
    expect(trainingStore).toMatchObject({
      profile: { mode: 'training', lanes: [{ id: '01', devices: { printer: { columns: 42 } } }] },
    })
  })

  test('may have a byte order mark and Windows line ends', () => {
    expect(complaint(`\uFEFF${training.replaceAll('\n', '\r\n')}`)).toBe('accepted')
  })

  test.each(['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080', 'http://offers.example'])(
    'may use the service %s in training mode, but not in production',
    (url) => {
      const services = (profile: string): string => edit(profile, 'https://offers.cert.example', url)
      expect(complaint(services(production))).toContain('expected an https address in a production profile')
      expect(complaint(`${production}updates: { url: "http://127.0.0.1:8080/" }\n`)).toContain('updates.url')
      expect(complaint(services(edit(production, 'mode: production', 'mode: training')))).toBe('accepted')
    },
  )
})

test.each([
  [
    'taxes of the region at other rates',
    `${production}taxes: [{ code: GST, percent: 6 }, { code: QST, percent: 10 }]\n`,
  ],
  ['no taxes, and no tax numbers', edit(production, /  taxNumbers.*\n/, '') + 'taxes: []\n'],
  ['tax numbers with spaces and hyphens', edit(production, '123456789 RT0001', '123 456 789 RT-0001')],
  ['both tax numbers on one line', edit(production, '0001", "TVQ', '0001, TVQ')],
  ['a number of another tax', edit(production, 'taxNumbers: [', 'taxNumbers: ["PST-1234-5678", ')],
  ['a host by its name', edit(production, 'host: 192.0.2.40', 'host: printer-1.lan')],
  ['a host by its address of IPv6', edit(production, 'host: 192.0.2.40', 'host: "fe80::1"')],
  ['a catalog below the profile', edit(training, 'file: training-catalog.csv', 'file: x/../lists/catalog.csv')],
] as const)('a profile with unusual but correct values is accepted: %s', (_name, text) => {
  expect(complaint(text)).toBe('accepted')
})

test.each(['../catalog.csv', 'x/../../catalog.csv', 'C:\\catalog.csv', '\\\\server\\catalog.csv'])(
  'a profile with the catalog %s outside its folder is rejected',
  (file) => {
    expect(complaint(edit(training, 'file: training-catalog.csv', `file: '${file}'`))).toContain('outside')
  },
)

test.each(['192.0.2.40:9100', '192.0.2.999', '1.2.3', 'tcp://printer', 'printer 1', '[fe80::1]', ''])(
  'a profile with the device host “%s” is rejected',
  (host) => {
    expect(complaint(edit(production, 'host: 192.0.2.40', `host: "${host}"`))).toContain('connection.host')
  },
)

const GOLDEN: [string, string, string][] = [
  [
    'a misspelt key',
    edit(training, 'region: ON', 'regoin: ON'),
    'store.yaml:10:1  regoin: this setting does not exist here. Did you mean “region”?',
  ],
  [
    'a misspelt key deep inside a device',
    edit(production, 'baudRate: 9600', 'baudrate: 9600'),
    'store.yaml:26:87  lanes[0].devices.cardReader.connection.baudrate: this setting does not exist here. Did you ' +
      'mean “baudRate”?',
  ],
  [
    'a key that means nothing',
    edit(training, 'phone: 416', 'speed: fast\n  phone: 416'),
    'store.yaml:8:3  store.speed: this setting does not exist here. Known settings: id, name, address, phone, ' +
      'taxNumbers, giftCardsBuyGiftCards, voucherReserveDollars, voucherLeaseHours',
  ],
  [
    'a misspelt key in an account of a department',
    `${training}accounting: { departments: { pets: { code: "4010", nmae: Pets } } }\n`,
    'store.yaml:117:52  accounting.departments.pets.nmae: this setting does not exist here. Did you mean “name”?',
  ],
  [
    'a number where text is wanted',
    edit(training, 'id: TRAIN-001', 'id: 4417'),
    'store.yaml:5:7  store.id: expected text, found the number 4417. Put it in quotes: "4417"',
  ],
  [
    'a lane number without its quotes',
    edit(training, 'id: "01"', 'id: 01'),
    'store.yaml:23:9  lanes[0].id: expected text, found the number 01. Put it in quotes: "01"',
  ],
  [
    'a lane number of another form',
    edit(training, 'id: "01"', 'id: "1"'),
    'store.yaml:23:9  lanes[0].id: expected two digits in quotes, e.g. "01", found “1”',
  ],
  [
    'text where a number is wanted',
    edit(production, 'port: 9100', 'port: "9100"'),
    'store.yaml:28:67  lanes[0].devices.printer.connection.port: expected a number, found “9100”. Remove the quotes',
  ],
  [
    'a value outside the list',
    edit(training, 'region: ON', 'region: Ontario'),
    'store.yaml:10:9  region: expected one of BC, AB, SK, MB, ON, QC, TB, NB, NS, PE, NL, NT, NU, YT, ZZ, ' +
      'found “Ontario”',
  ],
  [
    'an unknown time zone',
    edit(training, 'America/Toronto', 'Toronto'),
    'store.yaml:11:11  timeZone: expected an IANA time zone, e.g. America/Toronto, found “Toronto”',
  ],
  [
    'a time zone without rules',
    edit(training, 'America/Toronto', '"+05:00"'),
    'store.yaml:11:11  timeZone: unknown time zone “+05:00”; expected an IANA one, e.g. America/Toronto',
  ],
  [
    'a time zone of the region without its daylight saving',
    edit(training, 'America/Toronto', 'EST'),
    'store.yaml:11:11  timeZone: expected a time zone of ON with its daylight saving: ' +
      'America/Toronto, America/Winnipeg, America/Thunder_Bay, America/Nipigon, America/Rainy_River, ' +
      'America/Atikokan; found “EST”',
  ],
  [
    'a time zone of another province',
    edit(production, 'America/Toronto', 'America/Regina'),
    'store.yaml:11:11  timeZone: expected a time zone of QC with its daylight saving: ' +
      'America/Toronto, America/Montreal, America/Halifax, America/Blanc-Sablon; found “America/Regina”',
  ],
  [
    'reader and scanner on one COM port, however it is written',
    edit(edit(production, '/dev/serial/by-id/usb-scanner-if00', 'com3'), '/dev/serial/by-id/usb-msr-if00', 'COM3'),
    'store.yaml:27:52  lanes[0].devices.scanner.connection.path: com3 is already used by the cardReader; each ' +
      'device needs its own connection',
  ],
  [
    'reader and scanner on one wire',
    edit(production, 'usb-scanner-if00', 'usb-msr-if00'),
    'store.yaml:27:52  lanes[0].devices.scanner.connection.path: /dev/serial/by-id/usb-msr-if00 is already ' +
      'used by the cardReader; each device needs its own connection',
  ],
  [
    'a device on an unknown wire',
    edit(production, 'kind: tcp, host', 'kind: usb, host'),
    'store.yaml:28:38  lanes[0].devices.printer.connection.kind: expected one of serial, tcp, virtual, file, ' +
      'found “usb”',
  ],
  [
    'paper of another width',
    edit(production, 'columns: 42', 'columns: 40'),
    'store.yaml:28:84  lanes[0].devices.printer.columns: expected one of 32, 42, 48, found the number 40',
  ],
  [
    'an address without its scheme',
    edit(production, 'https://offers.cert.example', 'offers.cert.example'),
    'store.yaml:30:11  endpoints.offers: expected an http or https address, found “offers.cert.example”',
  ],
  [
    'a proxy with a path',
    edit(production, '\n  token:', '\n  proxy: http://proxy.example:3128/path\n  token:'),
    'store.yaml:33:10  endpoints.proxy: expected the http address of a proxy, e.g. http://proxy.example:3128, ' +
      'found “http://proxy.example:3128/path”',
  ],
  [
    'a proxy without its scheme',
    edit(production, '\n  token:', '\n  proxy: proxy.example:3128\n  token:'),
    'store.yaml:33:10  endpoints.proxy: expected the http address of a proxy, e.g. http://proxy.example:3128, ' +
      'found “proxy.example:3128”',
  ],
  [
    'a card pattern that could freeze the lane',
    edit(production, 'program:\n', 'program:\n  cards: { track2: "^;(8\\\\d{10}|(?:8\\\\d*)*)=" }\n'),
    'store.yaml:14:20  program.cards.track2: this pattern could freeze the lane: begin with ^, use one * or +, ' +
      'repeat fixed text only',
  ],
  [
    'half a millisecond',
    `${training}limits: { cashTimeoutMs: 0.5 }\n`,
    'store.yaml:117:26  limits.cashTimeoutMs: expected a whole number, found the number 0.5',
  ],
  [
    'a negative time',
    `${training}limits: { cashTimeoutMs: -5 }\n`,
    'store.yaml:117:26  limits.cashTimeoutMs: expected at least 1, found the number -5',
  ],
  [
    'a setting left empty',
    edit(training, 'region: ON', 'region:'),
    'store.yaml:10:8  region: expected one of BC, AB, SK, MB, ON, QC, TB, NB, NS, PE, NL, NT, NU, YT, ZZ, ' +
      'found nothing',
  ],
  [
    'a missing setting',
    edit(production, '    deviceId: Q417-01\n', ''),
    'store.yaml:23:5  lanes[0].deviceId: missing; expected text',
  ],
  [
    'a missing section',
    edit(training, /catalog:\n(?: {2}.*\n)+/, ''),
    'store.yaml:1:1  catalog: missing; expected a group of settings',
  ],
  [
    'no lane at all',
    edit(training, /lanes:[\s\S]*?\ncatalog/, 'lanes: []\ncatalog'),
    'store.yaml:22:1  lanes: expected at least 1 entry, found an empty list',
  ],
  [
    'a group where a list is wanted',
    edit(training, /staff:\n[\s\S]*?training:/, 'staff:\n  alex: cashier\ntraining:'),
    'store.yaml:67:1  staff: expected a list, found a group of settings',
  ],
  ['the same key twice', `${training}region: QC\n`, 'store.yaml:117:1  this key is used here for the second time'],
  ['a tab', edit(training, '  id: TRAIN', '\tid: TRAIN'), 'store.yaml:5:1  a tab is used where YAML requires spaces'],
  [
    'a line with wrong indentation',
    edit(training, '  name: Milepost', '   name: Milepost'),
    'store.yaml:5:7  this line, or the one before it, is not indented like its neighbours',
  ],
  [
    'a bracket that stays open',
    edit(production, 'clientId: northstar-q417 }', 'clientId: northstar-q417'),
    'store.yaml:34:1  a bracket was opened before this and not closed; expected }',
  ],
  [
    'two documents in one file',
    `${training}---\nmode: training\n`,
    'store.yaml:117:1  a second document starts here (“---”); a profile is one',
  ],
  [
    'a list',
    '- one\n- two\n',
    'store.yaml:1:1  expected settings as “key: value” lines; start from stores/example.yaml',
  ],
  ['nothing but a comment', '# to do\n', 'store.yaml:1:1  the profile is empty; start from stores/example.yaml'],
  [
    'the same person twice',
    edit(training, 'id: marie', 'id: alex'),
    'store.yaml:69:11  staff[1].id: “alex” is used twice; each must be unique',
  ],
  [
    'a store without a manager',
    edit(production, 'role: manager', 'role: supervisor'),
    'store.yaml:55:1  staff: no person has role: manager; one must close the day, work the queue and unlock ' + 'PINs',
  ],
  [
    'a production store without services',
    edit(production, /endpoints:[\s\S]*?\ncatalog/, 'catalog'),
    'store.yaml:1:1  endpoints: missing: a production profile has offers, issuance, cash and token ' + 'addresses',
  ],
  [
    'a production store on plain http',
    edit(production, 'https://offers', 'http://offers'),
    'store.yaml:30:11  endpoints.offers: expected an https address in a production profile',
  ],
  [
    'a virtual printer in a production store',
    edit(production, 'kind: tcp, host: 192.0.2.40, port: 9100', 'kind: virtual'),
    'store.yaml:28:38  lanes[0].devices.printer.connection.kind: a virtual device exists in training mode ' +
      'only; expected serial or tcp',
  ],
  [
    'a PIN in a production profile',
    edit(production, 'role: manager,', 'role: manager, trainingPin: "1234",'),
    'store.yaml:56:66  staff[0].trainingPin: PINs are for training profiles only; remove it, use set-pin ' +
      '(docs/lane.md)',
  ],
  [
    'partner mode without rules',
    `${production}issuance: { mode: partner }\n`,
    'store.yaml:77:1  issuance.rules: missing: in partner mode the lane calculates the miles, and needs at ' +
      'least one rule',
  ],
  [
    'unused rules',
    `${production}issuance:\n  rules: [{ kind: item, offerCode: X, miles: 5, sku: "1010" }]\n`,
    'store.yaml:78:3  issuance.rules: rules are for partner mode only; remove them, or set mode: partner',
  ],
  [
    'miles by amount without rounding',
    `${production}issuance:\n  mode: partner\n  rules:\n    - { kind: base, offerCode: X, miles: 1, perDollars: 5 }\n`,
    'store.yaml:80:7  issuance.rules[0].rounding: missing; expected one of whole-steps, down, nearest, up',
  ],
  [
    'a rule of an unknown kind',
    `${production}issuance:\n  mode: partner\n  rules:\n    - { kind: brand, offerCode: X, miles: 1 }\n`,
    'store.yaml:80:15  issuance.rules[0].kind: expected one of base, item, category, department, coupon, found “brand”',
  ],
  [
    'half a cent',
    `${production}issuance:\n  mode: partner\n  rules:\n    - { kind: base, offerCode: X, miles: 1, ` +
      `perDollars: 0.125, rounding: down }\n`,
    'store.yaml:80:57  issuance.rules[0].perDollars: expected dollars and whole cents, e.g. 4.99, found the ' +
      'number 0.125',
  ],
  [
    'a rule that ends before it begins',
    `${production}issuance:\n  mode: partner\n  rules:\n    - { kind: item, offerCode: X, miles: 1, sku: "1", ` +
      `from: 2026-12-01, until: 2026-11-30 }\n`,
    'store.yaml:80:80  issuance.rules[0].until: the last day, 2026-11-30, is before the first, 2026-12-01',
  ],
  [
    'an invalid date',
    `${production}issuance:\n  mode: partner\n  rules:\n    - { kind: item, offerCode: X, miles: 1, sku: "1", ` +
      `from: 2026-02-30 }\n`,
    'store.yaml:80:61  issuance.rules[0].from: expected a day such as 2026-11-30, found “2026-02-30”',
  ],
  [
    'a path without its slash',
    `${production}issuance: { paths: { post: checkout/post } }\n`,
    'store.yaml:77:28  issuance.paths.post: expected a path that starts with /, found “checkout/post”',
  ],
  [
    'a coupon of a share and an amount',
    edit(training, 'dollars: 2, sku', 'dollars: 2, percent: 5, sku'),
    'store.yaml:50:111  coupons[0].dollars: a coupon has percent or dollars, not both; remove one',
  ],
  [
    'a coupon of more than 100 per cent',
    edit(training, 'percent: 10,', 'percent: 101,'),
    'store.yaml:51:87  coupons[1].percent: expected at most 100, found the number 101',
  ],
  [
    'two coupons of one code',
    edit(training, 'code: HOUSE10', 'code: coffee2'),
    'store.yaml:51:13  coupons[1].code: “COFFEE2” is used twice; each must be unique',
  ],
  [
    'a coupon that a scanner takes for a member card',
    edit(training, 'code: HOUSE10', 'code: "80000000011"'),
    'store.yaml:51:13  coupons[1].code: a scanner reads this code as a card, badge, voucher or control; use ' +
      'another code',
  ],
  [
    'a coupon that a scanner takes for a staff badge',
    edit(training, 'code: HOUSE10', 'code: STAFF-A10001'),
    'store.yaml:51:13  coupons[1].code: a scanner reads this code as a card, badge, voucher or control; use ' +
      'another code',
  ],
  [
    'a coupon that ends before it begins',
    edit(training, 'minimumDollars: 20', 'from: 2026-12-01, until: 2026-11-30'),
    'store.yaml:51:139  coupons[1].until: the last day, 2026-11-30, is before the first, 2026-12-01',
  ],
  [
    'updates over plain http in a production store',
    `${production}updates: { url: "http://updates.example/" }\n`,
    'store.yaml:77:17  updates.url: expected an https address in a production profile',
  ],
  [
    'a host with a port',
    edit(production, 'host: 192.0.2.40', 'host: 192.0.2.40:9100'),
    'store.yaml:28:49  lanes[0].devices.printer.connection.host: expected the name or address of a host without a ' +
      'port, e.g. printer-1 or 192.0.2.40, found “192.0.2.40:9100”',
  ],
  [
    'a host that is no address',
    edit(production, 'host: 192.0.2.40', 'host: 192.0.2.999'),
    'store.yaml:28:49  lanes[0].devices.printer.connection.host: expected the name or address of a host without a ' +
      'port, e.g. printer-1 or 192.0.2.40, found “192.0.2.999”',
  ],
  [
    'a sign-out after milliseconds, which was meant in minutes',
    `${production}limits: { idleLockMs: 15 }\n`,
    'store.yaml:77:23  limits.idleLockMs: expected at least 60000, found the number 15',
  ],
  [
    'HST in Québec',
    `${production}taxes: [{ code: HST, percent: 15 }]\n`,
    'store.yaml:77:1  taxes: QC also charges GST; expected GST, QST, or leave taxes out\n' +
      'store.yaml:77:1  taxes: QC also charges QST; expected GST, QST, or leave taxes out\n' +
      'store.yaml:77:17  taxes[0].code: HST is not a tax of QC; expected GST, QST',
  ],
  [
    'GST alone in Québec',
    `${production}taxes: [{ code: GST, percent: 5 }]\n`,
    'store.yaml:77:1  taxes: QC also charges QST; expected GST, QST, or leave taxes out',
  ],
  [
    'a tax number that is cut off',
    edit(production, 'TPS 123456789 RT0001', 'TPS 12345'),
    'store.yaml:9:3  store.taxNumbers: missing: receipts of a production store need its number, e.g. GST/HST ' +
      '123456789 RT0001\n' +
      'store.yaml:9:16  store.taxNumbers[0]: “TPS 12345” is incomplete; expected e.g. GST/HST 123456789 RT0001, ' +
      'QST 1234567890 TQ0001',
  ],
  [
    'a production store in Québec without its QST number',
    edit(production, ', "TVQ 1234567890 TQ0001"', ''),
    'store.yaml:9:3  store.taxNumbers: missing: receipts of a production store need its number, e.g. QST 1234567890 ' +
      'TQ0001',
  ],
  [
    'receipts without French in Québec',
    edit(production, 'default: fr-CA }', 'default: fr-CA, receipt: en-CA }'),
    'store.yaml:12:37  locales.receipt: receipts in Québec need French: set receipt.secondLanguage to fr-CA',
  ],
  [
    'a catalog outside the folder',
    edit(training, 'file: training-catalog.csv', 'file: /etc/passwd'),
    'store.yaml:34:9  catalog.file: /etc/passwd is outside the profile’s folder; put the file into it or a folder ' +
      'below',
  ],
  [
    'training cards in a production profile',
    `${production}training: { cards: [] }\n`,
    'store.yaml:77:1  training: training cards exist in training mode only; remove this section',
  ],
]

describe('an invalid profile', () => {
  test.each(GOLDEN)('is rejected with the line, the expected and the actual value: %s', (_name, text, expected) => {
    expect(complaint(text)).toBe(expected)
  })

  test('has all its errors reported at once, in the order of the lines', () => {
    const text = edit(
      edit(edit(training, 'region: ON', 'region: Ontario'), 'mode: training', 'mode: practice'),
      'role: manager',
      'rule: manager',
    )
    expect(
      complaint(text)
        .split('\n')
        .map((line) => line.slice(0, line.indexOf(' '))),
    ).toEqual(['store.yaml:3:7', 'store.yaml:10:9', 'store.yaml:70:34'])
  })

  test('is rejected before its aliases are expanded if they multiply', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefgh'
        .split('')
        .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]`),
    ].join('\n')
    expect(complaint(bomb)).toContain('refers to itself too often')
  })
})

describe('a profile full of errors', () => {
  const many = (line: (index: number) => string): string =>
    Array.from({ length: 20_000 }, (_, index) => line(index)).join('\n')
  test.each([
    ['unknown settings', `${training}${many((index) => `k${index}: 1`)}\n`],
    ['repeated settings', `${training}${many(() => 'region: ON')}\n`],
    ['empty coupons', `${edit(training, /coupons:\n(?: .*\n)+/, '')}coupons:\n${many(() => '  - {}')}\n`],
    ['secrets', `${training}x:\n${many(() => '  - secret: 1')}\n`],
  ])('has only its first fifty errors reported: %s', (_case, text) => {
    const errors = complaint(text).split('\n')
    expect(errors).toHaveLength(51)
    expect(errors.at(-1)).toBe('store.yaml  there are more errors; correct these first')
  })
})

describe('the check of a profile against its catalog', () => {
  const names = (text: string): string => {
    const file = join(temporaryFolder(), 'store.yaml')
    writeFileSync(file, text)
    const loaded = loadProfile(file)
    if ('errors' in loaded) return formatProfileErrors(loaded.errors)
    const catalog = {
      hasSku: (sku: string) => sku !== '9999',
      hasDepartment: (id: string) => id !== 'hosehold',
      hasCategory: () => false,
    }
    return formatProfileErrors(checkCatalogNames(file, loaded.profile, catalog)).replaceAll(`${dirname(file)}/`, '')
  }

  test('reports items, departments and categories that the profile names and the catalog lacks', () => {
    const text = edit(
      edit(training, 'quick: ["1018", "1019", "1021", "1020"]', 'quick: ["1010", "9999"]'),
      'department: household',
      'department: hosehold',
    ).replace('skus: ["1001"]', 'skus: ["1001", "9999"], departments: [hosehold], categories: [tea]')
    expect(names(text)).toBe(
      [
        'store.yaml:43:83  catalog.departments[7].quick[1]: no item of the catalog has the SKU “9999”; correct ' +
          'it here or in the catalog',
        'store.yaml:51:103  coupons[1].department: no item of the catalog has the department “hosehold”; ' +
          'correct it here or in the catalog',
        'store.yaml:86:89  offers.matches[0].departments[0]: no item of the catalog has the department “hosehold”; ' +
          'correct it here or in the catalog',
        'store.yaml:86:113  offers.matches[0].categories[0]: no item of the catalog has the category “tea”; correct ' +
          'it here or in the catalog',
        'store.yaml:86:66  offers.matches[0].skus[1]: no item of the catalog has the SKU “9999”; correct it here or ' +
          'in the catalog',
      ].join('\n'),
    )
  })
})

describe('a secret in the profile', () => {
  test.each([
    [
      'next to the client id',
      edit(production, 'clientId: northstar-q417', 'clientId: northstar-q417, clientSecret: hunter2'),
      'store.yaml:33:74  endpoints.token.clientSecret',
    ],
    [
      'on a lane',
      edit(production, '    deviceId: Q417-01', '    deviceId: Q417-01\n    api_key: hunter2'),
      'store.yaml:25:5  lanes[0].api_key',
    ],
    ['at the top', `password: hunter2\n${production}`, 'store.yaml:1:1  password'],
    [
      'inside an address',
      edit(production, 'https://offers', 'https://me:hunter2@offers'),
      'store.yaml:30:11  endpoints.offers',
    ],
    [
      'inside the address of a proxy',
      edit(production, '\n  token:', '\n  proxy: http://me:hunter2@proxy.example:3128\n  token:'),
      'store.yaml:33:10  endpoints.proxy',
    ],
  ])('%s is rejected with advice, and the message does not repeat it', (_where, text, place) => {
    for (const locale of ['en-CA', 'fr-CA'] as const) {
      const messageOf = complaint(text, locale)
      expect(messageOf).toContain(place)
      expect(messageOf).toContain('docs/lane.md')
      expect(messageOf).not.toContain('hunter2')
      expect(messageOf.split('\n')).toHaveLength(1)
    }
  })
})

describe('reading the profile', () => {
  test('rejects a missing file, a folder, an image and a file that is too large', () => {
    const folder = temporaryFolder()
    const errors = (name: string): string => {
      const loaded = loadProfile(join(folder, name))
      return 'errors' in loaded
        ? formatProfileErrors(loaded.errors).replace(`${folder}/`, '').replace(folder, 'folder')
        : 'accepted'
    }
    writeFileSync(join(folder, 'picture.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]))
    writeFileSync(join(folder, 'huge.yaml'), Buffer.alloc(2 * 1024 * 1024, 'a'))
    expect(errors('missing.yaml')).toBe('missing.yaml  this file does not exist')
    expect(errors('.')).toBe('folder  this is a folder; a store profile is one YAML file')
    expect(errors('picture.png')).toBe('picture.png  this is not a text file in UTF-8')
    expect(errors('huge.yaml')).toBe('huge.yaml  this file is too large to be a store profile')
  })
})

describe('errors of a profile in French', () => {
  test.each([
    [
      edit(training, 'region: ON', 'regoin: ON'),
      'store.yaml:10:1  regoin: ce réglage n’existe pas ici. Vouliez-vous dire « region »?',
    ],
    [
      edit(training, 'id: TRAIN-001', 'id: 4417'),
      'store.yaml:5:7  store.id: attendu du texte, trouvé le nombre 4417. Mettez-le entre guillemets : "4417"',
    ],
    [
      edit(training, 'America/Toronto', 'Toronto'),
      'store.yaml:11:11  timeZone: attendu un fuseau horaire IANA, p. ex. America/Toronto, trouvé « Toronto »',
    ],
    [edit(production, '    deviceId: Q417-01\n', ''), 'store.yaml:23:5  lanes[0].deviceId: manque; attendu du texte'],
    [
      edit(production, 'role: manager,', 'role: manager, trainingPin: "1234",'),
      'store.yaml:56:66  staff[0].trainingPin: un NIP est réservé au mode formation; retirez-le, utilisez set-pin ' +
        '(docs/lane.md)',
    ],
  ])('are the same errors as in English', (text, expected) => {
    expect(complaint(text, 'fr-CA')).toBe(expected)
  })

  test('contain no English message', () => {
    for (const [name, text] of GOLDEN)
      expect(complaint(text, 'fr-CA'), name).not.toMatch(/\b(expected|found|missing|there is|did you|this is)\b/i)
  })

  test('exist for every message of the profile schema', () => {
    const source = ['core/profile.ts', 'sales/sale-rules.ts']
      .map((name) => readFileSync(join(import.meta.dirname, '../../..', 'contracts', name), 'utf8'))
      .join('\n')
    const english = [...source.matchAll(/(?:\/[a-z]*, |\)\), |\}, |error: )'([^']+)'/g)].map(([, phrase]) => phrase)
    expect(english).toEqual([])
    const used = new Set([...source.matchAll(/\bexpected\('(\w+)'\)/g)].map(([, name]) => name ?? ''))
    expect([...used].toSorted()).toEqual(Object.keys(CATALOGS['en-CA'].files.expected).toSorted())
    for (const name of used) {
      const { 'en-CA': en, 'fr-CA': fr } = fileMessages(`expected.${name}` as FileMessageKey)
      expect(fr, name).not.toBe(en)
      expect(fr, name).not.toContain('expected.')
    }
  })
})

test('for the hint of a misspelt key, two swapped letters count as one edit', () => {
  expect(editDistance('regoin', 'region')).toBe(1)
  expect(editDistance('lane', 'lanes')).toBe(1)
  expect(editDistance('staff', 'limits')).toBeGreaterThan(3)
  expect(editDistance('', 'abc')).toBe(3)
})
