/**
 * Comment vont les services du programme, et ce que cela veut dire à la caisse : la barre d’état, la vente, le test
 * d’écho et la file disent tous ces mots.
 */
export const CENTRE = {
  state: {
    online: 'En ligne',
    offline: 'Hors ligne',
    outage: 'Entretien',
    'secret-refused': 'Non autorisé',
    unknown: 'Non vérifié',
  },
  what: {
    online: 'Les services du programme répondent.',
    offline: 'Les services du programme ne répondent pas.',
    outage: 'Les services du programme sont en entretien.',
    'secret-refused': 'Les services du programme refusent le secret de cette caisse.',
    unknown: 'Les services du programme n’ont pas encore été interrogés.',
  },
  todo: {
    online: 'L’échange et l’émission de milles fonctionnent.',
    offline: 'Continuez à vendre, sans échange. Les milles obtenus partiront plus tard.',
    outage: 'Continuez à vendre, sans échange. Les milles obtenus partiront plus tard.',
    'secret-refused':
      'Continuez à vendre, sans échange, et avisez la gérance : l’installateur doit remettre le secret.',
    unknown: 'La gérance peut lancer un test d’écho.',
  },
} as const
