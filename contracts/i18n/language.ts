import type program from './en-CA/program.ts'
import type screens from './en-CA/screens-at-once.ts'
import type storeScreens from './en-CA/screens-of-store.ts'
import type { SameKeys } from './same-keys.ts'

/** What a language is beside its words: all that the program must know of it, so that no code asks which one it is. */
export interface Language {
  /** Its own name, as its speakers look for it on a button. */
  readonly name: string
  /** What the page says before it has its words, while it is loaded once more. */
  readonly loadingAgain: string
  /** How a command line, a column of the catalog file and a browser abbreviate it. */
  readonly short: string
  /**
   * Whether a store must give its own names in it, of items, departments and coupons. Else a name that is left out is
   * said in the first language that has one.
   */
  readonly namesRequired: boolean
  /** How the offers service is asked for it: "en-US or fr-CA" (specification 1 §4.1). */
  readonly acceptLanguage: string
  /** The spaces of its writing at which no line may end. */
  readonly unbroken: readonly RegExp[]
  /** The first day of a month in a written date. */
  readonly firstOfMonth: string
  /** How figures are printed, in signs that thermal fonts have. */
  readonly paper: {
    readonly decimal: string
    readonly thousands: string
    /** What stands before and after an amount of dollars. */
    readonly dollars: readonly [before: string, after: string]
  }
  /** The keys on a touch screen, ten a row at most: what is no letter and no accent stands at the same place in all. */
  readonly touch: {
    readonly letters: readonly [upper: string, home: string, lower: string]
    /** The signs at the left and the right of the space bar, under the letters. */
    readonly besideSpace: readonly [left: string, right: string]
    /** The first row of the signs: letters that are not on the others. */
    readonly accents: string
  }
  /**
   * Its words, which are fetched where they are needed: those of the screens, of the manager's pages, and of the
   * program beside them.
   */
  readonly screens: () => Promise<{ readonly default: SameKeys<typeof screens> }>
  readonly storeScreens: () => Promise<{ readonly default: SameKeys<typeof storeScreens> }>
  readonly program: () => Promise<{ readonly default: SameKeys<typeof program> }>
}
