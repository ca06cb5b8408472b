import type { SameKeys } from '../../same-keys.ts'
import type english from '../../en-CA/screens/basket-offers.ts'

export default {
  basketOffers: {
    title: 'Offres pour cette vente',
    line: 'Offres',
    lineNone: 'Aucune condition remplie',
    lineEarned: 'Conditions remplies : {awards}',
    lineCode: 'Appliquez le code : {award}',
    lineOptIn: '{count, plural, one {# offre} other {# offres}} à inscrire',
    lineOptInMiles: '{count, plural, one {# offre} other {# offres}} à inscrire (+{miles})',
    lineChanging: 'Inscription en cours…',
    others: '{count, plural, one {+# autre} other {+# autres}}',
    optInShort: 'Inscrire',
    moreCents: 'Encore {amount} : {award}',
    morePieces: 'Encore {count, plural, one {un article} other {# articles}} : {award}',
    loading: 'Vérification des offres…',
    failed: 'Offres non mises à jour.',
    notDone: 'Non fait : {award}. {why}',
    notConfirmed: 'Inscription non confirmée : {awards}. À vérifier dans l’appli du programme.',
    confirmed: 'Offres mises à jour.',
    refused: {
      expired: 'Offre terminée. Choisissez-en une autre.',
      'not-live': 'Offre pas commencée. Réessayez à son premier jour.',
      region: 'Offre d’une autre région. Elle ne vaut pas ici.',
      exclusive: 'Offre pour adhérents choisis. Cet adhérent ne peut l’utiliser.',
      'not-found': 'Le programme n’a plus cette offre. Choisissez-en une autre.',
      other: 'Refusé par le programme. Réessayez, ou l’adhérent le fait dans l’appli du programme.',
    },
  },
} as const satisfies SameKeys<typeof english>
