import { UNPRINTED_DAY_PAPERS } from '../../day/day-end/day-end.fixture.ts'
import type { FixtureState } from '../../testing/fixture-terminal.ts'
import { ALEX, MARIE, SAM, localizeFor, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'

const receipt = (state: FixtureState) => {
  const localize = localizeFor(state)
  const row = (left: string, cents: number, over = {}) => ({
    kind: 'row',
    left,
    right: (cents / 100).toFixed(2).replace('.', localize('.', ',')),
    ...over,
  })
  return {
    print: 'confirmed',
    hasPaperOnly: state.sale?.member != null,
    document: {
      locale: localize('en-CA', 'fr-CA'),
      title: localize('Receipt', 'Reçu'),
      blocks: [
        { kind: 'text', text: 'Milepost Training Store', align: 'center', bold: true, size: 'large' },
        { kind: 'text', text: '123 Front Street West\nToronto ON  M5J 2M2', align: 'center' },
        {
          kind: 'text',
          text: localize('TRAINING: NOT A RECEIPT', 'FORMATION : CECI N’EST PAS UN REÇU'),
          align: 'center',
          bold: true,
        },
        { kind: 'rule' },
        row(localize('Whole milk 2 L', 'Lait entier 2 L'), 549),
        row(localize('Coffee beans 340 g', 'Café en grains 340 g'), 1499),
        row(localize('2 × Dark chocolate 100 g  H', '2 × Chocolat noir 100 g  H'), 898),
        row(localize('Paper towels, 6 rolls  H', 'Essuie-tout, 6 rouleaux  H'), 1299),
        { kind: 'rule' },
        row(localize('Subtotal', 'Sous-total'), 4245),
        row(localize('HST 13 %', 'TVH 13 %'), 286),
        { kind: 'row', left: 'TOTAL', right: localize('$45.31', '45,31 $'), bold: true, size: 'large' },
        row(localize('Miles', 'Milles'), 4000),
        row(localize('Cash', 'Comptant'), 2000),
        row(localize('Change', 'Monnaie'), 1470, { bold: true }),
        { kind: 'space' },
        {
          kind: 'text',
          text: localize('Redemption confirmation\n8842 0017 3351', 'Confirmation de l’échange\n8842 0017 3351'),
          align: 'center',
        },
        {
          kind: 'text',
          text: localize('Cash miles after: 1,045', 'Milles comptant après : 1 045'),
          align: 'left',
          paperOnly: true,
        },
        { kind: 'barcode', symbology: 'code128', data: '01K9TRAINLANE01' },
      ],
    },
  }
}

const earlier = (n: number, receipt: string, over = {}) => ({
  id: `N10101000000${40 - n}K7Q${n}`,
  state: 'completed',
  closedAt: `2026-11-21T14:0${9 - n}:12.000Z`,
  totalCents: 1299 + n * 2_117,
  tenders: n % 3 === 0 ? ['miles', 'cash'] : ['card'],
  memberLast4: n % 2 === 0 ? '0011' : null,
  cashier: n % 4 === 3 ? MARIE.name : ALEX.name,
  receipt,
  ...over,
})
const EARLIER_SALES = {
  next: '1795270000000-12',
  sales: [
    earlier(0, 'not-printed'),
    earlier(1, 'not-printed'),
    earlier(2, 'unknown'),
    earlier(3, 'printed', { state: 'returned', ofSale: 'N1010100000031K7Q9', tenders: ['cash'], memberLast4: null }),
    earlier(4, 'none', { state: 'cancelled', tenders: [] }),
    earlier(5, 'printing'),
    earlier(6, 'printed'),
    earlier(7, 'printed'),
  ],
}

export const EARLIER_FACTS = {
  'GET /api/sales/01K9TRAINLANE01/receipt': receipt,
  'GET /api/sales/N1010100000038K7Q2/receipt': receipt,
  'GET /api/sales/N1010100000040K7Q0/receipt': receipt,
  'GET /api/sales/earlier': () => EARLIER_SALES,
  'GET /api/receipts/owed': (state: FixtureState) => ({
    documents:
      state.notOnPaper > 2
        ? [
            {
              paper: 'store-credit',
              id: 'A'.repeat(32),
              name: 'KQRT',
              at: '2026-11-20T15:04:00.000Z',
              totalCents: 17_41,
              receipt: 'not-printed',
            },
            ...UNPRINTED_DAY_PAPERS,
          ]
        : [],
  }),
  'GET /api/receipt-deliveries': () => ({}),
  'GET /api/receipts': (state: FixtureState) => ({ notOnPaper: state.notOnPaper }),
}

const receipts = (notOnPaper: number, more: ScreenFixture = {}): ScreenFixture => ({
  path: '/manager/receipts',
  set: ({ state }) => {
    state.notOnPaper = notOnPaper
  },
  ...more,
})

const delivery = (n: number, state: 'waiting' | 'failed', problem: string) => ({
  id: `3c9d5c5e-0000-4000-8000-00000000000${n}`,
  saleId: `N101010000003${n}K7Q2`,
  at: '2026-11-21T13:20:00.000Z',
  by: ALEX.name,
  state,
  problem,
})

export const EARLIER: ScreenFixtures = {
  'earlier-emails': {
    ...receipts(0),
    person: SAM,
    answers: {
      'GET /api/receipt-deliveries': {
        deliveries: [
          delivery(1, 'failed', 'refused'),
          delivery(2, 'failed', 'sign-in'),
          delivery(3, 'waiting', 'busy'),
        ],
      },
    },
    act: async (page) => {
      await page.getByText(/refused the address|refusé l’adresse/).waitFor()
    },
  },
  'earlier-invoice': {
    ...receipts(0),
    person: SAM,
    act: async (page) => {
      await page.getByRole('row').first().waitFor()
      await page.keyboard.press('Control+F9')
      await page.getByRole('textbox').nth(2).waitFor()
      await page.getByRole('dialog').getByRole('textbox').nth(2).fill('30 days')
      await page.getByRole('button', { name: /Save invoice|Enregistrer la facture/ }).click()
      await page.getByText(/Enter the buyer|Entrez le nom/).waitFor()
    },
  },
  'earlier-documents': receipts(3),
  'earlier-sales': receipts(2),
  'earlier-owed': receipts(12, {
    answers: {
      'GET /api/devices': {
        devices: ['card-reader', 'scanner', 'printer'].map((role) => ({ role, state: 'ready' })),
      },
    },
    act: async (page) => {
      await page.getByRole('button', { name: /^(Printer|Imprimante)/ }).click()
      await page.getByRole('dialog').waitFor()
    },
  }),
  'earlier-of-store': {
    path: '/manager/receipts',
    answers: {
      'GET /api/sales/earlier': {
        sales: [
          {
            id: 'N1010200000117K7Q2',
            state: 'completed',
            closedAt: '2026-11-20T15:04:00.000Z',
            totalCents: 52_17,
            tenders: ['miles', 'cash'],
            memberLast4: '0011',
            cashier: 'Alex Tremblay',
            receipt: 'printed',
            lane: '02',
          },
        ],
        store: 'reached',
      },
    },
    act: async (page) => {
      await page.getByRole('textbox').fill('K7Q2')
      await page.getByText('N1010200000117K7Q2', { exact: true }).waitFor()
    },
  },
  'earlier-store-offline': {
    path: '/manager/receipts',
    answers: { 'GET /api/sales/earlier': { store: 'away' } },
    act: async (page) => {
      await page.getByRole('textbox').fill('K7Q2')
      await page.getByText(/not answering|sans réponse/).waitFor()
    },
  },
  'earlier-none': {
    path: '/manager/receipts',
    answers: { 'GET /api/sales/earlier': {} },
  },
}
