import type { Page } from '@playwright/test'
import type { AuditPage, AuditVerification } from '../../contracts/staff/audit.ts'
import english from '../../contracts/i18n/en-CA/errors.ts'
import french from '../../contracts/i18n/fr-CA/errors.ts'
import type { Localized } from '../../contracts/core/locales.ts'
import { AUDIT_EMPTY, BROKEN, VERIFIED, VERIFYING } from '../staff/audit/audit.fixture.ts'
import { ALEX, SAM } from './fixture-facts.ts'
import { HELD_SALE_DIFFERS, WAITING_CHANGES } from '../day/store-overview/other-lanes.fixture.ts'
import { A_PERSON_MS, cash, miles, open, type ScreenFixture, type ScreenFixtures } from './screen-fixture.ts'
import { redemption, withMember, completedSale } from './sales.ts'
import { ok } from './answers.ts'

const NONE = { rows: 0, amountCents: 0, miles: 0 }
const NO_LEDGER = { approved: NONE, reported: NONE, waiting: NONE, ties: true }

/** The audit page with other answers. */
const audit = (of: { page?: AuditPage; verification?: AuditVerification }): ScreenFixture => ({
  path: '/manager/audit',
  person: SAM,
  set: ({ state }) => {
    if (of.page) state.answers['GET /api/audit'] = ok(of.page)
    if (of.verification) state.answers['GET /api/audit/verification'] = ok(of.verification)
  },
})

/** An entry of the status bar, open: what it means and what to do. */
const explained = (entry: RegExp): ScreenFixture => ({
  person: SAM,
  act: async (page) => {
    await page.getByRole('banner').getByRole('button', { name: entry }).click()
    await page.getByRole('dialog').waitFor()
  },
})

/** A PIN that somebody else has set: its owner chooses one of their own. */
const newPin = (act: (page: Page) => Promise<void>): ScreenFixture => ({
  person: null,
  refused: true,
  set: ({ state }) => {
    state.answers['POST /api/sign-in'] = {
      status: 403,
      body: {
        code: 'pin-change-required',
        messages: { 'en-CA': english['pin-change-required'], 'fr-CA': french['pin-change-required'] },
      },
    }
  },
  act: async (page) => {
    await page.getByRole('button', { name: /Alex/ }).click()
    await page.keyboard.type('1234', { delay: A_PERSON_MS })
    await page.keyboard.press('Enter')
    await page.getByText(/^(Choose a new PIN|Choisissez un nouveau NIP)/).waitFor()
    await act(page)
  },
})

const none = { holder: null, code: null }
/** One of each, and each as it may be. */
const EVERY_DEVICE = [
  {
    role: 'card-reader',
    state: 'unavailable',
    detail: '/dev/ttyS0 did not open: in use by a-till (pid 4711)',
    trouble: { kind: 'in-use', holder: 'a-till (pid 4711)', code: null },
  },
  { role: 'scanner', state: 'not-configured', detail: null },
  { role: 'printer', state: 'needs-attention', detail: 'cutter error', trouble: { ...none, kind: 'cutter-error' } },
  { role: 'drawer', state: 'ready', detail: null, position: 'closed' },
  {
    role: 'line-display',
    state: 'unavailable',
    detail: 'ECONNREFUSED',
    trouble: { ...none, kind: 'refused', code: 'ECONNREFUSED' },
  },
]

/** A sale of another lane on hold. */
const heldElsewhere = (where: 'away' | 'awaited' | 'store', awaits: Localized | null = null): ScreenFixture => ({
  path: '/manager/held',
  set: ({ state }, say) => {
    state.answers['POST /api/sales/N101010000001K7QZ/resume'] = HELD_SALE_DIFFERS
    state.answers['GET /api/sales/held'] = ok({
      sales: [
        {
          id: 'N101010000001K7QZ',
          version: 4,
          name: say('Blue coat', 'Manteau bleu'),
          heldAt: new Date(Date.now() - 540_000).toISOString(),
          itemCount: 3,
          totalCents: 2_345,
          memberLast4: '0011',
          cashier: ALEX.name,
          lane: '02',
          where,
          takenBy: null,
          copiedAt: null,
        },
      ],
      awaits,
    })
  },
})

