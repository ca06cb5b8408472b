import type program from './en-CA/program.ts'
import type screens from './en-CA/initial-screens.ts'
import type storeScreens from './en-CA/screens-of-store.ts'
import type { SameKeys } from './same-keys.ts'

/** Properties of a language, so that no code depends on a specific one. */
export interface Language {
  readonly name: string
  /** Message of a page that reloads because its messages could not be loaded. */
  readonly loadingAgain: string
  /** Abbreviation of the language on command lines, in columns of the catalog file and in browsers. */
  readonly short: string
  /**
   * Whether a store must name its items, departments and coupons in this language. If not, a missing name is taken
   * from the first language that has one.
   */
  readonly namesRequired: boolean
  /** Value for the offers service: "en-US or fr-CA" (specification 1 §4.1). */
  readonly acceptLanguage: string
  /** Spaces at which a line must not break. */
  readonly unbroken: readonly RegExp[]
  readonly firstOfMonth: string
  readonly paper: {
    readonly decimal: string
    readonly thousands: string
    readonly dollars: readonly [before: string, after: string]
  }
  readonly touch: {
    readonly letters: readonly [upper: string, home: string, lower: string]
    readonly besideSpace: readonly [left: string, right: string]
    /** First row of symbols on the screen keyboard: letters with accents that are not on its rows of letters. */
    readonly accents: string
  }
  /**
   * Messages are loaded when they are needed: those of the screens, of the manager's pages, and of the program as a
   * whole.
   */
  readonly screens: () => Promise<{ readonly default: SameKeys<typeof screens> }>
  readonly storeScreens: () => Promise<{ readonly default: SameKeys<typeof storeScreens> }>
  readonly program: () => Promise<{ readonly default: SameKeys<typeof program> }>
}
