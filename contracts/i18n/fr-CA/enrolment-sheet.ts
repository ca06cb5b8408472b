import type english from '../en-CA/enrolment-sheet.ts'
import type { SameKeys } from '../same-keys.ts'

export default {
  title: 'Inscription de {store}',
  lane: 'Caisse {lane}',
  intro: 'Une carte par caisse; chaque code sert une fois. À garder sous clé, puis à déchiqueter.',
  step1: 'Démarrez Milepost à cette caisse. L’écran affiche « Inscrire cette caisse ».',
  step2: 'Balayez le code QR, ou tapez :',
  step3: 'Ouvrez la session avec votre NIP à usage unique, puis choisissez le vôtre.',
  step3ByHand: 'Demandez à l’installateur de définir un premier NIP pour chaque personne.',
  service: 'Service',
  code: 'Code',
  check: 'Vérification du serveur',
  expires: 'Valide jusqu’au {time}',
  pinsTitle: 'NIP à usage unique de {store}',
  pinsIntro: 'Remettez à chaque personne son NIP en main propre. Déchiquetez ensuite la feuille.',
  pinsUse: 'Il ne sert qu’à choisir son propre NIP, à la première session à chaque caisse.',
  person: 'Personne',
  role: 'Rôle',
  pin: 'NIP à usage unique',
  roles: { cashier: 'Caissier', supervisor: 'Superviseur', manager: 'Gérant' },
} as const satisfies SameKeys<typeof english>
