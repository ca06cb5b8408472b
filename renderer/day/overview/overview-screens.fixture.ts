import { DAY_LIST } from '../day-end/day-end.fixture.ts'
import { checkOf, statusOf } from '../../operations/connection/connection.fixture.ts'
import { managed, type ScreenFixtures } from '../../testing/screen-fixture.ts'

export const OVERVIEW: ScreenFixtures = {
  overview: managed('overview', {
    answers: {
      'GET /api/diagnostics/maintenance': {
        clock: { state: 'off-central', aheadSeconds: 7_200 },
        room: { freeMb: 41, neededMb: 65, state: 'short' },
        bundle: { kind: 'refused', number: 1_795_645_852, at: '2026-11-24T11:00:00Z' },
      },
    },
    set: ({ state }) => {
      state.notOnPaper = 1
    },
    act: (page) => page.getByRole('heading', { level: 3 }).first().waitFor(),
  }),
  'overview-clear': managed('overview', {
    answers: {
      'GET /api/devices': { devices: [{ role: 'printer', state: 'ready' }] },
      'GET /api/queue/summary': { attention: 1, central: 'online' },
      'GET /api/diagnostics/maintenance': {
        clock: { state: 'right' },
        backup: { at: new Date().toISOString(), outcome: 'kept', file: 'daily.db', bytes: 204_800 },
        room: { freeMb: 52_000, neededMb: 65, state: 'enough' },
      },
      'GET /api/z-reports': { ...DAY_LIST, waiting: { open: 1 } },
      'GET /api/diagnostics/connection': statusOf({ check: checkOf() }),
    },
    act: async (page, terminal) => {
      await page.getByRole('heading', { level: 3 }).first().waitFor()
      terminal.push({
        type: 'queue-changed',
        summary: { waiting: 0, sending: 0, attention: 0, central: 'online' },
      })
      await page.getByRole('heading', { name: /^(Nothing to do|Rien à faire)$/ }).waitFor()
    },
  }),
}
