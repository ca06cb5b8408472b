import type english from '../../en-CA/screens/delivery.ts'
import type { SameKeys } from '../../same-keys.ts'

export default {
  delivery: {
    consent: 'Demandez au client. L’adresse sert une fois et est supprimée après l’envoi.',
    address: 'Adresse de courriel',
    addressWrong: 'Entrez une adresse comme nom@exemple.com.',
    language: 'Langue du client',
    invoice: 'Facture (facultatif; dès 500 $, l’acheteur a besoin de son nom)',
    buyer: { name: 'Nom de l’acheteur', terms: 'Conditions de paiement', about: 'Description' },
    nameMissing: 'Entrez le nom de l’acheteur ou videz les autres champs.',
    send: 'Envoyer',
    save: 'Enregistrer la facture (PDF)',
    unsent: 'Reçus par courriel non envoyés',
    state: { waiting: 'En attente', sent: 'Envoyé', failed: 'Non envoyé' },
    problem: {
      unreachable: 'Le serveur de courriel ne répond pas. Vérifiez le réseau et son adresse.',
      'sign-in': 'Le serveur de courriel refuse la connexion. L’installateur doit redéfinir le mot de passe.',
      'not-secure': 'Le serveur de courriel n’a pas de certificat valide. Avisez l’installateur.',
      busy: 'Le serveur de courriel est occupé.',
      refused: 'Le serveur de courriel a refusé l’adresse. Redemandez-la au client.',
      restored: 'Une sauvegarde a été restaurée. Le courriel a peut-être été envoyé.',
    },
    again: 'Renvoyer',
    clear: 'Retirer',
    clearOf: 'Retirer le courriel de la vente {id}',
    byItself: 'Envoi automatique',
  },
} as const satisfies SameKeys<typeof english>
