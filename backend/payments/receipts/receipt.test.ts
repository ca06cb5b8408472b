import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EntryMode } from '../../../contracts/core/ids.ts'
import { Locale } from '../../../contracts/core/locales.ts'
import { cents, miles } from '../../../contracts/core/money.ts'
import { ReceiptDocument } from '../../../contracts/core/receipt.ts'
import type { TaxCategory } from '../../../contracts/core/regions.ts'
import { saleLineOf, totalBasket, type BasketLine } from '../../sales/sale/basket.ts'
import { cashTender } from '../tender-types/cash.ts'
import { composeReceipt, type ReceiptFacts } from './receipt.ts'
import type { ReceiptTender } from '../tender-types/type.ts'
import { taxesOf, type StoreTax } from '../../catalog/tax.ts'
import { forScreen } from '../../core/paper/document.ts'

const lineOf = (
  number: number,
  en: string,
  fr: string,
  quantity: number,
  price: number,
  taxCategory: TaxCategory = 'standard',
  voided = false,
): BasketLine => ({
  number,
  sku: `SKU-${number}`,
  name: { 'en-CA': en, 'fr-CA': fr },
  quantity,
  unitPriceCents: cents(price),
  taxCategory,
  departmentId: 'grocery',
  categoryId: null,
  voided,
})
const BASKET = [
  lineOf(1, 'Sparkling water 355 mL', 'Eau pétillante 355 ml', 3, 125),
  lineOf(2, 'Whole milk 2 L', 'Lait entier 2 L', 1, 549, 'zero-rated'),
  lineOf(3, 'Umbrella', 'Parapluie', 1, 1999, 'standard', true),
  lineOf(
    4,
    'Paperback: The Tin Flute, annotated edition',
    'Livre de poche : Bonheur d’occasion, édition annotée',
    1,
    1699,
    'book',
  ),
  lineOf(5, 'Garden hose', 'Boyau d’arrosage', 1, 3999),
]
const milesTender: ReceiptTender = {
  kind: 'miles',
  amountCents: cents(4000),
  roundingCents: cents(0),
  tenderedCents: cents(4000),
  changeCents: cents(0),
  reference: '7F3K20881',
}
const cardTender = (amount: number, reference: string | null): ReceiptTender => ({
  kind: 'card',
  amountCents: cents(amount),
  roundingCents: cents(0),
  tenderedCents: cents(amount),
  changeCents: cents(0),
  reference,
})

function factsOf(
  taxes: readonly StoreTax[],
  tenders: readonly ReceiptTender[],
  more: Partial<ReceiptFacts> = {},
): ReceiptFacts {
  return {
    profile: {
      mode: 'training',
      timeZone: 'America/Toronto',
      store: {
        id: 'TRAIN-001',
        name: 'Milepost Training Store',
        address: ['123 Front Street West', 'Toronto ON  M5J 2M2'],
        phone: '416-555-0199',
        taxNumbers: ['GST/HST 123456789 RT0001'],
      },
      receipt: {
        header: [],
        footer: {
          'en-CA': ['Thank you. Come back soon!', 'Returns within 30 days with this receipt.'],
          'fr-CA': ['Merci. À bientôt!'],
        },
      },
    },
    locale: 'en-CA',
    saleId: 'N1010100000042K7QZ',
    lane: '01',
    cashierName: 'Alex Tremblay',
    completedAt: Date.UTC(2026, 10, 21, 2, 54),
    lines: BASKET.map((line) => saleLineOf(line, taxes)),
    totals: totalBasket(BASKET, taxes, tenders),
    tenders,
    member: { last4: '0011', entryMode: 'SWIPE' },
    redemption: { units: 4, amountCents: cents(4000), miles: miles(380), confirmationNumber: '7F3K20881' },
    balances: {
      responseCode: '0000',
      cashMiles: 12_840,
      dreamMiles: 3210,
      availableCashMiles: 6745,
      availableCents: 71_000,
    },
    earnedMiles: 24,
    copy: 0,
    columns: 42,
    taxes,
    ...more,
  }
}

const unsettled = {
  traceId: '5e0d5fd2-3f6c-4a5b-9a54-58a2b24e3a11',
  amountCents: cents(4000),
  miles: miles(380),
  confirmationNumber: null,
}

