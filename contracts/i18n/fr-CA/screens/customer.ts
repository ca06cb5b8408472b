import type { SameKeys } from '../../same-keys.ts'
import type english from '../../en-CA/screens/customer.ts'

export default {
  customer: {
    label: 'Afficheur client',
    welcome: 'Bienvenue',
    welcomeHint: 'Vos articles apparaîtront ici.',
    total: 'Total',
    due: 'Reste à payer',
    inCash: 'Comptant {amount}',
    earn: 'Milles à obtenir',
    redeemed: 'Payé avec des milles',
    choice: 'Payez {amount} avec vos milles',
    choosing: '{amount} avec des milles?',
    redeeming: 'Paiement de {amount} avec des milles…',
    choiceMiles: '{miles} milles',
    thanks: 'Merci!',
    change: 'Votre monnaie',
    earned: 'Milles obtenus',
    pending: 'Milles en attente',
    offersTitle: 'Obtenez-en plus aujourd’hui',
    closed: 'Caisse fermée',
    items: 'Vos articles',
    phone: 'Connectez-vous pour vos offres',
    phoneScan: 'Balayez avec votre téléphone',
    phoneType: 'Ou entrez ce code à',
    phoneSignedIn: 'Vous êtes connecté',
    history: 'Vos dernières transactions',
    historyFailed: 'Non disponible pour le moment',
    historyEmpty: 'Aucune transaction pour cette période',
  },
} as const satisfies SameKeys<typeof english>
