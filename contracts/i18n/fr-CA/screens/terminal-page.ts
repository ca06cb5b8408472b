import type { SameKeys } from '../../same-keys.ts'
import type english from '../../en-CA/screens/terminal-page.ts'

/** The page of this terminal: its program, its disk and its backup. */
export default {
  terminalPage: {
    title: 'Terminal',
    intro: 'Sauvegarde, espace disque et horloge.',
    backup: 'Sauvegarde',
    backupNone: 'Aucune encore',
    backupNoneHelp: 'Sauvegarde chaque jour à un moment calme et à la fermeture du terminal.',
    backupOutcome: {
      kept: 'Réussie',
      'no-space': 'Disque plein',
      'not-sound': 'Échec de vérification',
      failed: 'Échec',
    },
    backupHelp: {
      kept: 'Sauvegarde vérifiée : {file} ({size} ko), dans les sauvegardes du dossier de données.',
      'no-space': 'Espace disque insuffisant. Libérez-en; le terminal réessaie dans l’heure.',
      'not-sound': 'Échec de vérification; disque peut-être en panne. Appelez le soutien, gardez les copies.',
      failed: 'Échec de la sauvegarde. Nouvel essai dans l’heure; si cela se répète, appelez le soutien.',
    },
    room: 'Espace disque',
    roomState: { enough: 'Suffisant', low: 'Bientôt insuffisant', short: 'Presque plein' },
    roomHelp: {
      enough: '{free} Mo libres; cette caisse demande {needed} Mo.',
      low: '{free} Mo libres; {needed} Mo requis (avec sauvegarde). Libérez de l’espace cette semaine.',
      short: '{free} Mo libres; {needed} Mo requis. Libérez de l’espace, sinon les ventes cesseront.',
    },
  },
} as const satisfies SameKeys<typeof english>
