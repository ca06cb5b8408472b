import { managed, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'

const NOTES = {
  'en-CA': [
    'Returns: the receipt is found by the last four digits of the card.',
    'Drawer counts start with the coins.',
    'Faster start on lanes with many years of sales.',
  ].join('\n'),
  'fr-CA': [
    'Retours : le reçu se trouve par les quatre derniers chiffres de la carte.',
    'Le compte du tiroir commence par les pièces.',
    'Démarrage plus rapide des caisses qui ont des années de ventes.',
  ].join('\n'),
}

export const UPDATES = {
  slots: true,
  running: { version: '1.4.0', since: '2026-10-29T03:12:40.000Z', notes: NOTES },
  next: {
    version: '1.5.0',
    releasedAt: '2026-11-18T15:00:00.000Z',
    notes: NOTES,
    state: 'ready',
  },
  last: {
    version: '1.4.0',
    from: '1.3.2',
    outcome: 'running',
    at: '2026-10-29T03:12:40.000Z',
  },
  look: { at: '2026-11-21T13:40:00.000Z', trouble: null },
}

const updates = (answer: object): ScreenFixture =>
  managed('updates', { answers: { 'GET /api/updates': { ...UPDATES, ...answer } } })
const next = (change: object) => ({ next: { ...UPDATES.next, ...change } })

export const OF_UPDATES: ScreenFixtures = {
  updates: managed('updates'),
  'updates-fetching': updates(next({ state: 'fetching', bytes: { done: 73_600_000, total: 184_000_000 } })),
  'updates-tonight': updates(next({ state: 'tonight' })),
  'updates-not-now': {
    ...updates(next({ state: 'not-now', heldUntil: '2026-11-28T14:00:00.000Z' })),
    act: (page) => page.locator('summary').click(),
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
  'updates-no-slots': managed('updates', { answers: { 'GET /api/updates': { running: { version: '1.4.0' } } } }),
}
