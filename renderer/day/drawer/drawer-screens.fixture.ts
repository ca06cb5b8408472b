import type { Page } from '@playwright/test'
import english from '../../../contracts/i18n/en-CA/errors.ts'
import french from '../../../contracts/i18n/fr-CA/errors.ts'
import {
  CLOSED_SHIFT,
  CLOSING_MONTHS,
  COUNTED_SHIFT,
  currentShift,
  DAY_LIST,
  MARIES_SHIFT,
  movements,
  OPEN_SHIFT,
  result,
  X_HIDDEN,
  zReceipt,
} from './drawer.fixture.ts'
import { SAM } from '../../testing/fixture-facts.ts'
import { A_PERSON_MS, press, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'
import { ok } from '../../testing/answers.ts'

const CURRENT = 'GET /api/shifts/current'
const DAY = 'GET /api/z-reports'
const CLOSINGS = 'GET /api/closings'
const COUNTS = 'POST /api/shifts/12/counts'
const refused = (code: 'internal' | 'shift-required') => ({
  status: 403,
  body: { code, messages: { 'en-CA': english[code], 'fr-CA': french[code] }, correlationId: 'c' },
})

const drawer = (over: object, more: ScreenFixture = {}): ScreenFixture => ({
  path: '/manager/drawer',
  set: ({ state }) => {
    state.answers[CURRENT] = currentShift(over)
  },
  ...more,
})
const day = (act?: ScreenFixture['act'], list: object = DAY_LIST): ScreenFixture => ({
  path: '/manager/day',
  person: SAM,
  set: ({ state }) => {
    state.answers[DAY] = ok(list)
  },
  ...(act ? { act } : {}),
})

const dialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog'))
const pushed =
  (...names: readonly RegExp[]) =>
  async (page: Page): Promise<void> => {
    for (const name of names) await page.getByRole('button', { name }).first().click()
    await dialog(page).waitFor()
  }
const typed = (page: Page, digits: string): Promise<void> => page.keyboard.type(digits, { delay: A_PERSON_MS })

const COUNT = /^(Count and close|Compter et fermer)$/
const NEXT = /^(Next|Suivant)$/
/** Cash by coins and notes; Enter goes from one to the next. */
const countCash = async (page: Page): Promise<void> => {
  await pushed(COUNT)(page)
  for (const pieces of ['', '', '24', '8', '5', '11', '7']) {
    if (pieces !== '') await typed(page, pieces)
    await press('Enter')(page)
  }
}
const onward = (page: Page) => dialog(page).getByRole('button', { name: /^(Continue|Continuer)$/ })
/** A committed count that makes this of the shift. */
const counted = (answer: object, more: (page: Page) => Promise<void> = async () => undefined): ScreenFixture =>
  drawer(
    {},
    {
      set: ({ state }) => {
        state.payments = ['cash', 'card', 'cheque', 'voucher']
        state.answers[CURRENT] = currentShift()
        state.answers[COUNTS] = ok({ shift: { ...COUNTED_SHIFT, ...answer } })
        state.answers['POST /api/shifts/12/close'] = ok({ shift: CLOSED_SHIFT })
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
        await more(page)
      },
    },
  )
const final = (answer: object): object => ({ recount: [], result: answer })
const goOn = async (page: Page): Promise<void> => {
  await onward(page).click()
  await dialog(page).getByRole('spinbutton').waitFor()
}

const DRAWER: ScreenFixtures = {
  'drawer-none': drawer({ shift: null, suggestedFloatCents: 200_00 }),
  'drawer-must': drawer({ shift: null, mustOpen: true }),
  'drawer-float': drawer(
    { shift: null, mustOpen: true, suggestedFloatCents: 200_00 },
    {
      act: async (page) => {
        await pushed(/^(Count float|Compter le fonds)$/)(page)
        await press('Enter', 'Enter')(page)
        await typed(page, '4')
        await press('Enter')(page)
        await typed(page, '7')
      },
    },
  ),
  'drawer-float-sum': drawer(
    { shift: null, suggestedFloatCents: 200_00 },
    {
      act: async (page) => {
        await pushed(/^(Count float|Compter le fonds)$/, /^(Total only|Total seulement)$/)(page)
        await typed(page, '15000')
      },
    },
  ),
  'drawer-open': {
    ...drawer({}),
    set: ({ state }, say) => {
      state.answers[CURRENT] = currentShift({ movements: movements(say) })
    },
  },
  'drawer-open-empty': drawer({ shift: { ...OPEN_SHIFT, floatCounted: false } }),
  'drawer-drop': drawer(
    {},
    {
      act: async (page) => {
        await pushed(/^(Drop to safe|Dépôt au coffre)$/)(page)
        await typed(page, '40000')
        await page.getByRole('button', { name: /^(Drawer limit|Tiroir trop plein)$/ }).click()
      },
    },
  ),
  'drawer-paid-out-missing': drawer(
    {},
    {
      act: async (page) => {
        await pushed(/^(Paid out|Sortie d’argent)$/)(page)
        await dialog(page)
          .getByRole('button', { name: /^(Pay out|Sortir)/ })
          .click()
        await page.getByText(/^(Choose or enter a reason|Choisissez ou entrez un motif)/).waitFor()
      },
    },
  ),
  'drawer-no-sale': drawer({}, { act: pushed(/^(No sale|Sans vente)$/) }),
  'drawer-approval': drawer(
    {},
    {
      refused: true,
      set: ({ state }, say) => {
        state.answers[CURRENT] = currentShift()
        state.answers['POST /api/shifts/current/movements'] = {
          status: 403,
          body: {
            code: 'approval-required',
            messages: { 'en-CA': english['approval-required'], 'fr-CA': french['approval-required'] },
            approval: {
              of: 'cash',
              action: 'paid-out',
              approvers: ['supervisor', 'manager'],
              covers: 'c'.repeat(43),
              kind: 'paid-out',
              amountCents: 18_40,
              reason: say('Postage', 'Timbres'),
            },
          },
        }
      },
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
  ),
  'drawer-count': drawer({}, { act: countCash }),
  'drawer-count-slips': drawer(
    {},
    {
      act: async (page) => {
        await countCash(page)
        await dialog(page).getByRole('button', { name: NEXT }).last().click()
        await dialog(page).getByRole('spinbutton').waitFor()
      },
    },
  ),
  'drawer-check': drawer(
    {},
    {
      act: async (page) => {
        await countCash(page)
        await dialog(page).getByRole('button', { name: NEXT }).last().click()
        await dialog(page).getByRole('spinbutton').waitFor()
        await typed(page, '14490')
        await dialog(page).getByRole('button', { name: NEXT }).click()
        await page.getByText(/^(Expected amounts|Montants attendus)/).waitFor()
      },
    },
  ),
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
  'drawer-failed': drawer(
    {},
    {
      refused: true,
      set: ({ state }) => {
        state.answers[CURRENT] = refused('internal')
      },
    },
  ),
  'drawer-required': {
    refused: true,
    set: ({ state }) => {
      state.answers['POST /api/sales/current/lines'] = refused('shift-required')
    },
    act: async (page, _terminal, say) => {
      await page.keyboard.press('F2')
      await typed(page, 'co')
      await page.getByRole('option', { name: say('Coffee beans', 'Café en grains') }).click()
      await page.getByRole('alert').waitFor()
    },
  },
}

const views = (name: RegExp) => async (page: Page) => {
  await page.getByRole('radio', { name }).click()
  await page.getByRole('table').or(page.getByRole('group').getByRole('heading')).first().waitFor()
}
const Z_VIEW = /^(Z reports|Rapports Z)$/
const DAYS = /^(By day|Par jour)$/
const CLOSE_DAY = /^(Close day \(Z\)|Fermer la journée \(Z\))$/

const closings = (body: object, act: ScreenFixture['act']): ScreenFixture => ({
  ...day(act),
  set: ({ state }) => {
    state.answers[CLOSINGS] = ok(body)
  },
})

const DAY_END: ScreenFixtures = {
  'day-x': day(),
  'day-waiting': {
    ...day(),
    set: ({ state }) => {
      state.answers[DAY] = ok({ ...DAY_LIST, waiting: { closed: 0, counted: 1, open: 1 } })
      state.answers['GET /api/shifts'] = ok({ shifts: [OPEN_SHIFT, MARIES_SHIFT], more: false })
      state.answers['GET /api/x-report'] = ok(X_HIDDEN)
    },
  },
  'day-z': day(views(Z_VIEW)),
  'day-z-empty': day(views(Z_VIEW), { reports: [], more: false, waiting: { closed: 0, counted: 0, open: 0 } }),
  'day-shifts': day(views(/^(Shifts|Quarts)$/)),
  'day-z-opened': day(async (page) => {
    await views(Z_VIEW)(page)
    await pushed(/Z 11$/)(page)
    await page.getByRole('article').waitFor()
  }),
  'day-z-not-printed': {
    ...day(async (page) => {
      await views(Z_VIEW)(page)
      await pushed(/Z 11$/)(page)
      await page.getByRole('article').waitFor()
    }),
    set: ({ state }, say) => {
      state.answers[DAY] = ok(DAY_LIST)
      const body = { ...zReceipt(say('en', 'fr') === 'fr'), print: 'failed' }
      state.answers['GET /api/z-reports/11/receipt'] = ok(body)
    },
  },
  'day-closings': day(views(DAYS)),
  'day-closings-months': closings(CLOSING_MONTHS, views(/^(By month|Par mois)$/)),
  'day-closings-empty': closings({ closings: [], more: false }, views(DAYS)),
  'day-closings-failed': {
    ...day(async (page) => {
      await page.getByRole('radio', { name: DAYS }).click()
      await page.getByRole('alert').waitFor()
    }),
    refused: true,
    set: ({ state }) => {
      state.answers[CLOSINGS] = refused('internal')
    },
  },
  'day-closing-opened': day(async (page) => {
    await views(DAYS)(page)
    await pushed(/(November 20|20 novembre)/)(page)
    await page.getByRole('article').waitFor()
  }),
  'day-close': {
    ...day(pushed(CLOSE_DAY)),
    set: ({ state }) => {
      state.answers[DAY] = ok({ ...DAY_LIST, waiting: { closed: 2, counted: 0, open: 1 } })
    },
  },
  'day-made': day(async (page) => {
    await pushed(CLOSE_DAY)(page)
    await dialog(page)
      .getByRole('button', { name: /^(Close day|Fermer la journée)$/ })
      .click()
    await page.getByRole('article').waitFor()
  }),
  'day-failed': {
    ...day(),
    refused: true,
    set: ({ state }) => {
      for (const path of ['GET /api/x-report', DAY, 'GET /api/shifts']) state.answers[path] = refused('internal')
    },
    act: async (page) => {
      await page.getByRole('alert').nth(1).waitFor()
    },
  },
}

/** Drawers, from the float to the close, and the end of the day. */
export const DRAWERS: ScreenFixtures = { ...DRAWER, ...DAY_END }
