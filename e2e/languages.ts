import { CAISSIERE, CASHIER, GERANTE, MANAGER } from './lane.ts'

/** The languages of the screens: who works in each, and which of two wordings is its own. */
export const LANGUAGES = [
  { language: 'English', cashier: CASHIER, manager: MANAGER, words: (english: string, _french: string) => english },
  { language: 'français', cashier: CAISSIERE, manager: GERANTE, words: (_english: string, french: string) => french },
] as const
