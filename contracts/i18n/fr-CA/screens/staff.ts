import type { SameKeys } from '../../same-keys.ts'
import type english from '../../en-CA/screens/staff.ts'

export default {
  signIn: {
    title: 'Qui travaille à cette caisse?',
    subtitle: '{store} · Caisse {lane}',
    staffLabel: 'Personnel',
    cashier: 'Caissier',
    supervisor: 'Superviseur',
    manager: 'Gérant',
    pin: 'NIP',
    pinFor: 'NIP de {name}',
    pinDigits: '{count, plural, =0 {Aucun chiffre entré} one {# chiffre entré} other {# chiffres entrés}}',
    pinPad: 'Clavier du NIP',
    digit: 'Chiffre {digit}',
    eraseDigit: 'Effacer le dernier chiffre',
    signIn: 'Ouvrir la session',
    newPin: 'Choisissez un nouveau NIP',
    repeatPin: 'Confirmez le nouveau NIP',
    notSame: 'Les NIP ne correspondent pas. Réessayez.',
    next: 'Suivant',
    signingIn: 'Vérification…',
    chooseSomeone: 'Touchez votre nom, puis entrez votre NIP.',
    noStaffTitle: 'Aucun employé configuré',
    noStaff: 'Demandez à l’installateur d’ajouter le personnel au profil du magasin.',
    trainingPins: 'NIP de formation, sauf changement : 1234 (caissiers), 9999 (gérants).',
    lockedUntil: 'Verrouillé jusqu’à {time}.',
  },
  training: {
    watermark: 'Formation',
  },
} as const satisfies SameKeys<typeof english>
