import { REGION_DEPOSITS } from '../../contracts/core/region-deposits.ts'
import type { Page } from '@playwright/test'
import { managed, SAM, type Localize, type ScreenFixture, type ScreenFixtures } from '../testing/screen-fixture.ts'

const AT = '2026-11-20T21:14:00.000Z'
const MONDAY = '2026-11-23T11:00:00.000Z'
const ID = '5f0e3c1a-0000-4000-8000-000000000001'

const item = (sku: string, en: string, fr: string, priceCents: number, over: object = {}) => ({
  sku,
  barcode: `06284511${sku}0`,
  name: { 'en-CA': en, 'fr-CA': fr },
  priceCents,
  taxCategory: 'standard',
  departmentId: 'grocery',
  ...over,
})
const COFFEE = item('1010', 'Coffee beans 340 g', 'Café en grains 340 g', 14_99)
const CHOCOLATE = item('1013', 'Dark chocolate 100 g', 'Chocolat noir 100 g', 4_49)
const TOWELS = item('1018', 'Paper towels, 6 rolls', 'Essuie-tout, 6 rouleaux', 12_99)

const PROFILES = { origin: 'profile', fileName: 'training-catalog.csv', at: AT, items: 34 }
const IMPORTED = { origin: 'import', fileName: 'prices-november.csv', at: AT, by: SAM.name, items: 31_204, changes: 3 }

const state = (over: object = {}) => ({ current: PROFILES, planned: 2, ...over })
const READY = {
  id: ID,
  fileName: 'prices-december.csv',
  phase: 'ready',
  encoding: 'windows-1252',
  separator: 'semicolon',
  counts: { items: 31_188, new: 12, price: 1_240, planned: 86, other: 9, gone: 28 },
}
const DIFFERENCES = [
  { number: 1, kind: 'price', before: COFFEE, after: { ...COFFEE, priceCents: 15_49 } },
  {
    number: 2,
    kind: 'price',
    before: CHOCOLATE,
    after: {
      ...CHOCOLATE,
      priceCents: 4_79,
      name: { 'en-CA': 'Dark chocolate 70 %, 100 g', 'fr-CA': 'Chocolat noir 70 %, 100 g' },
      taxCategory: 'zero-rated',
    },
  },
]
const PLANNED_DIFFERENCES = [
  { number: 3, kind: 'planned', before: TOWELS, after: TOWELS, planned: { fromAt: MONDAY, priceCents: 13_49 } },
]
const PRICES = [
  { sku: '1010', name: COFFEE.name, priceCents: 14_99, plannedCents: 15_49, fromAt: MONDAY },
  { sku: '1018', name: TOWELS.name, priceCents: 12_99, plannedCents: 11_99, fromAt: '2026-12-01T05:00:00.000Z' },
]
const DEPARTMENTS = [
  { id: 'grocery', name: { 'en-CA': 'Grocery', 'fr-CA': 'Épicerie' } },
  { id: 'household', name: { 'en-CA': 'Household', 'fr-CA': 'Maison' } },
]
const COUPONS = [
  {
    from: 'profile',
    coupon: {
      code: 'FALL-10',
      name: { 'en-CA': 'Fall flyer', 'fr-CA': 'Circulaire d’automne' },
      percent: 10,
      minimumDollars: 50,
    },
  },
  {
    from: 'lane',
    coupon: {
      code: 'COFFEE-2',
      name: { 'en-CA': '$2 off coffee', 'fr-CA': '2 $ sur le café' },
      dollars: 2,
      sku: '1010',
      from: '2026-11-20',
      until: '2026-12-24',
    },
  },
]
const MANUFACTURERS = [
  {
    from: 'lane',
    coupon: {
      code: '99000012345',
      name: { 'en-CA': 'Detergent: $5 off', 'fr-CA': 'Détersif : 5 $ de rabais' },
      dollars: 5,
      sku: '1021',
      units: 1,
      until: '2026-12-31',
    },
  },
  {
    from: 'profile',
    coupon: {
      code: '0628451-123456',
      name: { 'en-CA': 'Two coffees', 'fr-CA': 'Deux cafés' },
      department: 'grocery',
      units: 2,
    },
  },
]
const promotion = (id: string, en: string, fr: string, over: object) => ({
  id,
  names: { 'en-CA': en, 'fr-CA': fr },
  items: { kind: 'all' },
  conditions: {},
  times: {},
  buyers: 'everyone',
  stackable: false,
  priority: 100,
  ...over,
})
const TWO_FOR_FIVE = promotion('chocolate-2for5', 'Chocolate 2 for $8', 'Chocolat 2 pour 8 $', {
  items: { kind: 'items', skus: ['1013'] },
  reward: { kind: 'set-price', units: 2, cents: 8_00 },
  times: { fromDay: '2026-11-20', untilDay: '2026-12-24' },
})
const PROMOTIONS = [
  { promotion: TWO_FOR_FIVE, from: 'lane', state: 'now' },
  {
    promotion: promotion('members-household', 'Members’ household week', 'Semaine maison des adhérents', {
      items: { kind: 'departments', ids: ['household'] },
      reward: { kind: 'percent', ppm: 150_000 },
      times: { fromDay: '2027-01-04', weekdays: [1, 2, 3], fromTime: '09:00', untilTime: '12:00' },
      buyers: 'members',
    }),
    from: 'profile',
    state: 'planned',
  },
  {
    promotion: promotion('halloween', 'Buy 2, get 1', 'Pour 2 à l’achat, 1 en prime', {
      items: { kind: 'items', skus: ['1010', '1013', '1018', '1019'] },
      reward: { kind: 'buy-get', buy: 2, get: 1, ppm: 1_000_000 },
      times: { untilDay: '2026-10-31' },
    }),
    from: 'lane',
    state: 'ended',
  },
]
const PREVIEW = {
  lines: [
    {
      sku: '1013',
      name: CHOCOLATE.name,
      quantity: 3,
      unitPriceCents: 4_49,
      amountCents: 12_49,
      reductions: [{ id: TWO_FOR_FIVE.id, name: TWO_FOR_FIVE.names, amountCents: 98 }],
    },
  ],
  savedCents: 98,
}
const PROMOTION_ROWS = [
  {
    line: 2,
    column: 'units',
    messages: {
      'en-CA': 'units: expected units of a set as a whole number from 2 to 100, found “1”',
      'fr-CA': 'units : attendu les unités d’un lot en nombre entier, de 2 à 100, trouvé « 1 »',
    },
  },
]
interface Given {
  readonly tab?: RegExp
  readonly answers?: Readonly<Record<string, unknown>>
  readonly act?: (page: Page, localize: Localize) => Promise<void>
}

