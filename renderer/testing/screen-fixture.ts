import type { Page } from '@playwright/test'
import type { ProblemCode } from '../../contracts/core/errors.ts'
import type { Sale } from '../../contracts/sales/sales.ts'
import { ok, refusal, type Refusal } from './answers.ts'
import type { FixtureState, FixtureTerminal } from './fixture-terminal.ts'

export type Localize = (english: string, french: string) => string

/**
 * Returns the function that picks the language of a state's texts: that of the signed-in person, else the store's, as
 * in the backend.
 */
export const localizeFor =
  ({ signedIn, defaultLocale }: FixtureState): Localize =>
  (english, french) =>
    ((signedIn as { locale?: string } | null)?.locale ?? defaultLocale) === 'fr-CA' ? french : english

export const ALEX = { id: 'alex', name: 'Alex Tremblay', role: 'cashier', locale: 'en-CA' }
export const MARIE = { id: 'marie', name: 'Marie Gagnon', role: 'cashier', locale: 'fr-CA' }
export const SAM = { id: 'sam', name: 'Sam Okafor', role: 'manager', locale: 'en-CA' }

export interface ScreenFixture {
  readonly sale?: Sale | ((localize: Localize) => Sale)
  readonly path?: string
  readonly person?: object | null
  readonly act?: ((page: Page, terminal: FixtureTerminal, localize: Localize) => Promise<void>) | undefined
  /** The terminal's answers to calls ("METHOD path"), with the relevant fields only. */
  readonly answers?: Answers | ((localize: Localize) => Answers)
  readonly refusals?: Refusals | ((localize: Localize) => Refusals)
  readonly set?: (terminal: FixtureTerminal, localize: Localize) => void
  /** Set if the fixture causes a rejection that is not in `refusals`, which the browser reports as an error. */
  readonly refused?: true
}
type Answers = Readonly<Record<string, unknown>>
type Refusals = Readonly<Record<string, ProblemCode | Refusal>>

export function setUp(
  { answers = {}, refusals = {}, set }: ScreenFixture,
  terminal: FixtureTerminal,
  localize: Localize,
): void {
  set?.(terminal, localize)
  for (const [call, body] of Object.entries(resolved(answers, localize))) terminal.state.answers[call] = ok(body)
  for (const [call, problem] of Object.entries(resolved(refusals, localize)))
    terminal.state.answers[call] = typeof problem === 'string' ? refusal(problem) : refusal(problem.code, problem)
}
const resolved = <One extends object>(one: One | ((localize: Localize) => One), localize: Localize): One =>
  typeof one === 'function' ? one(localize) : one

export const managed = (page: string, more: ScreenFixture = {}): ScreenFixture => ({
  ...more,
  path: `/manager/${page}`,
  person: SAM,
})

/** Returns the smallest screen of a fixture: a customer display may be lower than the cashier's screen. */
export const smallestOf = ({ path }: ScreenFixture): { width: number; height: number } =>
  path === '/customer' ? { width: 1024, height: 600 } : { width: 1024, height: 768 }

export type ScreenFixtures = Readonly<Record<string, ScreenFixture>>

/** Pause between a person's keys in milliseconds: keys without a pause count as a scan. */
export const PERSON_KEY_GAP_MS = 80

/**
 * Presses keys one after another, each after the screen has rendered the previous one, because an opened dialog must
 * receive it.
 */
export const press =
  (...keys: string[]) =>
  async (page: Page): Promise<void> => {
    for (const key of keys) {
      await page.keyboard.press(key, { delay: PERSON_KEY_GAP_MS })
      await page.evaluate(
        () =>
          new Promise((resolve) => {
            requestAnimationFrame(() => requestAnimationFrame(resolve))
          }),
      )
    }
  }

export const open =
  (key: string, ...keys: string[]) =>
  async (page: Page): Promise<void> => {
    await page.keyboard.press(key)
    await page.getByRole('dialog').or(page.getByRole('alertdialog')).waitFor()
    await press(...keys)(page)
  }

export const miles = {
  number: 1,
  kind: 'miles',
  amountCents: 40_00,
  roundingCents: 0,
  tenderedCents: 40_00,
  changeCents: 0,
  reference: '8842 0017 3351',
} as const
export const cash = {
  number: 2,
  kind: 'cash',
  amountCents: 5_31,
  roundingCents: -1,
  tenderedCents: 20_00,
  changeCents: 14_70,
  reference: null,
} as const
