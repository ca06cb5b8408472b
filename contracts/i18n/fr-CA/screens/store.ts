import type { SameKeys } from '../../same-keys.ts'
import type english from '../../en-CA/screens/store.ts'

export default {
  store: {
    title: 'Magasin',
    groups: { today: 'Aujourd’hui', sales: 'Ventes', miles: 'Milles', team: 'Configuration', lane: 'Caisse' },
    overview: 'Vue d’ensemble',
    echo: 'Connexion',
    queue: 'File',
    reconciliation: 'Rapprochement',
    audit: 'Audit',
    catalog: 'Catalogue',
    staff: 'Personnel',
    settings: 'Réglages',
    drawer: 'Tiroir',
    day: 'Fin de journée',
    reports: 'Rapports',
    journal: 'Journal',
    held: 'Ventes en attente',
    receipts: 'Historique des ventes',
    devices: 'Appareils',
    'lane-check': 'Vérifier cette caisse',
    terminal: 'Terminal',
    offers: 'Offres',
    'program-offers': 'Offres du programme',
    backups: 'Sauvegardes',
    updates: 'Mises à jour',
    managerOnly: 'Réservé à la gérance. Fermez la session, puis demandez à un gérant d’en ouvrir une.',
    refresh: 'Actualiser',
    failed: 'Échec du chargement.',
  },
} as const satisfies SameKeys<typeof english>