const catalog = ({ tab, answers = {}, act }: Given): ScreenFixture =>
  managed('catalog', {
    answers: {
      'GET /api/catalog/state': state(),
      'GET /api/catalog/planned-prices': { prices: PRICES },
      'GET /api/catalog/elsewhere': {},
      'GET /api/catalog/departments': { departments: DEPARTMENTS },
      'GET /api/catalog/coupons': { coupons: COUPONS },
      'GET /api/catalog/manufacturer-coupons': { coupons: MANUFACTURERS },
      'GET /api/catalog/promotions': { promotions: PROMOTIONS },
      'GET /api/catalog/charges': { charges: CHARGES },
      'POST /api/catalog/promotions/preview': PREVIEW,
      'GET /api/catalog/import/differences': { differences: DIFFERENCES, next: 2 },
      'POST /api/catalog/items/search': { items: [COFFEE, CHOCOLATE, TOWELS] },
      'GET /api/catalog/quick-key-lists': {
        departments: [
          { ...DEPARTMENTS[0], from: 'lane', items: [COFFEE, CHOCOLATE] },
          { ...DEPARTMENTS[1], from: 'profile', items: [TOWELS] },
        ],
      },
      ...answers,
    },
    act: async (page, _terminal, localize) => {
      await page.getByRole('tab').first().waitFor()
      if (tab) await page.getByRole('tab', { name: tab }).click()
      await act?.(page, localize)
    },
  })

const press =
  (name: RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name }).first().click()
    await page.getByRole('dialog').or(page.getByRole('alertdialog')).waitFor()
  }
