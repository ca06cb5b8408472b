import type { Page } from '@playwright/test'
import type { ProblemCode } from '../../contracts/core/errors.ts'
import type { Sale } from '../../contracts/sales/sales.ts'
import { ok, refusal, type Refusal } from './answers.ts'
import type { FixtureState, FixtureTerminal } from './fixture-terminal.ts'

/** The words of a fixture in the language that it is shown in: what a person of that language would have typed. */
export type Say = (english: string, french: string) => string

/** The language that the stand-in answers in, as the backend does: that of whoever is signed in, else the store's. */
export const sayOf =
  ({ signedIn, defaultLocale }: FixtureState): Say =>
  (english, french) =>
    ((signedIn as { locale?: string } | null)?.locale ?? defaultLocale) === 'fr-CA' ? french : english

export const ALEX = { id: 'alex', name: 'Alex Tremblay', role: 'cashier', locale: 'en-CA' }
export const MARIE = { id: 'marie', name: 'Marie Gagnon', role: 'cashier', locale: 'fr-CA' }
export const SAM = { id: 'sam', name: 'Sam Okafor', role: 'manager', locale: 'en-CA' }

/** One state of a screen: what the terminal holds, which page is open, and what is done until the state is there. */
export interface ScreenFixture {
  readonly sale?: Sale | ((say: Say) => Sale)
  readonly path?: string
  readonly person?: object | null
  readonly act?: ((page: Page, terminal: FixtureTerminal, say: Say) => Promise<void>) | undefined
  /** What the terminal answers to calls ("METHOD path"); each names only what the state is about. */
  readonly answers?: Answers | ((say: Say) => Answers)
  /** The calls that it refuses. */
  readonly refusals?: Refusals | ((say: Say) => Refusals)
  readonly set?: (terminal: FixtureTerminal, say: Say) => void
  /** The browser complains of a refusal that belongs to the fixture and is none of `refusals`. */
  readonly refused?: true
}
type Answers = Readonly<Record<string, unknown>>
type Refusals = Readonly<Record<string, ProblemCode | Refusal>>

/** Makes the terminal answer as the fixture has it. */
export function setUp({ answers = {}, refusals = {}, set }: ScreenFixture, terminal: FixtureTerminal, say: Say): void {
  set?.(terminal, say)
  for (const [call, body] of Object.entries(said(answers, say))) terminal.state.answers[call] = ok(body)
  for (const [call, problem] of Object.entries(said(refusals, say)))
    terminal.state.answers[call] = typeof problem === 'string' ? refusal(problem) : refusal(problem.code, problem)
}
const said = <One extends object>(one: One | ((say: Say) => One), say: Say): One =>
  typeof one === 'function' ? one(say) : one

/** A page of the manager, with a manager before it. */
export const managed = (page: string, more: ScreenFixture = {}): ScreenFixture => ({
  ...more,
  path: `/manager/${page}`,
  person: SAM,
})

/** The smallest screen that it stands on: a customer's display may be lower than the cashier's. */
export const smallestOf = ({ path }: ScreenFixture): { width: number; height: number } =>
  path === '/customer' ? { width: 1024, height: 600 } : { width: 1024, height: 768 }

export type ScreenFixtures = Readonly<Record<string, ScreenFixture>>

/** How far apart the keys of a person are: what is faster is a scanner that types. */
export const A_PERSON_MS = 80

/**
 * Keys one after another, each once the screen has drawn what the one before did: a dialog that is not there yet cannot
 * take it.
 */
export const press =
  (...keys: string[]) =>
  async (page: Page): Promise<void> => {
    for (const key of keys) {
      await page.keyboard.press(key, { delay: A_PERSON_MS })
      await page.evaluate(
        () =>
          new Promise((resolve) => {
            requestAnimationFrame(() => requestAnimationFrame(resolve))
          }),
      )
    }
  }

/** A dialog that the first key opens, and what the others do in it. */
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
