import type { Language } from '../language.ts'

export default {
  name: 'English',
  loadingAgain: 'Loading Milepost again…',
  short: 'en',
  namesRequired: true,
  acceptLanguage: 'en-US',
  unbroken: [],
  firstOfMonth: '1',
  paper: { decimal: '.', thousands: ',', dollars: ['$', ''] },
  touch: {
    letters: ['qwertyuiop', "asdfghjkl'", 'zxcvbnm-'],
    besideSpace: [',', '.'],
    accents: 'éèêëàâçîôû',
  },
  screens: () => import('./initial-screens.ts'),
  storeScreens: () => import('./screens-of-store.ts'),
  program: () => import('./program.ts'),
} as const satisfies Language
