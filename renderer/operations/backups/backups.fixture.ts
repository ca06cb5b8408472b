import { managed, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'

const AT = '2026-11-21T02:12:04.000Z'
const proof = (state: 'held' | 'broken' | 'none') => ({
  state,
  at: state === 'none' ? null : AT,
  problem: state === 'broken' ? 'the database is damaged' : null,
})
const backup = (name: string, kind: string, of: 'held' | 'broken' | 'none') => ({
  name,
  kind,
  at: AT,
  bytes: 184_000_000,
  proof: proof(of),
})
export const CLOSING = backup('closing-20261120-211204.db', 'closing', 'held')
const lost = (kind: string, count: number, totalCents: number | null, newest: readonly object[]) => ({
  kind,
  count,
  totalCents,
  newest,
})
const thing = (id: string, amountCents: number | null, detail: string | null = null) => ({
  id,
  at: AT,
  amountCents,
  detail,
})

const RESTORE_PREVIEW = {
  covers: 'p'.repeat(43),
  backup: CLOSING,
  newestEntryAt: AT,
  lost: [
    lost('sales', 42, 128_417, [thing('N1010100000042K7QZ', 2_259), thing('N1010100000041K7QZ', 1_299)]),
    lost('redemptions', 1, 4_000, [thing('N1010100000041K7QZ', 4_000, '884200173351')]),
    lost('vouchers-used', 1, 1_741, [thing('KQRT', 1_741, 'store-credit')]),
    lost('cash', 1, -2_500, [thing('paid-out', -2_500, 'Window cleaner')]),
    lost('z', 1, 128_417, [thing('12', 128_417)]),
    lost('staff', 1, null, [{ ...thing('Jo Lavallée-Fitzgerald', null, 'added'), at: null }]),
    lost('badges', 1, null, [{ ...thing('Jo Lavallée-Fitzgerald', null, 'assigned'), at: null }]),
    lost('settings', 1, null, [thing('approvals.returnFromDollars', null)]),
    lost('planned-prices', 1, null, [thing('1021', null, '549')]),
  ],
  waits: 3,
  answeredSince: 2,
  openSales: 1,
}

export const BACKUPS = {
  backups: [
    backup('hand-20261121-090312.db', 'hand', 'held'),
    CLOSING,
    backup('daily-20261120-090011.db', 'daily', 'broken'),
    backup('replaced-2026-11-19T14-03-12-000Z', 'before-restore', 'none'),
    backup('before-schema-3-1795270000000.db', 'before-migration', 'none'),
  ],
  copies: { folder: '/media/till-usb/milepost', state: 'not-there', lastAt: AT, lastFile: CLOSING.name, detail: null },
  last: { at: AT, outcome: 'kept' },
  preview: RESTORE_PREVIEW,
  restored: {
    at: AT,
    backup: 'closing-20261118-211204.db',
    outcome: 'restored',
    by: 'Sam Okafor',
    epoch: 2,
    entriesLost: 12,
    newestEntryAt: AT,
    seconds: 14.2,
  },
  epoch: 2,
}

const backups = (answer: object): ScreenFixture =>
  managed('backups', { answers: { 'GET /api/backups': { ...BACKUPS, ...answer } } })

export const OF_BACKUPS: ScreenFixtures = {
  backups: managed('backups'),
  'backups-empty': backups({ backups: [], preview: null, restored: null, copies: { state: 'off' } }),
  'backups-working': {
    ...backups({ work: { kind: 'backup', phase: 'copying', name: null, share: 0.4 } }),
    // The backups page polls, so the network is never idle.
    act: (page) => page.getByRole('progressbar').waitFor(),
  },
  'backups-failed': managed('backups', { refusals: { 'GET /api/backups': 'manager-required' } }),
  'backups-restore': managed('backups', {
    act: async (page) => {
      await page
        .getByRole('button', { name: /closing-20261120-211204/ })
        .last()
        .click()
      await page.getByRole('dialog').getByRole('table').waitFor()
      await page.getByRole('dialog').locator('summary').first().click()
    },
  }),
  'queue-corrections': managed('queue', {
    act: async (page) => {
      await page.getByRole('button', { name: /^Corrections/ }).click()
      await page.getByRole('dialog').getByRole('table').waitFor()
    },
  }),
}
