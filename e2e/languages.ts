import { CAISSIERE, CASHIER, GERANTE, MANAGER } from './lane.ts'

export const LANGUAGES = [
  { language: 'English', cashier: CASHIER, manager: MANAGER, localize: (english: string, _french: string) => english },
  {
    language: 'français',
    cashier: CAISSIERE,
    manager: GERANTE,
    localize: (_english: string, french: string) => french,
  },
] as const
