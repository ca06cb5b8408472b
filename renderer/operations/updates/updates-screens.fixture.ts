import { UPDATES } from './updates.fixture.ts'
import { SAM } from '../../testing/fixture-facts.ts'
import type { ScreenFixture, ScreenFixtures } from '../../testing/screen-fixture.ts'
import { ok } from '../../testing/answers.ts'

/** The page of the updates with another answer. */
const updates = (answer: object): ScreenFixture => ({
  path: '/manager/updates',
  person: SAM,
  set: ({ state }) => {
    state.answers['GET /api/updates'] = ok({ ...UPDATES, ...answer })
  },
})
const next = (change: object) => ({ next: { ...UPDATES.next, ...change } })

export const OF_UPDATES: ScreenFixtures = {
  updates: { path: '/manager/updates', person: SAM },
  'updates-fetching': updates(next({ state: 'fetching', bytes: { done: 73_600_000, total: 184_000_000 } })),
  'updates-tonight': updates(next({ state: 'tonight' })),
  'updates-not-now': {
    ...updates(next({ state: 'not-now', heldUntil: '2026-11-28T14:00:00.000Z' })),
    act: async (page) => {
      await page.locator('summary').click()
    },
  },
  'updates-went-back': updates({
    next: null,
    last: {
      version: '1.5.0',
      from: '1.4.0',
      outcome: 'went-back',
      why: 'ended',
      at: '2026-11-20T03:20:00.000Z',
    },
    look: { at: '2026-11-21T13:40:00.000Z', trouble: 'expired' },
  }),
  'updates-none': updates({ next: null, last: null }),
  'updates-no-slots': updates({
    slots: false,
    running: { version: '1.4.0', since: null, notes: null },
    next: null,
    last: null,
    look: null,
  }),
}
