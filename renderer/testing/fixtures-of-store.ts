import { RECONCILIATION } from '../loyalty/reconciliation/reconciliation.fixture.ts'
import { DEVICES } from '../operations/devices.fixture.ts'
import { TRAINING } from '../operations/training/training.fixture.ts'
import { EARLIER } from '../payments/earlier-sales/earlier-sales.fixture.ts'
import { PEOPLE } from '../staff/people/people.fixture.ts'
import { AUDIT_SCREENS } from '../staff/audit/audit.fixture.ts'
import type { Localized } from '../../contracts/core/locales.ts'
import type { Refusal } from './answers.ts'
import { ALEX, cash, managed, miles, open, SAM, type ScreenFixture, type ScreenFixtures } from './screen-fixture.ts'
import { redemption, withMember, completedSale } from './sales.ts'

const explained = (entry: RegExp): ScreenFixture => ({
  person: SAM,
  act: async (page) => {
    await page.getByRole('banner').getByRole('button', { name: entry }).click()
    await page.getByRole('dialog').waitFor()
  },
})

const request = {
  of: 'sale',
  action: 'price',
  covers: 'c'.repeat(43),
  approvers: ['supervisor', 'manager'],
  saleId: 'N101010000001K7QZ',
  items: [
    {
      number: 1,
      name: { 'en-CA': 'Gala apples (bag)', 'fr-CA': 'Pommes Gala (sac)' },
      quantityBefore: 3,
      quantityAfter: 3,
      regularCents: 20_97,
      beforeCents: 20_97,
      afterCents: 3,
    },
  ],
  total: { beforeCents: 23_45, afterCents: 2_51 },
}

export const HELD_SALE_DIFFERS: Refusal = { code: 'held-sale-differs', approval: request }
const heldElsewhere = (where: 'away' | 'awaited' | 'store', awaits: Localized | null = null): ScreenFixture => ({
  path: '/manager/held',
  answers: (localize) => ({
    'GET /api/sales/held': {
      sales: [
        {
          id: 'N101010000001K7QZ',
          version: 4,
          name: localize('Blue coat', 'Manteau bleu'),
          heldAt: new Date(Date.now() - 540_000).toISOString(),
          itemCount: 3,
          totalCents: 2_345,
          memberLast4: '0011',
          cashier: ALEX.name,
          lane: '02',
          where,
        },
      ],
      awaits,
    },
  }),
})

export const STORE: ScreenFixtures = {
  ...PEOPLE,
  ...TRAINING,
  ...EARLIER,
  ...RECONCILIATION,
  ...AUDIT_SCREENS,
  ...DEVICES,
  held: {
    path: '/manager/held',
    answers: (localize) => ({
      'GET /api/sales/held': {
        sales: [1, 2, 3, 4].map((n) => ({
          id: `N10101000000${n}K7QZ`,
          version: 4,
          name: n === 1 ? localize('Blue coat', 'Manteau bleu') : String(n),
          heldAt: new Date(Date.now() - n * 540_000).toISOString(),
          itemCount: n * 3,
          totalCents: n * 2_345,
          memberLast4: n === 1 ? '0011' : null,
          cashier: ALEX.name,
          lane: n === 2 ? '02' : '01',
          where: n === 1 ? 'here' : n === 4 ? 'taken' : 'store',
          takenBy: n === 4 ? '03' : null,
          copiedAt: n === 3 ? '02' : null,
        })),
      },
    }),
  },
  'held-differs': {
    ...heldElsewhere('store'),
    refusals: { 'POST /api/sales/N101010000001K7QZ/resume': HELD_SALE_DIFFERS },
    act: async (page) => {
      await page.getByRole('button', { name: /^(Resume sale|Reprendre la vente)$/ }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  'held-store-offline': heldElsewhere('away'),
  'held-awaited': heldElsewhere('awaited', {
    'en-CA':
      'The store data was restored. First start lanes 03, 04, or ring the sale as a copy. ' +
      'If a lane is lost for good, call the owner.',
    'fr-CA':
      'Les données du magasin ont été restaurées. Démarrez d’abord les caisses 03, 04, ' +
      'ou refaites la vente en copie. Si une caisse est perdue pour de bon, appelez le propriétaire.',
  }),
  shortcuts: { sale: withMember(), act: open('?') },
  notice: {
    sale: withMember(),
    act: async (page, terminal) => {
      terminal.push({ type: 'scan-unknown', code: '0999999999993' })
      terminal.push({ type: 'card-refused', reason: 'not-a-program-card' })
      await page.getByRole('alert').nth(1).waitFor()
    },
  },
  status: {
    sale: withMember(),
    act: async (page) => {
      await page.getByRole('button', { name: /Printer|Imprimante/ }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  terminal: managed('terminal'),
  'terminal-short': managed('terminal', {
    answers: {
      'GET /api/diagnostics/maintenance': {
        clock: { state: 'off-central', aheadSeconds: -3_900 },
        backup: {
          at: '2026-11-21T14:03:12.000Z',
          outcome: 'failed',
          detail: 'ENOSPC: no space left on device',
        },
        room: { freeMb: 41, neededMb: 65, state: 'short' },
      },
    },
  }),
  offers: { path: '/manager/offers' },
  customer: { path: '/customer', sale: withMember() },
  'customer-idle': { path: '/customer' },
  stopped: {
    set: ({ state }) => {
      state.stopped = 'storage-failed'
    },
  },
  production: {
    sale: withMember(),
    set: ({ state }) => {
      state.mode = 'production'
      state.central = 'offline'
    },
  },
  'status-lane': explained(/Milepost Training Store/),
  'status-central': explained(/^(Miles|Milles)/),
  'status-queue': explained(/^(Queue|File)/),
  'status-reader': explained(/^(Reader|Lecteur de cartes)/),
  'status-scanner': explained(/^(Scanner|Lecteur de codes-barres)/),
  'status-drawer': explained(/^(Drawer|Tiroir)/),
  'status-clock': explained(/^(Time|Heure)/),
  'status-cashier': explained(/Sam Okafor/),
  'status-training': explained(/^(Training|Formation)/),
  'customer-redeeming': {
    path: '/customer',
    sale: withMember({ redemption: redemption({ state: 'intent', outcome: 'sending', confirmationNumber: null }) }),
  },
  'customer-redeemed': {
    path: '/customer',
    sale: withMember({ redemption: redemption(), redemptionChoice: null, tenders: [miles] }),
  },
  'customer-receipt-code': {
    path: '/customer',
    sale: withMember(),
    answers: {
      'GET /api/sales/01K9TRAINLANE01/receipt': {
        print: 'confirmed',
        document: { title: 'Receipt' },
        link: 'https://receipts.northstar.example/receipt/Zk3vQ9-yT1b7n2XwLc8R_0pHsDe',
      },
    },
    act: async (page, terminal) => {
      terminal.push(completedSale(withMember({ tenders: [cash] })))
      await page.getByRole('img').waitFor()
    },
  },
  'customer-thanks': {
    path: '/customer',
    sale: withMember(),
    act: async (page, terminal) => {
      await page.getByRole('list').first().waitFor()
      terminal.push(completedSale(withMember({ tenders: [cash] })))
      await page.getByRole('heading', { level: 1 }).and(page.locator(':not(.sr-only)')).waitFor()
    },
  },
}
