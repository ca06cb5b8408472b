import { CardFault } from '../../../contracts/operations/training.ts'
import type { FixtureState } from '../../testing/fixture-terminal.ts'
import { withMember } from '../../testing/sales.ts'
import { localizeFor, type ScreenFixtures } from '../../testing/screen-fixture.ts'

const card = (id: string, en: string, fr: string) => ({ id, label: { 'en-CA': en, 'fr-CA': fr } })
const training = (state: FixtureState) => ({
  cards: [
    card('fine', 'Plenty of miles', 'Beaucoup de milles'),
    card('suppressed', 'Balances kept private', 'Soldes gardés privés'),
    card('payment', 'A payment card by mistake', 'Une carte de paiement par erreur'),
  ],
  devices: ['card-reader', 'scanner', 'printer', 'line-display', 'scale'].map((role) => ({
    role,
    plugged: role !== 'scanner',
  })),
  printer: { paper: 'ok', cover: 'closed', drawer: 'closed', drawerHeld: false, answers: true },
  central: 'silent',
  phone: true,
  cardTerminal: { faults: CardFault.options, next: 'answer-lost', customerWaits: true },
  scale: { unit: 'kg', loadThousandths: 1_235, fault: 'unstable' },
  oneTimeScenarios: [
    'paper-out-during-job',
    'printer-unplugged-during-job',
    'card-reader-unplugged-during-swipe',
    'scanner-chatters',
  ],
  waiting: ['paper-out-during-job'],
  display: [
    localizeFor(state)('Whole milk 2 L  5.49', 'Lait entier 2 L 5,49'),
    localizeFor(state)('TOTAL          $5.49', 'TOTAL         5,49 $'),
  ],
  lastPaper: [
    '          Milepost Training Store',
    localizeFor(state)('Whole milk 2 L                        5.49', 'Lait entier 2 L                       5,49'),
    '',
  ].join('\n'),
})

export const TRAINING_FACTS = {
  'POST /api/training/play': training,
  'POST /api/training/central': training,
  'POST /api/training/phone': training,
  'POST /api/training/card-terminal': training,
  'POST /api/training/scale': training,
  'GET /api/training/panel': training,
}

export const TRAINING: ScreenFixtures = {
  training: {
    sale: withMember(),
    act: async (page) => {
      await page.keyboard.press('F10')
      await page.getByRole('complementary').getByRole('listitem').nth(3).waitFor()
    },
  },
  'training-central': {
    sale: withMember(),
    act: async (page) => {
      await page.keyboard.press('F10')
      const central = page
        .getByRole('complementary')
        .getByRole('region', { name: /^(Miles service|Service de milles)$/ })
      await central.waitFor()
      await central.evaluate((section) => section.scrollIntoView())
    },
  },
}
