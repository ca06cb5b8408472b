/**
 * État des services du programme et sa signification à la caisse, pour la barre d’état, la vente, le test d’écho et la
 * file.
 */
export const CENTRAL = {
  state: {
    online: 'En ligne',
    offline: 'Hors ligne',
    outage: 'Entretien',
    'secret-refused': 'Non autorisé',
    unknown: 'Non vérifié',
  },
  what: {
    online: 'Service de milles en ligne.',
    offline: 'Service de milles hors ligne.',
    outage: 'Service de milles en entretien.',
    'secret-refused': 'Caisse non autorisée (milles).',
    unknown: 'Service de milles non vérifié.',
  },
  todo: {
    online: 'Les adhérents peuvent obtenir et échanger.',
    offline: 'Vendez sans échange; les milles seront envoyés plus tard.',
    outage: 'Vendez sans échange; les milles seront envoyés plus tard.',
    'secret-refused': 'Continuez à vendre et avisez la gérance : secret refusé.',
    unknown: 'La gérance peut vérifier la connexion.',
  },
} as const