/** The terminal around the sale: its door, its bar, its pages and the customer's screen. */
export const STORE: ScreenFixtures = {
  'earlier-documents': {
    path: '/manager/receipts',
    set: ({ state }) => {
      state.notOnPaper = 3
    },
  },
  'sign-in': {
    person: null,
    act: async (page) => {
      await page.getByRole('button', { name: /Alex/ }).click()
      await page.keyboard.type('12', { delay: A_PERSON_MS })
    },
  },
  'switch-cashier': {
    sale: withMember(),
    act: async (page) => {
      await page.keyboard.press('F12')
      await page.getByRole('dialog').getByRole('button', { name: /Sam/ }).click()
    },
  },
  held: {
    path: '/manager/held',
    set: ({ state }, say) => {
      state.answers['GET /api/sales/held'] = ok({
        sales: [1, 2, 3, 4].map((n) => ({
          id: `N10101000000${n}K7QZ`,
          version: 4,
          name: n === 1 ? say('Blue coat', 'Manteau bleu') : String(n),
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
        awaits: null,
      })
    },
  },
  'held-differs': {
    ...heldElsewhere('store'),
    refused: true,
    act: async (page) => {
      await page.getByRole('button', { name: /^(Resume sale|Reprendre la vente)$/ }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  'held-store-away': heldElsewhere('away'),
  'held-awaited': heldElsewhere('awaited', {
    'en-CA':
      'Store data restored. First start lanes 03, 04, or ring the sale as a copy. Lane lost for good? ' +
      'Call the owner.',
    'fr-CA':
      'Données restaurées. Démarrez d’abord les caisses 03, 04, ou refaites la vente en copie. ' +
      'Caisse perdue pour de bon? Appelez le propriétaire.',
  }),
  'sign-in-new-pin': newPin(async () => undefined),
  'sign-in-repeat-pin': newPin(async (page) => {
    await page.keyboard.type('5820', { delay: A_PERSON_MS })
    await page.keyboard.press('Enter')
    await page.getByText(/^(Confirm new PIN|Confirmez le nouveau NIP)/).waitFor()
  }),
  training: {
    sale: withMember(),
    act: async (page) => {
      await page.keyboard.press('F10')
      await page.getByRole('complementary').getByRole('listitem').nth(3).waitFor()
    },
  },
  'training-central': {
    sale: withMember(),
    act: async (page) => {
      await page.keyboard.press('F10')
      const central = page
        .getByRole('complementary')
        .getByRole('region', { name: /^(Miles service|Service de milles)$/ })
      await central.waitFor()
      await central.evaluate((section) => section.scrollIntoView())
    },
  },
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
  'earlier-sales': {
    path: '/manager/receipts',
    set: ({ state }) => {
      state.notOnPaper = 2
    },
  },
  'earlier-owed': {
    path: '/manager/receipts',
    set: ({ state }) => {
      state.notOnPaper = 12
      state.answers['GET /api/devices'] = ok({
        devices: ['card-reader', 'scanner', 'printer'].map((role) => ({ role, state: 'ready', detail: null })),
      })
    },
    act: async (page) => {
      await page.getByRole('button', { name: /^(Printer|Imprimante)/ }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  staff: { path: '/manager/staff', person: SAM },
  'staff-add': {
    path: '/manager/staff',
    person: SAM,
    act: async (page) => {
      await page.getByRole('button', { name: /^(Add person|Ajouter une personne)/ }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  'staff-edit': {
    path: '/manager/staff',
    person: SAM,
    act: async (page) => {
      await page.getByRole('button', { name: /^(Edit|Modifier) Alex/ }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  'staff-pin': {
    path: '/manager/staff',
    person: SAM,
    act: async (page) => {
      await page.getByRole('button', { name: /^(Edit|Modifier) Alex/ }).click()
      await page.getByRole('button', { name: /^(Reset PIN|Réinitialiser le NIP)/ }).click()
      await page.getByText(/Replace the PIN|Remplacer le NIP/).waitFor()
      await page.getByRole('button', { name: /^(Reset PIN|Réinitialiser le NIP)/ }).click()
      await page.getByText('482615').waitFor()
    },
  },
  'staff-waiting': {
    path: '/manager/staff',
    person: SAM,
    set: ({ state }) => {
      state.answers['GET /api/waiting-changes'] = ok(WAITING_CHANGES)
    },
  },
  'staff-failed': {
    path: '/manager/staff',
    person: SAM,
    refused: true,
    set: ({ state }) => {
      state.answers['GET /api/people'] = {
        status: 403,
        body: {
          code: 'internal',
          messages: { 'en-CA': english['internal'], 'fr-CA': french['internal'] },
          correlationId: 'c',
        },
      }
    },
  },
  'earlier-of-store': {
    path: '/manager/receipts',
    set: ({ state }) => {
      state.answers['GET /api/sales/earlier'] = ok({
        sales: [
          {
            id: 'N1010200000117K7Q2',
            state: 'completed',
            closedAt: '2026-11-20T15:04:00.000Z',
            totalCents: 52_17,
            tenders: ['miles', 'cash'],
            memberLast4: '0011',
            ofSale: null,
            cashier: 'Alex Tremblay',
            receipt: 'printed',
            lane: '02',
          },
        ],
        next: null,
        store: 'reached',
      })
    },
    act: async (page) => {
      await page.getByRole('textbox').fill('K7Q2')
      await page.getByText('N1010200000117K7Q2', { exact: true }).waitFor()
    },
  },
  'earlier-store-away': {
    path: '/manager/receipts',
    set: ({ state }) => {
      state.answers['GET /api/sales/earlier'] = ok({ sales: [], next: null, store: 'away' })
    },
    act: async (page) => {
      await page.getByRole('textbox').fill('K7Q2')
      await page.getByText(/not answering|sans réponse/).waitFor()
    },
  },
  'earlier-none': {
    path: '/manager/receipts',
    set: ({ state }) => {
      state.answers['GET /api/sales/earlier'] = ok({ sales: [], next: null })
    },
  },
  reconciliation: { path: '/manager/reconciliation', person: SAM },
  'reconciliation-empty': {
    path: '/manager/reconciliation',
    person: SAM,
    set: ({ state }) => {
      state.answers['GET /api/reconciliation/days'] = ok({ days: [], ledger: NO_LEDGER })
    },
  },
  'reconciliation-day': {
    path: '/manager/reconciliation',
    person: SAM,
    act: async (page) => {
      await page.getByRole('button', { name: /20 novembre|November 20/ }).click()
      await page.getByRole('dialog').getByRole('table').waitFor()
    },
  },
  'reconciliation-made': {
    path: '/manager/reconciliation',
    person: SAM,
    act: async (page) => {
      await page.getByRole('button', { name: /20 novembre|November 20/ }).click()
      await page.getByRole('button', { name: /original/ }).click()
      await page.getByRole('button', { name: /CSV/ }).waitFor()
    },
  },
  audit: { path: '/manager/audit', person: SAM },
  'audit-verified': audit({ verification: VERIFIED }),
  'audit-verifying': {
    ...audit({ verification: VERIFYING }),
    act: async (page) => {
      await page.getByRole('progressbar').waitFor()
      await page.getByRole('table').waitFor()
    },
  },
  'audit-broken': audit({ verification: BROKEN }),
  'audit-empty': audit({ page: AUDIT_EMPTY }),
  'audit-none': {
    ...audit({ page: AUDIT_EMPTY }),
    act: async (page) => {
      await page.getByRole('search').getByRole('combobox').first().selectOption('drawer')
      await page.getByRole('button', { name: /^(Clear filters|Effacer les filtres)$/ }).waitFor()
    },
  },
  'audit-failed': {
    ...audit({}),
    refused: true,
    set: ({ state }) => {
      state.answers['GET /api/audit'] = {
        status: 403,
        body: {
          code: 'manager-required',
          messages: { 'en-CA': english['manager-required'], 'fr-CA': french['manager-required'] },
          correlationId: 'c',
        },
      }
    },
  },
  devices: { path: '/manager/devices', person: SAM },
  'devices-counted': {
    path: '/manager/devices',
    person: SAM,
    set: ({ state }) => {
      state.answers['GET /api/devices'] = ok({ devices: EVERY_DEVICE })
    },
    act: async (page) => {
      for (const role of [0, 1, 2, 3, 4]) await page.locator('details').nth(role).locator('summary').click()
    },
  },
  terminal: { path: '/manager/terminal', person: SAM },
  'terminal-short': {
    path: '/manager/terminal',
    person: SAM,
    set: ({ state }) => {
      state.answers['GET /api/diagnostics/maintenance'] = ok({
        clock: { state: 'off-central', aheadSeconds: -3_900 },
        backup: {
          at: '2026-11-21T14:03:12.000Z',
          outcome: 'failed',
          file: null,
          bytes: null,
          detail: 'ENOSPC: no space left on device',
        },
        room: { freeMb: 41, neededMb: 65, state: 'short' },
      })
    },
  },
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
  'status-reader': explained(/^(Reader|Lecteur)/),
  'status-scanner': explained(/^(Scanner|Scanneur)/),
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
  'customer-thanks': {
    path: '/customer',
    sale: withMember(),
    act: async (page, terminal) => {
      await page.getByRole('list').first().waitFor()
      terminal.push(completedSale(withMember({ tenders: [cash] })))
      await page.getByRole('heading', { level: 1 }).and(page.locator(':not(.spoken)')).waitFor()
    },
  },
}