function inOntario(more: Partial<ReceiptFacts> = {}): ReceiptFacts {
  const taxes = taxesOf(undefined, 'ON')
  const cash = cashTender(totalBasket(BASKET, taxes, [milesTender]).dueCents, cents(5000))
  if (!cash) throw new Error('the cash tender was refused')
  return factsOf(taxes, [milesTender, { kind: 'cash', ...cash, reference: null }], more)
}

function paperText(document: ReceiptDocument, columns = 42): string[] {
  return document.blocks.map((block) => {
    const room = 'size' in block && block.size === 'large' ? Math.floor(columns / 2) : columns
    const mark = room < columns ? '^' : ''
    const fit = (text: string): string => {
      expect([...text].length, `"${text}" is wider than ${room} columns`).toBeLessThanOrEqual(room)
      return mark + text.trimEnd()
    }
    switch (block.kind) {
      case 'rule':
        return '-'.repeat(columns)
      case 'space':
        return ''
      case 'barcode':
        return `||${block.data}||`
      case 'qr':
        return `##${block.data}##`
      case 'logo':
        return '(logo)'
      case 'row':
        return fit(
          block.right === ''
            ? block.left
            : block.left.padEnd(room - [...block.right].length - (block.left === '' ? 0 : 1)) +
                (block.left === '' ? '' : ' ') +
                block.right,
        )
      case 'text': {
        const space = room - [...block.text].length
        const indent = block.align === 'center' ? Math.floor(space / 2) : block.align === 'right' ? space : 0
        return fit(' '.repeat(Math.max(0, indent)) + block.text)
      }
    }
  })
}
const allText = (document: ReceiptDocument): string => paperText(document).join('\n')

describe('the receipt of a sale paid partly with miles', () => {
  it('prints every line in English', () => {
    expect(paperText(composeReceipt(inOntario()))).toEqual([
      '^  Milepost Training',
      '^        Store',
      '          123 Front Street West',
      '           Toronto ON  M5J 2M2',
      '            Tel. 416-555-0199',
      '         GST/HST 123456789 RT0001',
      '',
      '------------------------------------------',
      '^      TRAINING',
      '^     NOT A SALE',
      '------------------------------------------',
      '',
      '2026-11-20 21:54                   Lane 01',
      'Cashier: Alex Tremblay',
      '------------------------------------------',
      'Sparkling water 355 mL',
      '3 × 1.25                           H  3.75',
      'Whole milk 2 L                        5.49',
      'Paperback: The Tin Flute,',
      'annotated edition                  R 16.99',
      'Garden hose                        H 39.99',
      '------------------------------------------',
      'Subtotal (6 items)                   66.22',
      'HST 13% (H)                        H  5.69',
      'HST 5% (R)                         R  0.85',
      '------------------------------------------',
      '^TOTAL          $72.76',
      '',
      'Paid with miles                     $40.00',
      '  4 units · 380 miles',
      '  Confirmation number            7F3K20881',
      'Cash rounding                       -$0.01',
      'Cash                                $50.00',
      'Change                              $17.25',
      '------------------------------------------',
      'Member (card swiped)         •••• ••• 0011',
      'Miles to earn                           24',
      '------------------------------------------',
      'Your balances',
      'Cash miles                    12,840 miles',
      'Dream miles                    3,210 miles',
      'Cash miles available today     6,745 miles',
      'Worth today                        $710.00',
      '',
      '        Thank you. Come back soon!',
      'Returns within 30 days with this receipt.',
      '',
      '------------------------------------------',
      '^      TRAINING',
      '^     NOT A SALE',
      '------------------------------------------',
      '',
      '||N1010100000042K7QZ||',
    ])
  })

  it('prints every line in French for a production store in Québec, with the other portion paid by card', () => {
    const taxes = taxesOf(undefined, 'QC')
    const due = totalBasket(BASKET, taxes, [milesTender]).dueCents
    const profile: ReceiptFacts['profile'] = {
      mode: 'production',
      timeZone: 'America/Toronto',
      store: {
        id: '4417',
        name: 'Northstar Montréal Centre',
        address: ['1000 rue Sherbrooke Ouest', 'Montréal QC  H3A 3G4'],
        phone: '514-555-0142',
        taxNumbers: ['TPS 123456789 RT0001', 'TVQ 1234567890 TQ0001'],
      },
      receipt: { header: ['Ouvert 7 jours'], footer: { 'en-CA': ['Thank you.'], 'fr-CA': ['Merci de votre visite.'] } },
    }
    const facts = factsOf(taxes, [milesTender, cardTender(due, '004512')], {
      profile,
      locale: 'fr-CA',
      saleId: 'Q4170100000007AB3D',
      cashierName: 'Lise Fournier',
      member: { last4: '0011', entryMode: 'SCAN' },
    })
    expect(paperText(composeReceipt(facts))).toEqual([
      '^ Northstar Montréal',
      '^       Centre',
      '        1000 rue Sherbrooke Ouest',
      '           Montréal QC  H3A 3G4',
      '            Tél. 514-555-0142',
      '           TPS 123456789 RT0001',
      '          TVQ 1234567890 TQ0001',
      '              Ouvert 7 jours',
      '',
      '2026-11-20 21 h 54               Caisse 01',
      'Servi par : Lise Fournier',
      '------------------------------------------',
      'Eau pétillante 355 ml',
      '3 × 1,25                          FP  3,75',
      'Lait entier 2 L                       5,49',
      'Livre de poche : Bonheur',
      'd’occasion, édition annotée       F  16,99',
      'Boyau d’arrosage                  FP 39,99',
      '------------------------------------------',
      'Sous-total (6 articles)              66,22',
      'TPS 5 % (F)                       F   3,04',
      'TVQ 9,975 % (P)                   P   4,36',
      '------------------------------------------',
      '^TOTAL         73,62 $',
      '',
      'Payé en milles                     40,00 $',
      '  4 unités · 380 milles',
      '  Numéro de confirmation         7F3K20881',
      'Carte                              33,62 $',
      '  Référence                         004512',
      '------------------------------------------',
      'Adhérent (carte balayée)     •••• ••• 0011',
      'Milles à obtenir                        24',
      '------------------------------------------',
      'Vos soldes',
      'Milles comptant              12 840 milles',
      'Milles de rêve                3 210 milles',
      'Utilisables aujourd’hui       6 745 milles',
      'Valeur aujourd’hui                710,00 $',
      '',
      '          Merci de votre visite.',
      '',
      '||Q4170100000007AB3D||',
    ])
  })

  it('conforms to the contract, and has the id of the sale in its title', () => {
    const document = composeReceipt(inOntario())
    expect(ReceiptDocument.parse(document)).toEqual(document)
    expect(document.title).toBe('Receipt N1010100000042K7QZ')
    expect(composeReceipt(inOntario({ locale: 'fr-CA' })).title).toBe('Reçu N1010100000042K7QZ')
  })
})

