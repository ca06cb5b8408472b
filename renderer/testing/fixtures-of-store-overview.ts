import type { Page } from '@playwright/test'
import type { StoreState } from '../../contracts/api/store.ts'
import english from '../../contracts/i18n/en-CA/errors.ts'
import french from '../../contracts/i18n/fr-CA/errors.ts'
import { SAM } from './fixture-facts.ts'
import { STORE_DAY, storeState } from './fixture-store-overview.ts'
import type { ScreenFixture, ScreenFixtures } from './screen-fixture.ts'

const STORE = 'GET /api/store'
/** A page of all lanes, of a lane that stands so with its store, with other answers. */
const page = (
  name: string,
  {
    state: kind = storeState('connected'),
    answers = {},
    ...over
  }: Partial<ScreenFixture> & {
    readonly state?: StoreState
    readonly answers?: Readonly<Record<string, object>>
  } = {},
): ScreenFixture => ({
  path: `/manager/store-${name}`,
  person: SAM,
  set: ({ state }) => {
    state.answers[STORE] = { status: 200, body: kind }
    for (const [path, body] of Object.entries(answers)) state.answers[path] = { status: 200, body }
  },
  ...over,
})
const waits = (look: (page: Page) => Promise<void>) => ({ act: look })
const table = waits(async (shown) => {
  await shown.getByRole('table').first().waitFor()
})
/** The status bar with the store as it is, and its entry open. */
const bar = (kind: StoreState['kind'], over: Partial<StoreState> = {}): ScreenFixture => ({
  person: SAM,
  set: ({ state }) => {
    state.answers[STORE] = { status: 200, body: storeState(kind, over) }
  },
  act: async (shown) => {
    await shown
      .getByRole('banner')
      .getByRole('button', { name: /^(Store|Magasin) ?(Conn|Slow|Lent|Off|Hors|Ref)/ })
      .click()
    await shown.getByRole('dialog').waitFor()
  },
})
const away = {
  status: 503,
  body: {
    code: 'store-pages-away',
    messages: { 'en-CA': english['store-pages-away'], 'fr-CA': french['store-pages-away'] },
    correlationId: 'c',
  },
}
const TODAY = 'GET /api/store/days/today'

/** The pages of all lanes of the store, and the store in the status bar. */
export const OF_STORE_OVERVIEW: ScreenFixtures = {
  'store-connected': bar('connected'),
  'store-slow': bar('slow'),
  'store-away': bar('away', { untold: 12 }),
  'store-refused': bar('refused', { untold: 3, aside: 1 }),
  'store-lanes': page('lanes', table),
  'store-lanes-alone': page('lanes', { state: storeState('none') }),
  'store-lanes-empty': page('lanes', { answers: { 'GET /api/store/lanes': { lanes: [], thisLane: '01' } } }),
  'store-lanes-away': {
    ...page('lanes'),
    refused: true,
    set: ({ state }) => {
      state.answers[STORE] = { status: 200, body: storeState('away', { untold: 4 }) }
      state.answers['GET /api/store/lanes'] = away
    },
    act: async (shown) => {
      await shown.getByRole('alert').waitFor()
    },
  },
  'store-day': page('day', table),
  'store-day-z': page('day', {
    act: async (shown) => {
      await shown.getByRole('button', { name: /^(Open Z 11|Ouvrir le Z 11)/ }).click()
      await shown.getByRole('dialog').getByRole('region').waitFor()
    },
  }),
  'store-day-closed': page('day', {
    act: async (shown) => {
      await shown.getByRole('table').last().scrollIntoViewIfNeeded()
    },
  }),
  'store-day-empty': page('day', {
    answers: {
      [TODAY]: { ...STORE_DAY, lanes: [], zs: [], shifts: [], withoutZ: [], incomplete: [] },
    },
  }),
  'store-queue': page('queue', table),
  'store-queue-empty': page('queue', { answers: { 'GET /api/store/queue': { lanes: [], calls: [] } } }),
  'store-reconciliation': page('reconciliation', table),
  'store-reconciliation-empty': page('reconciliation', { answers: { 'GET /api/store/reconciliation': { days: [] } } }),
  'store-reconciliation-day': page('reconciliation', {
    act: async (shown) => {
      await shown.getByRole('row').nth(2).getByRole('button').click()
      await shown.getByRole('dialog').getByRole('table').waitFor()
    },
  }),
  'store-reconciliation-made': page('reconciliation', {
    act: async (shown) => {
      await shown.getByRole('row').nth(2).getByRole('button').click()
      await shown
        .getByRole('dialog')
        .getByRole('button', { name: /original/ })
        .click()
      await shown.getByRole('dialog').getByRole('status').waitFor()
    },
  }),
}