const openItem = async (page: Page, localize: Localize): Promise<void> => {
  await page.getByRole('searchbox').fill(localize('coffee', 'café'))
  await page
    .getByRole('button', { name: /1010|Coffee|Café/ })
    .first()
    .click()
  await page.getByRole('dialog').waitFor()
}
const PLANNED = /^(Planned prices|Prix à venir)$/
const ITEMS = /^(Items|Articles)$/
const QUICK = /^(Quick keys|Touches rapides)$/
const CHARGE_TAB = /^(Deposits|Consignes)$/
const CHARGES = [
  ...REGION_DEPOSITS.AB.map((charge) => ({ charge, from: 'region', cents: charge.cents, refundCents: charge.cents })),
  {
    charge: {
      id: 'can-fee',
      kind: 'fee',
      names: { 'en-CA': 'Recycling fee, can', 'fr-CA': 'Écofrais, canette' },
      cents: 1,
      changes: [{ from: '2027-02-01', cents: 2 }],
    },
    from: 'lane',
    cents: 1,
    refundCents: 0,
  },
]
const COUPON_TAB = /^(Coupons|Bons)$/
const PROMOTION_TAB = /^Promotions$/
const chooseFile = async (page: Page): Promise<void> => {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: /^(Import CSV|Importer un CSV)$/ }).click()
  await (await chooser).setFiles({ name: 'december.csv', mimeType: 'text/csv', buffer: Buffer.from('{}') })
}
const SAVE = /^(Save|Enregistrer)$/

const ELSEWHERE = { lane: '02', by: SAM.name }
const ofStore = (shown: object) => ({
  'GET /api/catalog/state': state({ ofStore: { fileName: 'prices-december.csv', lane: '02', ...shown } }),
})
const changedElsewhere = (items: readonly object[] = [], barcodes: readonly object[] = []) => ({
  'GET /api/catalog/elsewhere': { isOfStore: true, items, barcodes },
})

const waiting = (shown: object) => ({
  'GET /api/catalog/state': state({ import: { id: ID, fileName: 'prices-december.csv', ...shown } }),
})

