import type { Page } from '@playwright/test'
import type { ProblemCode } from '../../../contracts/core/errors.ts'
import type { StoreState } from '../../../contracts/store/status.ts'
import { STORE_DAY, STORE_LANES, STORE_QUEUE, storeState } from './store-overview.fixture.ts'
import { refusal } from '../../testing/answers.ts'
import { managed, SAM, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'

const IDS = Array.from({ length: 30 }, (_, at) => String(at + 1).padStart(2, '0'))
const NAME = 'Marie-Ève Desrochers-Lavallée de la Durantaye'
const nth = <One>(of: readonly One[], at: number): One[] => of.slice(at % of.length, (at % of.length) + 1)

const MANY_LANES = {
  ...STORE_LANES,
  thisLane: '17',
  lanes: IDS.flatMap((lane, at) => nth(STORE_LANES.lanes, at).map((one) => ({ ...one, lane }))),
}
const MANY_DAY = {
  ...STORE_DAY,
  lanes: IDS.flatMap((lane, at) => nth(STORE_DAY.lanes, at).map((one) => ({ ...one, lane }))),
  zs: IDS.flatMap((lane, at) => nth(STORE_DAY.zs, at).map((z) => ({ ...z, lane, closedBy: NAME }))),
  shifts: IDS.flatMap((lane, at) =>
    nth(STORE_DAY.shifts, at).map((shift) => ({ ...shift, lane, id: at, closedBy: NAME, drawerOf: NAME })),
  ),
  withoutZ: IDS,
  incomplete: IDS,
}
const MANY_QUEUE = {
  lanes: IDS.map((lane) => ({ lane, attention: 7 })),
  calls: IDS.flatMap((lane, at) => nth(STORE_QUEUE.calls, at).map((call) => ({ ...call, lane, id: `op-${lane}` }))),
}

const STORE = 'GET /api/store'
const page = (name: string, answers: object = {}, act?: ScreenFixture['act']): ScreenFixture =>
  managed(`store-${name}`, { answers: { [STORE]: storeState('connected'), ...answers }, act })
const table = (shown: Page): Promise<void> => shown.getByRole('table').first().waitFor()
const bar = (kind: StoreState['kind'], over: Partial<StoreState> = {}): ScreenFixture => ({
  person: SAM,
  answers: { [STORE]: storeState(kind, over) },
  act: async (shown) => {
    await shown
      .getByRole('banner')
      .getByRole('button', { name: /^(Store|Magasin) ?(Conn|Slow|Lent|Off|Hors|Ref)/ })
      .click()
    await shown.getByRole('dialog').waitFor()
  },
})
const refused = (name: string, path: string, state: object, code: ProblemCode): ScreenFixture => ({
  ...page(name, { [STORE]: state }, (shown) => shown.getByRole('alert').waitFor()),
  refusals: { [path]: code },
})
const LANES = 'GET /api/store/lanes'
const TODAY = 'GET /api/store/days/today'

export const OF_STORE_OVERVIEW: ScreenFixtures = {
  'store-connected': bar('connected'),
  'store-slow': bar('slow'),
  'store-offline': bar('away', { untold: 12 }),
  'store-refused': bar('refused', { untold: 3, aside: 1 }),
  'store-lanes': page('lanes', {}, table),
  'store-lanes-revoked': page(
    'lanes',
    {
      [LANES]: {
        ...STORE_LANES,
        lanes: STORE_LANES.lanes.map((one) => ({ ...one, refused: one.lane === '03' ? 'revoked' : null })),
      },
    },
    table,
  ),
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
  'store-lanes-alone': page('lanes', { [STORE]: storeState('none') }),
  'store-lanes-empty': page('lanes', { [LANES]: { thisLane: '01' } }),
  'store-lanes-many': page('lanes', { [LANES]: MANY_LANES }, table),
  'store-lanes-offline': refused('lanes', LANES, storeState('away', { untold: 4 }), 'store-pages-away'),
  'store-lanes-refused': refused('lanes', LANES, storeState('refused'), 'store-pages-refused'),
  'store-lanes-waiting': {
    ...page('lanes', { [STORE]: storeState('slow') }, (shown) =>
      shown.locator('main').last().getByRole('status').first().waitFor(),
    ),
    set: ({ held }) => {
      held.add({ ending: '/api/store/lanes', asked: () => undefined, released: new Promise(() => undefined) })
    },
  },
  'store-day': page('day', {}, table),
  'store-day-z': page('day', {}, async (shown) => {
    await shown.getByRole('button', { name: /^(Open Z 11|Ouvrir le Z 11)/ }).click()
    await shown.getByRole('dialog').getByRole('region').waitFor()
  }),
  'store-day-closed': page('day', {}, (shown) => shown.getByRole('table').last().scrollIntoViewIfNeeded()),
  'store-day-empty': page('day', {
    [TODAY]: { ...STORE_DAY, lanes: [], zs: [], shifts: [], withoutZ: [], incomplete: [] },
  }),
  'store-day-many': page('day', { [TODAY]: MANY_DAY }, table),
  'store-day-offline': refused('day', TODAY, storeState('away'), 'store-pages-away'),
  'store-queue': page('queue', {}, table),
  'store-queue-many': page('queue', { 'GET /api/store/queue': MANY_QUEUE }, table),
  'store-queue-empty': page('queue', { 'GET /api/store/queue': {} }),
  'store-reconciliation': page('reconciliation', {}, table),
  'store-reconciliation-empty': page('reconciliation', { 'GET /api/store/reconciliation': {} }),
  'store-reconciliation-day': page('reconciliation', {}, async (shown) => {
    await shown.getByRole('row').nth(2).getByRole('button').click()
    await shown.getByRole('dialog').getByRole('table').waitFor()
  }),
  'store-reconciliation-made': page('reconciliation', {}, async (shown) => {
    await shown.getByRole('row').nth(2).getByRole('button').click()
    await shown
      .getByRole('dialog')
      .getByRole('button', { name: /original/ })
      .click()
    await shown.getByRole('dialog').getByRole('status').waitFor()
  }),
}
