import type { Page } from '@playwright/test'
import english from '../../../contracts/i18n/en-CA/exceptions.ts'
import french from '../../../contracts/i18n/fr-CA/exceptions.ts'
import { SAM } from '../../testing/fixture-facts.ts'
import { EARNED_DETAIL, ENTRIES, NOTICES, UNANSWERED_DETAIL } from './queue.fixture.ts'
import type { ScreenFixture, ScreenFixtures } from '../../testing/screen-fixture.ts'
import { ok } from '../../testing/answers.ts'

const QUEUE = { path: '/manager/queue', person: SAM } as const satisfies ScreenFixture
const MANAGER_QUEUE = 'GET /api/queue'

async function openEntry(page: Page, sale: RegExp): Promise<void> {
  await page.getByRole('button', { name: sale }).click()
  await page.getByRole('dialog').getByRole('definition').first().waitFor()
}
/** An order that a manager may give for an entry, with its form open. */
const order =
  (sale: RegExp, words: RegExp) =>
  async (page: Page): Promise<void> => {
    await openEntry(page, sale)
    await page.getByRole('dialog').getByRole('button', { name: words }).click()
    await page.getByRole('dialog').getByRole('textbox').last().waitFor()
  }
const list = (over: object): object => ({
  summary: { waiting: 2, sending: 0, attention: 1, central: 'online' },
  accepted: 0,
  sendable: 0,
  bulk: null,
  secretRefused: null,
  notices: NOTICES,
  slips: [],
  entries: ENTRIES,
  ...over,
})

/** Another entry in the list beside the everyday ones, and all of it. */
const withEntry =
  (detail: { readonly id: string }): ScreenFixture['set'] =>
  ({ state }) => {
    state.answers[MANAGER_QUEUE] = ok(list({ notices: [], entries: [detail, ...ENTRIES] }))
    state.answers[`GET /api/queue/${detail.id}`] = ok(detail)
  }

export const CARD_TRANSACTIONS = [
  {
    reference: 'A1B2C3D4E5',
    saleId: 'N10101000000433MPX',
    returnId: null,
    kind: 'payment',
    amountCents: 4_531,
    state: 'unknown',
    reason: 'no-answer',
    askedAt: '2026-11-21T13:55:00.000Z',
  },
  {
    reference: 'F6G7H8J9K0',
    saleId: 'N1010100000031K7Q9',
    returnId: null,
    kind: 'refund',
    amountCents: 1_299,
    state: 'declined',
    reason: 'refused',
    askedAt: '2026-11-21T13:40:00.000Z',
  },
]

/** What is on its way, and what a manager has to settle. */
export const MANAGER: ScreenFixtures = {
  queue: { ...QUEUE },
  'queue-card': {
    ...QUEUE,
    set: ({ state }) => {
      state.answers['GET /api/card-transactions'] = ok({ entries: CARD_TRANSACTIONS })
    },
    act: async (page) => {
      await page.getByRole('button', { name: /^(Card was not charged|Carte non débitée)/ }).click()
      await page.getByRole('textbox', { name: /^(Finding|Constat)/ }).waitFor()
    },
  },
  'queue-entry': { ...QUEUE, act: (page) => openEntry(page, /419HRD/) },
  'queue-resolve': {
    ...QUEUE,
    act: async (page) => {
      await order(/419HRD/, /Resolve|Régler/)(page)
      await page.getByRole('radio').first().waitFor()
    },
  },
  'queue-correct': {
    ...QUEUE,
    act: async (page) => {
      await order(/427QZK/, /Correct|Corriger/)(page)
      await page
        .getByRole('dialog')
        .getByText(/^(Another card|Une autre carte)$/)
        .click()
      await page.getByRole('textbox', { name: /^(Or enter|Ou entrez)/ }).waitFor()
    },
  },
  'queue-empty': {
    ...QUEUE,
    set: ({ state }) => {
      const summary = { waiting: 0, sending: 0, attention: 0, central: 'online' }
      state.answers[MANAGER_QUEUE] = ok(list({ summary, notices: [], entries: [] }))
    },
  },
  'queue-notice': {
    ...QUEUE,
    act: async (page) => {
      await page.getByRole('button', { name: /^(Mark as resolved|Marquer comme réglé)/ }).click()
      await page.getByRole('textbox', { name: /done|fait/ }).waitFor()
    },
  },
  'queue-slip': {
    ...QUEUE,
    set: ({ state }) => {
      const money = { slipCents: 2500, dueCents: 2000, overCents: 500 }
      const facts = { number: 41, at: '2026-11-21T14:03:12.000Z', by: 'Alex Tremblay', saleId: 'N10101000000419HRD' }
      const slips = [{ ...facts, ...money, reference: 'T1' }]
      state.answers[MANAGER_QUEUE] = ok(list({ notices: [], slips }))
    },
    act: async (page) => {
      await page.getByRole('button', { name: /^(Mark as resolved|Marquer comme réglé)/ }).click()
      await page.getByRole('textbox', { name: /given back|rendue/ }).waitFor()
    },
  },
  'queue-secret': {
    ...QUEUE,
    set: ({ state }) => {
      state.central = 'secret-refused'
      const { says, todo } = english.state['secret-refused']
      const inFrench = french.state['secret-refused']
      const words = { says: { 'en-CA': says, 'fr-CA': inFrench.says }, todo: { 'en-CA': todo, 'fr-CA': inFrench.todo } }
      const secretRefused = { since: '2026-11-21T14:03:12.000Z', ...words }
      state.answers[MANAGER_QUEUE] = ok(list({ secretRefused }))
    },
  },
  'queue-unanswered': { ...QUEUE, set: withEntry(UNANSWERED_DETAIL), act: (page) => openEntry(page, /433MPX/) },
  'queue-earned': { ...QUEUE, set: withEntry(EARNED_DETAIL), act: (page) => openEntry(page, /435KWD/) },
  'queue-give': { ...QUEUE, set: withEntry(EARNED_DETAIL), act: order(/435KWD/, /Give miles|Donner des milles/) },
}