export const CATALOG: ScreenFixtures = {
  catalog: catalog({}),
  'catalog-imported': catalog({
    answers: { 'GET /api/catalog/state': state({ current: IMPORTED, previous: PROFILES }) },
  }),
  'catalog-imported-elsewhere': catalog({
    answers: {
      'GET /api/catalog/state': state({
        current: { ...IMPORTED, elsewhere: ELSEWHERE, lost: 2 },
        previous: PROFILES,
      }),
    },
  }),
  'catalog-waiting-for-store': catalog({ answers: ofStore({ kind: 'waiting', percent: 40 }) }),
  'catalog-unsent': catalog({ answers: ofStore({ kind: 'unsent' }) }),
  'catalog-store-full': catalog({ answers: ofStore({ kind: 'full' }) }),
  'catalog-store-failed': catalog({ answers: ofStore({ kind: 'failed' }) }),
  'catalog-failed-to-load': {
    ...catalog({ act: (page) => page.getByRole('alert').first().waitFor() }),
    refusals: { 'GET /api/catalog/state': 'internal' },
  },
  'catalog-undo': catalog({
    answers: { 'GET /api/catalog/state': state({ current: IMPORTED, previous: PROFILES }) },
    act: press(/^(Undo last|Défaire)/),
  }),
  'catalog-reading': catalog({ answers: waiting({ phase: 'working', step: 'reading', percent: 42 }) }),
  'catalog-import-failed': catalog({ answers: waiting({ phase: 'failed' }) }),
  'catalog-refused': catalog({
    answers: waiting({
      phase: 'refused',
      encoding: 'utf-8',
      refused: 1_204,
      rows: [
        {
          line: 214,
          column: 'barcode',
          messages: {
            'en-CA': 'barcode: “5.01234E+12” lost digits in a spreadsheet; format as text, enter again, export',
            'fr-CA': 'barcode : « 5.01234E+12 » a perdu des chiffres dans un tableur; mettez la colonne en texte',
          },
        },
        {
          line: 388,
          messages: { 'en-CA': 'expected 8 values, found 3', 'fr-CA': 'attendu 8 valeurs, trouvé 3' },
        },
      ],
    }),
  }),
  'catalog-preview': catalog({
    answers: waiting(READY),
    act: (page) => page.getByRole('table').waitFor(),
  }),
  'catalog-preview-planned': catalog({
    answers: {
      ...waiting(READY),
      'GET /api/catalog/import/differences': { differences: PLANNED_DIFFERENCES },
    },
    act: async (page) => {
      await page.getByRole('radio', { name: /^(Planned price|Prix à venir)/ }).click()
      await page.getByRole('table').waitFor()
    },
  }),
  'catalog-preview-same': catalog({
    answers: waiting({ ...READY, counts: { items: 34 } }),
  }),
  'catalog-planned': catalog({ tab: PLANNED }),
  'catalog-planned-elsewhere': catalog({
    tab: PLANNED,
    answers: {
      'GET /api/catalog/planned-prices': { prices: [{ ...PRICES[0], elsewhere: ELSEWHERE }, PRICES[1]] },
    },
  }),
  'catalog-planned-none': catalog({
    tab: PLANNED,
    answers: { 'GET /api/catalog/planned-prices': {} },
  }),
  'catalog-plan': catalog({
    tab: PLANNED,
    act: async (page) => {
      await press(/^(Plan a price|Planifier)/)(page)
      await page.getByRole('button', { name: SAVE }).click()
    },
  }),
  'catalog-plan-cancel': catalog({ tab: PLANNED, act: press(/^(Cancel|Annuler) /) }),
  'catalog-items': catalog({ tab: ITEMS }),
  'catalog-items-elsewhere': catalog({
    tab: ITEMS,
    answers: changedElsewhere(
      [
        { sku: '1010', name: COFFEE.name, at: AT, elsewhere: { ...ELSEWHERE, inPlaceOf: SAM.name } },
        { sku: '1099', at: AT, elsewhere: ELSEWHERE },
      ],
      [
        {
          sku: '1013',
          name: CHOCOLATE.name,
          barcode: CHOCOLATE.barcode,
          toSku: '1018',
          toName: TOWELS.name,
        },
      ],
    ),
    act: (page) => page.getByRole('table').waitFor(),
  }),
  'catalog-items-none-elsewhere': catalog({ tab: ITEMS, answers: changedElsewhere() }),
  'catalog-item': catalog({ tab: ITEMS, act: openItem }),
  'catalog-item-taxes': catalog({
    tab: ITEMS,
    answers: {
      'POST /api/catalog/items/search': {
        items: [
          {
            ...COFFEE,
            taxRule: 'dispensed-drink',
            taxChanges: [{ from: '2026-12-14', taxCategory: 'standard', taxRule: 'no-federal-tax' }],
          },
        ],
      },
    },
    act: async (page, localize) => {
      await openItem(page, localize)
      const plan = page.getByRole('button', { name: /^(Plan tax change|Prévoir un changement de taxe)$/ })
      await plan.click()
      await page.getByRole('button', { name: SAVE }).click()
      await plan.scrollIntoViewIfNeeded()
    },
  }),
  'catalog-item-new': catalog({
    tab: ITEMS,
    act: async (page) => {
      await press(/^(Add item|Ajouter)/)(page)
      await page.getByRole('button', { name: SAVE }).click()
    },
  }),
  'catalog-item-packs': catalog({
    tab: ITEMS,
    answers: {
      'POST /api/catalog/items/search': {
        items: [
          {
            ...COFFEE,
            codes: ['4011', '94011'],
            packs: [
              { barcode: '10628451101007', quantity: 6, priceCents: 79_99 },
              { barcode: '20628451101004', quantity: 12 },
            ],
            mostPerSale: 24,
            charges: [{ id: 'ab-small', containers: 12 }],
            blocked: 'Recalled by the maker',
          },
        ],
      },
    },
    act: async (page, localize) => {
      await openItem(page, localize)
      await page.getByRole('button', { name: /^(Add pack|Ajouter un paquet)$/ }).scrollIntoViewIfNeeded()
    },
  }),
  'catalog-item-remove': catalog({
    tab: ITEMS,
    act: async (page, localize) => {
      await openItem(page, localize)
      await page.getByRole('button', { name: /^(Remove item|Retirer l’article)$/ }).click()
      await page.getByRole('alertdialog').waitFor()
    },
  }),
  'catalog-quick': catalog({ tab: QUICK }),
  'catalog-coupons': catalog({ tab: COUPON_TAB }),
  'catalog-coupons-none': catalog({
    tab: COUPON_TAB,
    answers: { 'GET /api/catalog/coupons': {}, 'GET /api/catalog/manufacturer-coupons': {} },
  }),
  'catalog-coupon': catalog({ tab: COUPON_TAB, act: press(/^(Edit|Modifier) (\$2|2)/) }),
  'catalog-charges': catalog({ tab: CHARGE_TAB, act: (page) => page.getByRole('table').waitFor() }),
  'catalog-charges-none': catalog({ tab: CHARGE_TAB, answers: { 'GET /api/catalog/charges': { charges: [] } } }),
  'catalog-charge': catalog({ tab: CHARGE_TAB, act: press(/^(Edit|Modifier) (Deposit up|Consigne jusqu)/) }),
  'catalog-charges-import': catalog({
    tab: CHARGE_TAB,
    answers: {
      'POST /api/catalog/files/charges': {
        kind: 'read',
        added: 1,
        changed: 1,
        same: 8,
        found: { book: 'charges', entries: CHARGES.slice(-1).map(({ charge }) => charge) },
      },
    },
    act: async (page) => {
      await chooseFile(page)
      await page.getByRole('alertdialog').waitFor()
    },
  }),
  'catalog-manufacturer-coupon': catalog({ tab: COUPON_TAB, act: press(/^(Edit|Modifier) (Detergent|Détersif)/) }),
  'catalog-promotions': catalog({ tab: PROMOTION_TAB, act: (page) => page.getByRole('table').waitFor() }),
  'catalog-promotions-none': catalog({ tab: PROMOTION_TAB, answers: { 'GET /api/catalog/promotions': {} } }),
  'catalog-promotion': catalog({
    tab: PROMOTION_TAB,
    act: async (page) => {
      await press(/^(Edit|Modifier) (Chocolate|Chocolat)/)(page)
      await page.getByRole('textbox', { name: /^(SKU|UGS) 1$/ }).fill('1013')
      await page.getByRole('textbox', { name: /^(Quantity|Quantité) 1$/ }).fill('3')
      await page.getByRole('button', { name: /^(Calculate|Calculer)/ }).click()
      await page.getByRole('dialog').getByRole('table').scrollIntoViewIfNeeded()
    },
  }),
  'catalog-promotion-new': catalog({
    tab: PROMOTION_TAB,
    act: async (page) => {
      await press(/^(Add promotion|Ajouter une)/)(page)
      await page.getByRole('button', { name: SAVE }).click()
    },
  }),
  'catalog-promotion-remove': catalog({
    tab: PROMOTION_TAB,
    act: async (page) => {
      await press(/^(Edit|Modifier) (Chocolate|Chocolat)/)(page)
      await page.getByRole('button', { name: /^(Remove promotion|Retirer la promotion)$/ }).click()
      await page.getByRole('alertdialog').waitFor()
    },
  }),
  'catalog-promotions-refused': catalog({
    tab: PROMOTION_TAB,
    answers: { 'POST /api/catalog/promotions/file': { kind: 'refused', rows: PROMOTION_ROWS, refused: 1 } },
    act: async (page) => {
      await chooseFile(page)
      await page.getByRole('alert').waitFor()
    },
  }),
  'catalog-promotions-import': catalog({
    tab: PROMOTION_TAB,
    answers: {
      'POST /api/catalog/promotions/file': {
        kind: 'read',
        added: 1,
        changed: 2,
        same: 14,
        promotions: [TWO_FOR_FIVE],
      },
    },
    act: async (page) => {
      await chooseFile(page)
      await page.getByRole('alertdialog').waitFor()
    },
  }),
  'catalog-coupon-new': catalog({
    tab: COUPON_TAB,
    act: async (page) => {
      await press(/^(Add coupon|Ajouter)/)(page)
      await page.getByRole('button', { name: SAVE }).click()
    },
  }),
}
