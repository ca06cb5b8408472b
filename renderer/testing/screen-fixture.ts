import type { Page } from '@playwright/test'
import type { Sale } from '../../contracts/sales/sales.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'

/** The words of a fixture in the language that it is shown in: what a person of that language would have typed. */
export type Say = (english: string, french: string) => string

/** One state of a screen: what the terminal holds, which page is open, and what is done until the state is there. */
export interface ScreenFixture {
  readonly sale?: Sale | ((say: Say) => Sale)
  readonly path?: string
  readonly person?: object | null
  readonly act?: (page: Page, terminal: FixtureTerminal, say: Say) => Promise<void>
  readonly set?: (terminal: FixtureTerminal, say: Say) => void
  /** The browser complains of a refusal that belongs to the fixture. */
  readonly refused?: true
}

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
