import { DAY_LIST } from '../day-end/day-end.fixture.ts'
import { checkOf, statusOf } from '../../operations/connection/connection.fixture.ts'
import { managed, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'
import { ok } from '../../testing/answers.ts'

const answered = (body: object) => ok(body)
const overview = (set: NonNullable<ScreenFixture['set']>): ScreenFixture =>
  managed('overview', {
    set,
    act: async (page) => {
      await page.getByRole('heading', { level: 3 }).first().waitFor()
    },
  })

/** What a manager must look at, and sales so far. */
export const OVERVIEW: ScreenFixtures = {
  overview: overview(({ state }) => {
    state.notOnPaper = 1
    state.answers['GET /api/diagnostics/maintenance'] = answered({
      clock: { state: 'off-central', aheadSeconds: 7_200 },
      backup: null,
      room: { freeMb: 41, neededMb: 65, state: 'short' },
      bundle: { kind: 'refused', number: 1_795_645_852, at: '2026-11-24T11:00:00Z' },
    })
  }),
  'overview-clear': {
    ...overview(({ state }) => {
      state.answers['GET /api/devices'] = answered({ devices: [{ role: 'printer', state: 'ready', detail: null }] })
      state.answers['GET /api/queue/summary'] = answered({ waiting: 0, sending: 0, attention: 1, central: 'online' })
      state.answers['GET /api/diagnostics/maintenance'] = answered({
        clock: { state: 'right', aheadSeconds: null },
        backup: { at: new Date().toISOString(), outcome: 'kept', file: 'daily.db', bytes: 204_800, detail: null },
        room: { freeMb: 52_000, neededMb: 65, state: 'enough' },
      })
      state.answers['GET /api/z-reports'] = answered({ ...DAY_LIST, waiting: { closed: 0, counted: 0, open: 1 } })
      state.answers['GET /api/diagnostics/connection'] = answered(statusOf({ check: checkOf({}) }))
    }),
    act: async (page, terminal) => {
      await page.getByRole('heading', { level: 3 }).first().waitFor()
      terminal.push({
        type: 'queue-changed',
        summary: { waiting: 0, sending: 0, attention: 0, central: 'online' },
      })
      await page.getByRole('heading', { name: /^(Nothing to do|Rien à faire)$/ }).waitFor()
    },
  },
}
