import type { SameKeys } from '../../same-keys.ts'
import type english from '../../en-CA/screens/member.ts'

import { CENTRE } from '../centre.ts'

export default {
  member: {
    title: 'Adhérent',
    none: 'Pas encore d’adhérent',
    noneHint: 'Glissez ou balayez la carte à tout moment, même avant le premier article.',
    number: '•••• ••• {last4}',
    numberSpoken: 'Numéro d’adhérent se terminant par {last4}',
    pending: 'Demande au programme…',
    pendingHint: 'Continuez à balayer. La réponse arrive toute seule, d’ici vingt secondes.',
    askingFirst: 'Attendez la réponse du programme pour cette carte, puis échangez.',
    askAgain: 'Demander de nouveau',
    available: 'Disponible pour l’échange',
    availableValue: '{amount}',
    availableMiles: '{miles} {count, plural, one {mille} other {milles}} comptant',
    private: 'Garde ses soldes privés',
    redemptionOpen:
      'Le résultat de l’échange de cette vente est inconnu : un autre échange n’y est pas possible. Encaissez comptant ou par carte.',
    swiped: 'Glissée',
    scanned: 'Balayée',
    keyed: 'Saisie',
    PREREGISTERED: 'Inscrite',
    specialOffer: 'Offre spéciale',
    announce: 'Numéro d’adhérent se terminant par {last4}.',
    announceAvailable: '{amount} disponibles pour l’échange.',
    saysReason: 'Le programme dit : {message}',
    reason: {
      suppressed: 'Ce compte garde ses soldes privés et ne permet pas l’échange à la caisse.',
      'not-allowed': 'Ce compte ne permet pas l’échange à la caisse. Les milles s’obtiennent comme d’habitude.',
      'account-inactive':
        'Ce compte n’est pas actif : ni échange ni milles. L’adhérent peut s’informer auprès du programme.',
      'account-closed':
        'Le programme dit que ce compte est fermé : ni échange ni milles. L’adhérent peut demander au programme de le rouvrir.',
      'account-deleted':
        'Le programme dit que ce compte a été supprimé : ni échange ni milles. L’adhérent peut demander une nouvelle carte au programme.',
      'collector-invalid':
        'Le programme ne connaît pas cette carte : ni échange ni milles. Vérifiez la carte, ou continuez sans elle.',
      'insufficient-miles':
        'Pas assez de milles comptant pour un échange aujourd’hui. Les milles s’obtiennent comme d’habitude.',
      'daily-limit': 'La limite d’échange du jour est atteinte. Ce sera de nouveau possible demain.',
      'nothing-offered':
        'Le programme n’offre pas d’échange pour cette carte maintenant. Les milles s’obtiennent comme d’habitude.',
      'temporarily-unavailable': 'L’échange n’est pas offert en ce moment. Les milles s’obtiennent comme d’habitude.',
      keyed: 'L’échange exige la carte : glissez-la ou balayez-la.',
      'centre-unreachable': `${CENTRE.what.offline} ${CENTRE.todo.offline}`,
      'centre-secret-refused': `${CENTRE.what['secret-refused']} ${CENTRE.todo['secret-refused']}`,
      'centre-outage': `${CENTRE.what.outage} ${CENTRE.todo.outage}`,
      'centre-refused': 'Le programme a refusé la demande. Continuez sans échange et avisez la gérance.',
      'basket-too-small': 'Ce panier est trop petit pour un échange.',
      'gift-card': 'Les milles ne paient pas de carte-cadeau.',
    },
  },
  offers: {
    title: 'Offres de votre région',
    intro: 'Ce qui donne des milles aux adhérents en ce moment.',
    count: '{count, plural, =0 {Aucune offre} one {# offre} other {# offres}}',
    stale: 'Le service des offres ne répond pas. Cette liste date du {time}.',
    fetched: 'Mise à jour : {time}',
    emptyTitle: 'Aucune offre à montrer',
    empty: 'La région n’a pas d’offre en cours, ou la liste n’a pas encore été obtenue.',
    ends: 'Jusqu’au {date}',
    legal: 'Conditions',
    loading: 'Chargement des offres…',
  },
} as const satisfies SameKeys<typeof english>
