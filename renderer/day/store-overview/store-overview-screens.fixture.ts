import type { Page } from '@playwright/test'
import type { StoreState } from '../../../contracts/store/status.ts'
import english from '../../../contracts/i18n/en-CA/errors.ts'
import french from '../../../contracts/i18n/fr-CA/errors.ts'
import { SAM } from '../../testing/fixture-facts.ts'
import { MANY_DAY, MANY_LANES, MANY_QUEUE } from './many-lanes.fixture.ts'
import { STORE_DAY, STORE_LANES, storeState } from './store-overview.fixture.ts'
import type { FixtureTerminal } from '../../testing/fixture-terminal.ts'
import type { ScreenFixture, ScreenFixtures } from '../../testing/screen-fixture.ts'
import { ok } from '../../testing/answers.ts'

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
    state.answers[STORE] = ok(kind)
    for (const [path, body] of Object.entries(answers)) state.answers[path] = ok(body)
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
    state.answers[STORE] = ok(storeState(kind, over))
  },
  act: async (shown) => {
    await shown
      .getByRole('banner')
      .getByRole('button', { name: /^(Store|Magasin) ?(Conn|Slow|Lent|Off|Hors|Ref)/ })
      .click()
    await shown.getByRole('dialog').waitFor()
  },
})
const refusal = (code: 'store-pages-away' | 'store-pages-refused') => ({
  status: 503,
  body: { code, messages: { 'en-CA': english[code], 'fr-CA': french[code] }, correlationId: 'c' },
})
/** A page of a lane whose store does not show it, and why. */
const refused = (name: string, path: string, state: StoreState, code: Parameters<typeof refusal>[0]) => ({
  ...page(name),
  refused: true as const,
  set: (terminal: FixtureTerminal) => {
    terminal.state.answers[STORE] = ok(state)
    terminal.state.answers[path] = refusal(code)
  },
  act: async (shown: Page) => {
    await shown.getByRole('alert').waitFor()
  },
})
/** The answer to this address does not come. */
const silent = (terminal: FixtureTerminal, ending: string): void =>
  void terminal.held.add({ ending, asked: () => undefined, released: new Promise(() => undefined) })
const LANES = 'GET /api/store/lanes'
const TODAY = 'GET /api/store/days/today'

/** The pages of all lanes of the store, and the store in the status bar. */
export const OF_STORE_OVERVIEW: ScreenFixtures = {
  'store-connected': bar('connected'),
  'store-slow': bar('slow'),
  'store-away': bar('away', { untold: 12 }),
  'store-refused': bar('refused', { untold: 3, aside: 1 }),
  'store-lanes': page('lanes', table),
  'store-lanes-revoked': page('lanes', {
    answers: {
      [LANES]: {
        ...STORE_LANES,
        lanes: STORE_LANES.lanes.map((one) => ({ ...one, refused: one.lane === '03' ? 'revoked' : null })),
      },
    },
    ...table,
  }),
  'store-day-kept': {
    ...page('day'),
    refused: true,
    act: async (shown, { state }) => {
      await shown.getByRole('table').first().waitFor()
      state.answers[TODAY] = refusal('store-pages-away')
      await shown.getByRole('button', { name: /^(Refresh|Actualiser)$/ }).click()
      await shown.getByRole('alert').waitFor()
    },
  },
  'store-lanes-alone': page('lanes', { state: storeState('none') }),
  'store-lanes-empty': page('lanes', { answers: { 'GET /api/store/lanes': { lanes: [], thisLane: '01' } } }),
  'store-lanes-many': page('lanes', { answers: { [LANES]: MANY_LANES }, ...table }),
  'store-lanes-away': refused('lanes', LANES, storeState('away', { untold: 4 }), 'store-pages-away'),
  'store-lanes-refused': refused('lanes', LANES, storeState('refused'), 'store-pages-refused'),
  'store-lanes-waiting': {
    ...page('lanes', { state: storeState('slow') }),
    set: (terminal) => {
      terminal.state.answers[STORE] = ok(storeState('slow'))
      silent(terminal, '/api/store/lanes')
    },
    ...waits(async (shown) => {
      await shown.locator('main').last().getByRole('status').first().waitFor()
    }),
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
  'store-day-many': page('day', { answers: { [TODAY]: MANY_DAY }, ...table }),
  'store-day-away': refused('day', TODAY, storeState('away'), 'store-pages-away'),
  'store-queue': page('queue', table),
  'store-queue-many': page('queue', { answers: { 'GET /api/store/queue': MANY_QUEUE }, ...table }),
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
