import type { Page } from '@playwright/test'
import type { WaitingChanges } from '../../../contracts/staff/settings.ts'
import type { FixtureState } from '../../testing/fixture-terminal.ts'
import { withMember } from '../../testing/sales.ts'
import {
  PERSON_KEY_GAP_MS,
  ALEX,
  managed,
  MARIE,
  SAM,
  type ScreenFixture,
  type ScreenFixtures,
} from '../../testing/screen-fixture.ts'

export const PEOPLE_FACTS = {
  'GET /api/staff': () => ({ staff: [ALEX, MARIE, SAM] }),
  'POST /api/sign-in': (state: FixtureState) => {
    state.signedIn = ALEX
    return { staff: ALEX }
  },
  'PUT /api/staff/me/locale': () => ({}),
  'GET /api/sessions': () => ({
    sessions: [
      {
        id: 'aa',
        staff: SAM,
        openedAt: '2026-11-21T14:03:12.000Z',
        signedInAt: '2026-11-21T14:03:12.000Z',
        here: true,
      },
      { id: 'bb', staff: null, openedAt: '2026-11-21T13:03:12.000Z', signedInAt: null, here: false },
    ],
  }),
  'GET /api/people': () => ({
    people: [
      {
        ...SAM,
        pin: 'own',
        badge: 'active',
        mayNotApprove: true,
        active: true,
        ofProfile: true,
      },
      {
        ...ALEX,
        pin: 'temporary',
        lockedUntil: '2026-11-21T14:13:12.000Z',
        badge: 'none',
        active: true,
        ofProfile: true,
      },
      {
        ...MARIE,
        pin: 'none',
        approvalsLockedUntil: '2026-11-21T14:08:12.000Z',
        badge: 'none',
        active: true,
        ofProfile: true,
      },
      {
        ...MARIE,
        id: 'jo',
        name: 'Jo Lavallée-Fitzgerald',
        pin: 'none',
        badge: 'none',
      },
    ],
  }),
  'POST /api/people/alex/reset-pin': () => ({ id: 'alex', pin: '482615' }),
}

const made = { lane: '02', at: '2026-11-21T13:40:00.000Z', by: 'Sam Okafor' }

export const WAITING_CHANGES: WaitingChanges = {
  changes: [
    {
      ...made,
      kind: 'person',
      subject: 'marie',
      clock: 1,
      what: { of: 'person', name: 'Marie Gagnon', role: 'supervisor', before: 'cashier', pinFrom: '02' },
    },
    { ...made, kind: 'person-pin', subject: 'sam', clock: 2, what: { of: 'pin', name: 'Sam Okafor' } },
    { ...made, kind: 'person-badge', subject: 'sam', clock: 3, what: { of: 'badge', name: 'Sam Okafor' } },
    {
      ...made,
      kind: 'setting',
      subject: 'approvals.discountAbovePercent',
      clock: 4,
      what: { of: 'setting', name: 'approvals.discountAbovePercent', before: 10, after: [25] },
    },
  ],
}

const newPin = (act: (page: Page) => Promise<void>): ScreenFixture => ({
  person: null,
  refusals: { 'POST /api/sign-in': 'pin-change-required' },
  act: async (page) => {
    await page.getByRole('button', { name: /Alex/ }).click()
    await page.keyboard.type('1234', { delay: PERSON_KEY_GAP_MS })
    await page.keyboard.press('Enter')
    await page.getByText(/^(Choose a new PIN|Choisissez un nouveau NIP)/).waitFor()
    await act(page)
  },
})

const STAFF = managed('staff')

export const PEOPLE: ScreenFixtures = {
  'sign-in': {
    person: null,
    act: async (page) => {
      await page.getByRole('button', { name: /Alex/ }).click()
      await page.keyboard.type('12', { delay: PERSON_KEY_GAP_MS })
    },
  },
  'switch-cashier': {
    sale: withMember(),
    act: async (page) => {
      await page.keyboard.press('F12')
      await page.getByRole('dialog').getByRole('button', { name: /Sam/ }).click()
    },
  },
  'sign-in-new-pin': newPin(async () => undefined),
  'sign-in-repeat-pin': newPin(async (page) => {
    await page.keyboard.type('5820', { delay: PERSON_KEY_GAP_MS })
    await page.keyboard.press('Enter')
    await page.getByText(/^(Confirm new PIN|Confirmez le nouveau NIP)/).waitFor()
  }),
  staff: STAFF,
  'staff-add': {
    ...STAFF,
    act: async (page) => {
      await page.getByRole('button', { name: /^(Add person|Ajouter une personne)/ }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  'staff-edit': {
    ...STAFF,
    act: async (page) => {
      await page.getByRole('button', { name: /^(Edit|Modifier) Alex/ }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  'staff-pin': {
    ...STAFF,
    act: async (page) => {
      await page.getByRole('button', { name: /^(Edit|Modifier) Alex/ }).click()
      await page.getByRole('button', { name: /^(Reset PIN|Réinitialiser le NIP)/ }).click()
      await page.getByText(/Replace the PIN|Remplacer le NIP/).waitFor()
      await page.getByRole('button', { name: /^(Reset PIN|Réinitialiser le NIP)/ }).click()
      await page.getByText('482615').waitFor()
    },
  },
  'staff-waiting': {
    ...STAFF,
    answers: { 'GET /api/waiting-changes': WAITING_CHANGES },
  },
  'staff-failed': {
    ...STAFF,
    refusals: { 'GET /api/people': 'internal' },
  },
}
