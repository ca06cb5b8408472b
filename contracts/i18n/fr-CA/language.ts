import type { Language } from '../language.ts'

export default {
  name: 'Français',
  loadingAgain: 'Nouveau chargement de Milepost…',
  short: 'fr',
  namesRequired: true,
  acceptLanguage: 'fr-CA',
  // Before a colon, a percent or a dollar sign, inside quotation marks, and in "3 h 30".
  unbroken: [/ (?=[:%$»])|(?<=\d) (?=h\b)|(?<=\d[ \u00a0]h) (?=\d)/g, /(?<=«) /g],
  firstOfMonth: '1er',
  paper: { decimal: ',', thousands: ' ', dollars: ['', ' $'] },
  touch: {
    letters: ['qwertyuiop', 'asdfghjklé', 'zxcvbnmè'],
    besideSpace: ["àç'", '-'],
    accents: 'êâîôûëïüùœ',
  },
  screens: () => import('./initial-screens.ts'),
  storeScreens: () => import('./screens-of-store.ts'),
  program: () => import('./program.ts'),
} as const satisfies Language