describe('balances on a receipt', () => {
  const DIGITS = ['12,840', '3,210', '6,745', '710.00']
  it.each(['0001', '0005', '7777', ''])(
    'are not printed under response code %j, nor is their heading',
    (responseCode) => {
      const facts = inOntario()
      const document = composeReceipt({ ...facts, balances: { ...facts.balances, responseCode } })
      for (const secret of [...DIGITS, 'Your balances', 'available'])
        expect(JSON.stringify(document)).not.toContain(secret)
      expect(document.blocks.some((block) => block.paperOnly)).toBe(false)
      expect(allText(document)).toContain('7F3K20881')
    },
  )
  it('are never shown on a screen', () => {
    const document = composeReceipt(inOntario())
    const screen = forScreen(document)
    for (const secret of [...DIGITS, 'Your balances']) {
      expect(JSON.stringify(document)).toContain(secret)
      expect(JSON.stringify(screen)).not.toContain(secret)
    }
    expect(paperText(screen)).toEqual(
      paperText(document).filter(
        (_, at, lines) =>
          at < lines.indexOf('Your balances') - 1 || at > lines.findIndex((line) => line.startsWith('Worth')),
      ),
    )
    expect(ReceiptDocument.safeParse(screen).success).toBe(true)
  })
  it('are never printed under a response code that hides them, and never shown on a screen', () => {
    const secret = fc.option(fc.integer({ min: 700_000_000, max: 799_999_999 }), { nil: undefined })
    const known = fc.record({
      cashMiles: secret,
      dreamMiles: secret,
      availableCashMiles: secret,
      availableCents: secret,
    })
    const codes = fc.oneof(
      fc.constantFrom('0000', '0001', '0005', ' 0001', '0005 ', '0001\n'),
      fc.string({ maxLength: 6 }),
    )
    const bare = (document: ReceiptDocument): string => JSON.stringify(document).replaceAll(/[\s,.\u00a0\u202f]/g, '')
    fc.assert(
      fc.property(known, codes, fc.constantFrom(...Locale.options), (balances, responseCode, locale) => {
        const document = composeReceipt(inOntario({ locale, balances: { responseCode, ...balances } }))
        const shown = Object.values(balances).filter((value) => value !== undefined)
        for (const value of shown) {
          expect(bare(forScreen(document))).not.toContain(String(value))
          const isAllowed = /^\s*00\d\d\s*$/.test(responseCode) && !['0001', '0005'].includes(responseCode.trim())
          expect(isAllowed || !bare(document).includes(String(value))).toBe(true)
          expect(responseCode !== '0000' || bare(document).includes(String(value))).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
  })
  it('have no row if INQUIRE did not return them, and no heading if all are missing', () => {
    const some = composeReceipt(inOntario({ balances: { responseCode: '0000', availableCashMiles: 950 } }))
    expect(allText(some)).toContain('Cash miles available today       950 miles')
    expect(allText(some)).not.toContain('Dream')
    expect(allText(composeReceipt(inOntario({ balances: { responseCode: '0000' } })))).not.toContain('Your balances')
    expect(allText(composeReceipt(inOntario({ balances: null })))).not.toContain('Your balances')
  })
  it('use the singular “mile” for one mile', () => {
    expect(allText(composeReceipt(inOntario({ balances: { responseCode: '0000', cashMiles: 1 } })))).toMatch(
      /Cash miles +1 mile$/m,
    )
  })
})

describe('receipts of 32, 42 and 48 columns', () => {
  const wordsOf = (facts: ReceiptFacts, columns: number): string[] =>
    paperText(composeReceipt({ ...facts, columns }), columns)
      .filter((line) => !/^-+$/.test(line))
      .flatMap((line) => line.replace('^', '').split(/ +/))
      .filter((word) => word !== '')
  it.each(Locale.options)('have the same text in the same order in each width, in %s', (locale) => {
    const production = {
      ...inOntario({ locale }),
      profile: { ...inOntario().profile, mode: 'production' },
    } satisfies ReceiptFacts
    const facts = [
      inOntario({ locale }),
      inOntario({ locale, copy: 3 }),
      production,
      { ...production, balances: { ...production.balances, responseCode: '0001' } },
      { ...production, noMiles: 'collector-invalid' as const },
    ]
    for (const one of facts) expect(wordsOf(one, 48)).toEqual(wordsOf(one, 42))
    for (const one of facts) expect(wordsOf(one, 32)).toEqual(wordsOf(one, 42))
  })
})

describe('a receipt', () => {
  it('differs from its copy only by the copy mark', () => {
    const original = paperText(composeReceipt(inOntario()))
    const copy = paperText(composeReceipt(inOntario({ copy: 2 })))
    expect(original.join('\n')).not.toContain('COPY')
    expect(copy.filter((line) => line.includes('COPY'))).toEqual(['^       COPY 2'])
    const at = copy.findIndex((line) => line.includes('COPY'))
    expect([...copy.slice(0, at - 1), ...copy.slice(at + 1)]).toEqual(original)
    expect(allText(composeReceipt(inOntario({ copy: 1, locale: 'fr-CA' })))).toContain('COPIE 1')
  })
  it('is marked as a training receipt and not a sale in training mode, also in French, but not in production', () => {
    expect(allText(composeReceipt(inOntario({ locale: 'fr-CA' })))).toMatch(/FORMATION\n.*PAS UNE VENTE/)
    const facts = inOntario()
    expect(allText(composeReceipt({ ...facts, profile: { ...facts.profile, mode: 'production' } }))).not.toContain(
      'TRAINING',
    )
  })
  it('leaves void lines out', () => {
    expect(allText(composeReceipt(inOntario()))).not.toContain('Umbrella')
  })
  it('does not mention miles for a sale without a collector', () => {
    const facts = factsOf(taxesOf(undefined, 'ON'), [cardTender(7276, null)], {
      member: null,
      redemption: null,
      balances: null,
      earnedMiles: null,
    })
    expect(allText(composeReceipt(facts))).not.toMatch(/mile[s ]|collector/)
    expect(allText(composeReceipt(facts))).toMatch(/^Card +\$72\.76$/m)
  })
  it('shows whether miles will be issued later, are to earn, or were earned', () => {
    expect(allText(composeReceipt(inOntario({ earnedMiles: null })))).toContain('Miles will be issued later.')
    expect(allText(composeReceipt(inOntario({ earnedMiles: 1024, earnedConfirmed: true })))).toMatch(
      /^Miles earned +1,024$/m,
    )
    expect(allText(composeReceipt(inOntario({ earnedMiles: 1024, locale: 'fr-CA' })))).toMatch(
      /^Milles à obtenir +1 024$/m,
    )
  })
  it.each([
    ['is expected to earn nothing', { earnedMiles: 0 }, ['No miles for this purchase.']],
    ['earned nothing', { earnedMiles: 0, earnedConfirmed: true }, ['No miles for this purchase.']],
    ['has pending miles', { earnedMiles: 0, earnedConfirmed: true, pendingMiles: 6 }, ['Miles pending 6']],
    [
      'has pending miles of unknown number',
      { earnedMiles: 0, earnedConfirmed: true, pendingMiles: null },
      ['Miles for this purchase are pending.'],
    ],
    [
      'has earned, pending and refused miles',
      { earnedMiles: 6, earnedConfirmed: true, pendingMiles: 4, rejectedMiles: 30 },
      ['Miles earned 6', 'Miles pending 4', 'Miles refused 30'],
    ],
    ['has only refused miles', { earnedMiles: 0, earnedConfirmed: true, rejectedMiles: 30 }, ['Miles refused 30']],
    ['earned miles of unknown number', { earnedMiles: null, earnedConfirmed: true }, ['Miles were issued.']],
  ])('has only the expected rows about miles if the purchase %s', (_, facts, rows) => {
    const english = allText(composeReceipt(inOntario(facts)))
      .split('\n')
      .filter((line) => /mile/i.test(line) && /earned|pending|refused|issued|purchase|way/.test(line))
    expect(english.map((line) => line.replace(/ +/g, ' ').trim())).toEqual(rows)
  })
  it('shows why an account cannot earn, and shows no miles even after a preview', () => {
    const paper = allText(composeReceipt(inOntario({ noMiles: 'collector-invalid', earnedMiles: 24 })))
    expect(paper).toContain('No miles: member number not found.')
    expect(paper).not.toMatch(/to earn|issued later|Miles earned/)
    expect(allText(composeReceipt(inOntario({ noMiles: 'account-inactive', locale: 'fr-CA' })))).toContain(
      'Aucun mille : compte inactif.',
    )
    expect(allText(composeReceipt(inOntario({ noMiles: 'refused' })))).toContain('No miles: refused by the program.')
  })
  it('shows the confirmation number of a tender in miles even without the redemption', () => {
    expect(allText(composeReceipt(inOntario({ redemption: null })))).toMatch(/^  Confirmation number +7F3K20881$/m)
  })
  it('has no rounding row for unrounded cash', () => {
    const facts = factsOf(taxesOf(undefined, 'AB'), [
      {
        kind: 'cash',
        amountCents: cents(7000),
        roundingCents: cents(0),
        tenderedCents: cents(8000),
        changeCents: cents(1000),
        reference: null,
      },
    ])
    expect(allText(composeReceipt(facts))).not.toContain('rounding')
  })
  it('shows only the last four digits of a collector number, even when given more', () => {
    expect(allText(composeReceipt(inOntario({ member: { last4: '80000000011', entryMode: 'KEYED' } })))).toContain(
      '•••• ••• 0011',
    )
    expect(
      JSON.stringify(composeReceipt(inOntario({ member: { last4: '80000000011', entryMode: 'KEYED' } }))),
    ).not.toContain('80000')
  })
  it('names a tax without its rate if the rate is unknown', () => {
    expect(allText(composeReceipt(inOntario({ taxes: [] })))).toMatch(/^HST \(H\) +H {2}5\.69\nHST \(R\) +R {2}0\.85$/m)
  })
  it('aligns amounts above a million dollars in their column', () => {
    const lines = [lineOf(1, 'Sofa', 'Canapé', 999, 123_456)]
    const taxes = taxesOf(undefined, 'QC')
    const totals = totalBasket(lines, taxes, [])
    const facts = factsOf(taxes, [cardTender(totals.totalCents, '1')], {
      lines: lines.map((line) => saleLineOf(line, taxes)),
      totals,
      locale: 'fr-CA',
    })
    expect(allText(composeReceipt(facts))).toMatch(/^999 × 1 234,56 +FP 1 233 325,44$/m)
    expect(allText(composeReceipt(facts))).toMatch(/^\^TOTAL {2}1 418 015,92 \$$/m)
  })
  it('is dated in the store’s time zone', () => {
    const facts = inOntario()
    expect(
      allText(composeReceipt({ ...facts, profile: { ...facts.profile, timeZone: 'America/St_Johns' } })),
    ).toContain('2026-11-20 23:24')
  })
})

describe('any receipt', () => {
  it('fits its paper and contains no control characters, for any names', () => {
    const name = fc.oneof(
      fc.string({ maxLength: 90 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.string({
        unit: fc.constantFrom('a', 'É', '’', ' ', '\u00a0', '\u202f', '\u001b', '\u202e', '\n'),
        maxLength: 90,
      }),
    )
    const facts = fc.record({
      name,
      cashier: name,
      confirmation: name,
      reference: name,
      footer: name,
      locale: fc.constantFrom(...Locale.options),
      columns: fc.constantFrom(32, 42, 48),
      entryMode: fc.constantFrom(...EntryMode.options),
      quantity: fc.integer({ min: 1, max: 999 }),
      price: fc.integer({ min: 0, max: 999_999 }),
      copy: fc.integer({ min: 0, max: 3 }),
      balance: fc.nat(999_999_999_999),
    })
    fc.assert(
      fc.property(facts, (any) => {
        const taxes = taxesOf(undefined, 'QC')
        const lines = [lineOf(1, any.name, any.name, any.quantity, any.price)]
        const facts = factsOf(taxes, [milesTender, cardTender(1, any.reference)], {
          lines: lines.map((line) => saleLineOf(line, taxes)),
          totals: totalBasket(lines, taxes, []),
          cashierName: any.cashier,
          locale: any.locale,
          columns: any.columns,
          copy: any.copy,
          member: { last4: '0011', entryMode: any.entryMode },
          redemption: {
            units: 75,
            amountCents: cents(75_000),
            miles: miles(7125),
            confirmationNumber: any.confirmation,
          },
          balances: { responseCode: '0000', cashMiles: any.balance, availableCents: any.balance },
          profile: {
            mode: 'training',
            timeZone: 'America/Toronto',
            store: { id: 'S', name: any.name, address: [any.name], phone: any.name, taxNumbers: [any.name] },
            receipt: { header: [any.footer], footer: { 'en-CA': [any.footer], 'fr-CA': [any.footer] } },
          },
        })
        const document = composeReceipt(facts)
        expect(paperText(document, any.columns).join('')).not.toMatch(/[\p{C}\u00a0\u202f]/u)
        expect(ReceiptDocument.safeParse(document).success).toBe(true)
        expect(composeReceipt(facts)).toEqual(document)
      }),
      { numRuns: 300 },
    )
  })
})

it('a receipt with two payments in cash prints one change, which may be zero', () => {
  const taxes = taxesOf(undefined, 'ON')
  const paid = (tendered: number, change: number): ReceiptTender => ({
    kind: 'cash',
    amountCents: cents(tendered - change),
    roundingCents: cents(0),
    tenderedCents: cents(tendered),
    changeCents: cents(change),
    reference: null,
  })
  const changes = (last: ReceiptTender): string[] =>
    paperText(composeReceipt(factsOf(taxes, [paid(2000, 0), last]))).filter((row) => row.startsWith('Change'))
  expect(changes(paid(5275, 0))).toEqual([expect.stringMatching(/^Change +\$0\.00$/)])
  expect(changes(paid(6000, 725))).toEqual([expect.stringMatching(/^Change +\$7\.25$/)])
})

describe('a redemption without a known outcome', () => {
  const paper = (more: Partial<ReceiptFacts>): string =>
    paperText(composeReceipt(inOntario({ redemption: null, unsettled, ...more })))
      .join(' ')
      .replace(/ +/g, ' ')

  it('is printed as not applied, with the start of its trace id, and hides every balance', () => {
    expect(paper({})).toContain('Miles redemption not confirmed')
    expect(paper({})).toContain('$40.00 (380 miles) not applied.')
    expect(paper({})).toContain('Reference 5e0d5fd2')
    expect(paper({})).not.toMatch(/12,840|3,210|6,745|710\.00/)
    expect(paper({ locale: 'fr-CA' })).toContain('Échange de milles non confirmé')
    expect(paper({ locale: 'fr-CA' })).toContain('Référence 5e0d5fd2')
    expect(paper({ unsettled: null })).toContain('12,840')
  })
  it('is printed with the confirmation number of an approval that could not be applied', () => {
    expect(paper({ unsettled: { ...unsettled, confirmationNumber: '7F3K20881' } })).toContain(
      'Confirmation number 7F3K20881',
    )
  })
})
