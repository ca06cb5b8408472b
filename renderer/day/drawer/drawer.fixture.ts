import type { Page } from '@playwright/test'
import {
  PERSON_KEY_GAP_MS,
  press,
  type Localize,
  type ScreenFixture,
  type ScreenFixtures,
} from '../../testing/screen-fixture.ts'

export const OPEN_SHIFT = {
  id: 12,
  openedAt: '2026-11-21T13:02:00.000Z',
  openedBy: 'Alex Tremblay',
  floatCents: 200_00,
  floatCounted: true,
}

const compared = (expectedCents: number, countedCents: number | null) => ({
  expectedCents,
  countedCents,
  differenceCents: countedCents === null ? 0 : countedCents - expectedCents,
})

export const result = (cashCents: number, slipsCents: number | null, over: object = {}) => ({
  cash: compared(612_35, cashCents),
  cardSlips: compared(144_90, slipsCents),
  cheques: compared(0, null),
  coupons: compared(0, null),
  number: 2,
  needsReason: true,
  ...over,
})

export const COUNTED_SHIFT = {
  ...OPEN_SHIFT,
  state: 'counted',
  countedAt: '2026-11-21T22:04:00.000Z',
  countedCents: 607_35,
  recount: ['cash'],
}
export const CLOSED_SHIFT = {
  ...COUNTED_SHIFT,
  recount: [],
  result: result(607_35, 144_90, { number: 1 }),
  state: 'closed',
  closedAt: '2026-11-21T22:09:00.000Z',
  closedBy: 'Alex Tremblay',
  leftCents: 200_00,
}
export const MARIES_SHIFT = {
  ...COUNTED_SHIFT,
  id: 11,
  drawerOf: { id: 'marie', name: 'Marie Gagnon' },
  openedBy: 'Marie Gagnon',
  countedAt: '2026-11-21T21:40:00.000Z',
}

const movements = (localize: Localize) => [
  {
    id: 4,
    kind: 'no-sale',
    at: '2026-11-21T17:40:00.000Z',
    staff: 'Alex Tremblay',
    reason: localize('Change for a customer', 'Monnaie pour un client'),
  },
  {
    id: 3,
    kind: 'drop',
    amountCents: 400_00,
    at: '2026-11-21T16:20:00.000Z',
    staff: 'Alex Tremblay',
    reason: localize('Drawer limit', 'Tiroir trop plein'),
  },
  {
    id: 2,
    kind: 'paid-out',
    amountCents: 18_40,
    at: '2026-11-21T15:05:00.000Z',
    staff: 'Alex Tremblay',
    approvedBy: 'Sam Okafor',
    reason: localize('Stamps for the invoices of November', 'Timbres pour les factures de novembre'),
  },
]

export const currentShift = (over: object = {}) => ({ shift: OPEN_SHIFT, ...over })

const SHIFT_LIST = {
  shifts: [
    CLOSED_SHIFT,
    { ...CLOSED_SHIFT, id: 11, reason: 'Wrong change', result: result(613_60, 144_90) },
    { ...CLOSED_SHIFT, id: 10, result: result(612_35, 144_90), zNumber: 11 },
  ],
}

export const DRAWER_FACTS = {
  'GET /api/shifts/current': () => currentShift(),
  'GET /api/shifts': () => SHIFT_LIST,
}

const CURRENT = 'GET /api/shifts/current'
const COUNTS = 'POST /api/shifts/12/counts'
const drawer = (over: object, act?: ScreenFixture['act']): ScreenFixture => ({
  path: '/manager/drawer',
  answers: { [CURRENT]: currentShift(over) },
  act,
})
export const dialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog'))
export const pushed =
  (...names: readonly RegExp[]) =>
  async (page: Page): Promise<void> => {
    for (const name of names) await page.getByRole('button', { name }).first().click()
    await dialog(page).waitFor()
  }
const typed = (page: Page, digits: string): Promise<void> => page.keyboard.type(digits, { delay: PERSON_KEY_GAP_MS })

const COUNT = /^(Count and close|Compter et fermer)$/
const NEXT = /^(Next|Suivant)$/
const countCash = async (page: Page): Promise<void> => {
  await pushed(COUNT)(page)
  for (const pieces of ['', '', '24', '8', '5', '11', '7']) {
    if (pieces !== '') await typed(page, pieces)
    await press('Enter')(page)
  }
}
const countSlips = async (page: Page): Promise<void> => {
  await countCash(page)
  await dialog(page).getByRole('button', { name: NEXT }).last().click()
  await dialog(page).getByRole('spinbutton').waitFor()
}
const onward = (page: Page) => dialog(page).getByRole('button', { name: /^(Continue|Continuer)$/ })
const counted = (answer: object, more?: (page: Page) => Promise<void>): ScreenFixture => ({
  path: '/manager/drawer',
  answers: {
    [COUNTS]: { shift: { ...COUNTED_SHIFT, ...answer } },
    'POST /api/shifts/12/close': { shift: CLOSED_SHIFT },
  },
  set: ({ state }) => {
    state.payments = ['cash', 'card', 'cheque', 'voucher']
  },
  act: async (page) => {
    await countCash(page)
    const next = dialog(page)
      .getByRole('button', { name: /^(Next|Suivant|Skip|Passer)/ })
      .last()
    for (let step = 0; step < 3; step += 1) await next.click()
    await dialog(page)
      .getByRole('button', { name: /^(Finish count|Terminer le comptage)$/ })
      .click()
    await onward(page).waitFor()
    await more?.(page)
  },
})
const final = (answer: object): object => ({ recount: [], result: answer })
const goOn = async (page: Page): Promise<void> => {
  await onward(page).click()
  await dialog(page).getByRole('spinbutton').waitFor()
}

