import { CAISSIERE, CASHIER, GERANTE, MANAGER } from './lane.ts'

/** The languages of the screens: who works in each, and which of two texts it shows. */
export const LANGUAGES = [
  { language: 'English', cashier: CASHIER, manager: MANAGER, localize: (english: string, _french: string) => english },
  {
    language: 'français',
    cashier: CAISSIERE,
    manager: GERANTE,
    localize: (_english: string, french: string) => french,
  },
] as const
