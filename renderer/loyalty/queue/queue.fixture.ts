import type { Page } from '@playwright/test'
import english from '../../../contracts/i18n/en-CA/exceptions.ts'
import french from '../../../contracts/i18n/fr-CA/exceptions.ts'
import type { FixtureState } from '../../testing/fixture-terminal.ts'
import { managed, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'

const AT = '2026-11-21T14:03:12.000Z'
const id = (n: number) => `2c9d4f1e-0000-4000-8000-00000000000${n}`
const texts = (en: string, fr: string) => ({ 'en-CA': en, 'fr-CA': fr })
type State = keyof typeof english.state
const textsOf = (state: State, closes: readonly [string, string] = ['', '']) => ({
  says: texts(english.state[state].says, french.state[state].says),
  todo: texts(
    english.state[state].todo.replace('{closes}', closes[0]),
    french.state[state].todo.replace('{closes}', closes[1]),
  ),
})

const ALWAYS = { kind: 'issue', createdAt: AT, changedAt: AT, miles: 45 }
const dead = {
  ...ALWAYS,
  id: id(1),
  saleId: 'N10101000000427QZK',
  state: 'dead',
  attention: true,
  attempts: 1,
  responseCode: '230',
  says: texts(
    'The program refused this call for good. The program does not know the store’s location code.',
    'Le programme a refusé cet appel pour de bon. Le programme ne connaît pas le code d’emplacement du magasin.',
  ),
  todo: texts('Correct with this store’s location code.', 'Corrigez avec le code d’emplacement de ce magasin.'),
}
const ofMiles = { ...ALWAYS, attention: true, amountCents: 4000, miles: 380 }
const lost = {
  ...ofMiles,
  id: id(2),
  kind: 'redeem',
  saleId: 'N10101000000419HRD',
  state: 'escalated',
  attempts: 2,
  responseCode: '0008',
  says: texts(
    'The redemption is unknown: miles may have been taken. The customer paid another way.',
    'L’échange est incertain : les milles ont pu être pris. Le client a payé autrement.',
  ),
  todo: texts(
    'Ask the program’s support, with the trace id below, whether miles were taken.',
    'Demandez au soutien du programme, avec l’identifiant de trace ci-dessous, si les milles ont été pris.',
  ),
}
export const ENTRIES = [
  dead,
  lost,
  { ...ALWAYS, state: 'queued', attention: false, id: id(3), saleId: 'N10101000000431BWT' },
]

export const NOTICES = [
  {
    id: 1,
    code: '230',
    subject: 'N999',
    firstAt: AT,
    lastAt: AT,
    times: 12,
    newestId: id(3),
    saleId: 'N10101000000431BWT',
    says: texts(
      'The location code is unknown. Miles of its sales are on hold.',
      'Le code d’emplacement est inconnu. Les milles de ses ventes sont en attente.',
    ),
    todo: texts(
      'Have the installer correct the location code in the store’s profile.',
      'Faites corriger le code d’emplacement dans le profil du magasin par l’installateur.',
    ),
  },
]

const detail = (purpose: string, path: string, sends: number, states: readonly string[]) => ({
  collector: '•••• ••• 0011',
  entryMode: 'SWIPE',
  calls: [
    {
      purpose,
      path,
      traceId: '0f6e3c1a-7d21-4c55-9a54-58a2b24e3a11',
      idempotencyKey: '77c1b1de-3f6c-4a5b-9a54-58a2b24e3a11',
      dateTime: '2026-11-21T09:03:12.000-05:00',
      sends,
      firstSentAt: AT,
    },
  ],
  history: states.map((to, index) => ({ at: AT, from: states[index - 1] ?? null, to })),
})
export const DEAD_DETAIL = {
  ...dead,
  ...detail('issue', '/checkout/issuance/issue', 1, ['queued', 'sent', 'dead']),
  actions: ['correct', 'resolve'],
  mend: 'location',
  entryMode: null,
  locationCode: 'N999',
}
const LOST_DETAIL = {
  ...lost,
  ...detail('redeem', '/checkout/loyaltycash/redeem', 2, ['intent', 'retry', 'escalated']),
  actions: ['resolve'],
  units: 4,
}
const UNANSWERED = {
  ...ofMiles,
  id: id(5),
  kind: 'reverse',
  saleId: 'N10101000000433MPX',
  state: 'reversing',
  attempts: 2,
  detail: 'no answer: ETIMEDOUT',
  ...textsOf('reversal-unanswered', ['Nov 22, 2026, 03:00', '22 nov. 2026, 03 h 00']),
}
export const UNANSWERED_DETAIL = {
  ...UNANSWERED,
  ...detail('reverse', '/checkout/loyaltycash/reverse', 2, ['approved', 'reversing']),
  units: 4,
  confirmationNumber: '8842 0017 3351',
}

/** Miles that paid nothing and can no longer be returned: the manager issues store credit once. */
export const CREDIT_DUE = {
  ...ofMiles,
  id: id(7),
  kind: 'reverse',
  saleId: 'N10101000000437TXD',
  state: 'reversal-expired',
  attempts: 1,
  responseCode: '0080',
  ...textsOf('reversal-expired'),
}
export const CREDIT_DUE_DETAIL = {
  ...CREDIT_DUE,
  ...detail('reverse', '/checkout/loyaltycash/reverse', 1, ['approved', 'reversal-expired']),
  actions: ['credit', 'resolve'],
  creditCents: 4000,
  units: 4,
  confirmationNumber: '8842 0017 3352',
}
export const CREDITED_DETAIL = {
  ...CREDIT_DUE_DETAIL,
  actions: ['resolve'],
  creditCents: null,
  ...textsOf('reversal-credited'),
}

const EARNED = {
  ...ALWAYS,
  id: id(6),
  kind: 'post',
  saleId: 'N10101000000435KWD',
  state: 'accepted',
  attempts: 1,
  miles: 6,
  pendingMiles: 12,
  rejectedMiles: 30,
  responseCode: '207',
}
const EARNED_DETAIL = {
  ...EARNED,
  ...detail('post', '/issuance/post', 1, ['queued', 'sent', 'accepted']),
  actions: ['take-back', 'give'],
  transactionId: '3f0f7d0a-9c44-4d5e-8f7e-0d1f3c2b1a09',
  givable: ['NRBASE', 'NRCOFFEE', 'NRBONUS'],
  issued: [
    { issuanceOfferCode: 'NRBASE', offerId: 'O-1', miles: 6, left: 6, codes: ['200'] },
    { issuanceOfferCode: 'NRCOFFEE', offerId: 'O-2', pending: 12, left: 12, codes: ['207'] },
    { issuanceOfferCode: 'NRBONUS', offerId: 'O-3', rejected: 30, codes: ['204'] },
  ],
}

const correction = (number: number, what: string, over = {}) => ({
  number,
  at: AT,
  by: 'Sam Okafor',
  what,
  operationId: dead.id,
  saleId: dead.saleId,
  ...over,
})
const CORRECTIONS = {
  corrections: [
    correction(90, 'correct', { note: 'The customer had swiped another card' }),
    correction(88, 'credit', { amountCents: 4_000 }),
    correction(80, 'send-again-all', { operationId: null, saleId: null }),
    correction(71, 'take-back', { miles: 12, note: 'Counted twice' }),
    correction(70, 'slip-settled', { operationId: null, amountCents: 1_000, note: 'Refunded on the terminal' }),
  ],
}

export const QUEUE_FACTS = {
  'GET /api/queue/summary': ({ attention, central }: FixtureState) => ({ waiting: 2, attention, central }),
  'GET /api/queue': ({ attention, central }: FixtureState) => ({
    summary: { waiting: 2, attention, central },
    accepted: 1,
    sendable: 3,
    bulk: { total: 12, sent: 12, skipped: 1, startedAt: AT, endedAt: AT },
    notices: NOTICES,
    entries: ENTRIES,
  }),
  [`GET /api/queue/${DEAD_DETAIL.id}`]: () => DEAD_DETAIL,
  [`GET /api/queue/${LOST_DETAIL.id}`]: () => LOST_DETAIL,
  'GET /api/queue/corrections': () => CORRECTIONS,
}

const QUEUE = managed('queue')
const LIST = 'GET /api/queue'

async function openEntry(page: Page, sale: RegExp): Promise<void> {
  await page.getByRole('button', { name: sale }).click()
  await page.getByRole('dialog').getByRole('definition').first().waitFor()
}
const openForm =
  (sale: RegExp, texts: RegExp) =>
  async (page: Page): Promise<void> => {
    await openEntry(page, sale)
    await page.getByRole('dialog').getByRole('button', { name: texts }).click()
    await page.getByRole('dialog').getByRole('textbox').last().waitFor()
  }
const IN_LIST = { summary: { waiting: 2, attention: 1, central: 'online' }, entries: ENTRIES }
const withEntry = (one: object, all: { readonly id: string }): ScreenFixture => ({
  ...QUEUE,
  answers: { [LIST]: { ...IN_LIST, entries: [one, ...ENTRIES] }, [`GET /api/queue/${all.id}`]: all },
})
const SLIP = {
  number: 41,
  at: AT,
  by: 'Alex Tremblay',
  saleId: 'N10101000000419HRD',
  reference: 'T1',
  slipCents: 2500,
  dueCents: 2000,
  overCents: 500,
}

export const CARD_TRANSACTIONS = [
  {
    reference: 'A1B2C3D4E5',
    saleId: 'N10101000000433MPX',
    kind: 'payment',
    amountCents: 4_531,
    state: 'unknown',
    reason: 'no-answer',
    askedAt: '2026-11-21T13:55:00.000Z',
  },
  {
    reference: 'F6G7H8J9K0',
    saleId: 'N1010100000031K7Q9',
    kind: 'refund',
    amountCents: 1_299,
    state: 'declined',
    reason: 'refused',
    askedAt: '2026-11-21T13:40:00.000Z',
  },
]

export const MANAGER: ScreenFixtures = {
  queue: QUEUE,
  'queue-card': {
    ...QUEUE,
    answers: { 'GET /api/card-transactions': { entries: CARD_TRANSACTIONS } },
    act: async (page) => {
      await page.getByRole('button', { name: /^(Card was not charged|Carte non débitée)/ }).click()
      await page.getByRole('textbox', { name: /^(Finding|Constat)/ }).waitFor()
    },
  },
  'queue-entry': { ...QUEUE, act: (page) => openEntry(page, /419HRD/) },
  'queue-resolve': {
    ...QUEUE,
    act: async (page) => {
      await openForm(/419HRD/, /Resolve|Régler/)(page)
      await page.getByRole('radio').first().waitFor()
    },
  },
  'queue-correct': {
    ...QUEUE,
    act: async (page) => {
      await openForm(/427QZK/, /Correct|Corriger/)(page)
      await page
        .getByRole('dialog')
        .getByText(/^(Another card|Une autre carte)$/)
        .click()
      await page.getByRole('textbox', { name: /^(Or enter|Ou entrez)/ }).waitFor()
    },
  },
  'queue-empty': { ...QUEUE, answers: { [LIST]: { summary: { central: 'online' } } } },
  'queue-notice': {
    ...QUEUE,
    act: async (page) => {
      await page.getByRole('button', { name: /^(Mark as resolved|Marquer comme réglé)/ }).click()
      await page.getByRole('textbox', { name: /Action taken|Mesure prise/ }).waitFor()
    },
  },
  'queue-slip': {
    ...QUEUE,
    answers: { [LIST]: { ...IN_LIST, slips: [SLIP] } },
    act: async (page) => {
      await page.getByRole('button', { name: /^(Mark as resolved|Marquer comme réglé)/ }).click()
      await page.getByRole('textbox', { name: /given back|rendue/ }).waitFor()
    },
  },
  'queue-secret': {
    ...QUEUE,
    answers: {
      [LIST]: { ...IN_LIST, notices: NOTICES, secretRefused: { since: AT, ...textsOf('secret-refused') } },
    },
    set: ({ state }) => {
      state.central = 'secret-refused'
    },
  },
  'queue-unanswered': { ...withEntry(UNANSWERED, UNANSWERED_DETAIL), act: (page) => openEntry(page, /433MPX/) },
  'queue-earned': { ...withEntry(EARNED, EARNED_DETAIL), act: (page) => openEntry(page, /435KWD/) },
  'queue-give': { ...withEntry(EARNED, EARNED_DETAIL), act: openForm(/435KWD/, /Give miles|Donner des milles/) },
}