export const DRAWER: ScreenFixtures = {
  'drawer-none': drawer({ shift: null, suggestedFloatCents: 200_00 }),
  'drawer-must': drawer({ shift: null, mustOpen: true }),
  'drawer-float': drawer({ shift: null, mustOpen: true, suggestedFloatCents: 200_00 }, async (page) => {
    await pushed(/^(Count float|Compter le fonds)$/)(page)
    await press('Enter', 'Enter')(page)
    await typed(page, '4')
    await press('Enter')(page)
    await typed(page, '7')
  }),
  'drawer-float-sum': drawer({ shift: null, suggestedFloatCents: 200_00 }, async (page) => {
    await pushed(/^(Count float|Compter le fonds)$/, /^(Total only|Total seulement)$/)(page)
    await typed(page, '15000')
  }),
  'drawer-open': {
    ...drawer({}),
    answers: (localize) => ({ [CURRENT]: currentShift({ movements: movements(localize) }) }),
  },
  'drawer-open-empty': drawer({ shift: { ...OPEN_SHIFT, floatCounted: false } }),
  'drawer-drop': drawer({}, async (page) => {
    await pushed(/^(Drop to safe|Dépôt au coffre)$/)(page)
    await typed(page, '40000')
    await page.getByRole('button', { name: /^(Drawer limit|Tiroir trop plein)$/ }).click()
  }),
  'drawer-paid-out-missing': drawer({}, async (page) => {
    await pushed(/^(Paid out|Sortie d’argent)$/)(page)
    await dialog(page)
      .getByRole('button', { name: /^(Pay out|Sortir)/ })
      .click()
    await page.getByText(/^(Choose or enter a reason|Choisissez ou entrez un motif)/).waitFor()
  }),
  'drawer-no-sale': drawer({}, pushed(/^(No sale|Sans vente)$/)),
  'drawer-approval': {
    ...drawer({}),
    refusals: (localize) => ({
      'POST /api/shifts/current/movements': {
        code: 'approval-required',
        approval: {
          of: 'cash',
          action: 'paid-out',
          approvers: ['supervisor', 'manager'],
          covers: 'c'.repeat(43),
          kind: 'paid-out',
          amountCents: 18_40,
          reason: localize('Postage', 'Timbres'),
        },
      },
    }),
    act: async (page) => {
      await pushed(/^(Paid out|Sortie d’argent)$/)(page)
      await typed(page, '1840')
      await page.getByRole('button', { name: /^(Postage|Timbres)$/ }).click()
      await dialog(page)
        .getByRole('button', { name: /^(Pay out|Sortir)/ })
        .click()
      await page.getByText('Sam Okafor').waitFor()
    },
  },
  'drawer-count': drawer({}, countCash),
  'drawer-count-slips': drawer({}, countSlips),
  'drawer-check': drawer({}, async (page) => {
    await countSlips(page)
    await typed(page, '14490')
    await dialog(page).getByRole('button', { name: NEXT }).click()
    await page.getByText(/^(Expected amounts|Montants attendus)/).waitFor()
  }),
  'drawer-differs': counted({ recount: ['cash', 'card-slips'] }),
  'drawer-short': counted(final(result(607_35, 139_90))),
  'drawer-over': counted(final(result(613_60, null))),
  'drawer-exact': counted(final(result(612_35, 144_90, { number: 1, needsReason: false }))),
  'drawer-close': counted({}, goOn),
  'drawer-closed': counted({}, async (page) => {
    await goOn(page)
    await page.getByRole('button', { name: /^(Wrong change|Erreur de monnaie)$/ }).click()
    await dialog(page)
      .getByRole('button', { name: /^(Close drawer|Fermer le tiroir)$/ })
      .click()
    await page.getByText(/^(Put in the safe|À mettre au coffre)$/).waitFor()
  }),
  'drawer-counted': drawer({ counted: [{ ...COUNTED_SHIFT, id: 10 }, MARIES_SHIFT] }),
  'drawer-failed': { ...drawer({}), refusals: { [CURRENT]: 'internal' } },
  'drawer-required': {
    refusals: { 'POST /api/sales/current/lines': 'shift-required' },
    act: async (page, _terminal, localize) => {
      await page.keyboard.press('F2')
      await typed(page, 'co')
      await page.getByRole('option', { name: localize('Coffee beans', 'Café en grains') }).click()
      await page.getByRole('alert').waitFor()
    },
  },
}
