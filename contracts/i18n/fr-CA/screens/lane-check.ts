import type { SameKeys } from '../../same-keys.ts'
import type english from '../../en-CA/screens/lane-check.ts'
import { LANE_FOUND, LANE_TODO } from './lane-check-findings.ts'

export default {
  laneCheck: {
    title: 'Vérifier cette caisse',
    intro: 'Ordinateur, appareils et connexion. Rien n’est changé; les ventes continuent.',
    run: 'Vérifier la caisse',
    running: 'Vérification…',
    notRun: 'Pas vérifiée depuis le démarrage du terminal.',
    notRunHelp: 'Appuyez sur « Vérifier la caisse ». Dix secondes au plus.',
    checkedAt: 'Vérifiée le {time}.',
    progress: '{done} sur {all} vérifiés',
    ended:
      '{wrong, plural, =0 {Aucun problème} one {# problème} other {# problèmes}}' +
      '{attention, plural, =0 {} other {, # à surveiller}}.',
    askInstaller: 'Voyez l’installateur (docs/lane.md, « Findings for the installer »).',
    todo: 'À faire : {todo}',
    took: '{ms} ms',
    state: {
      running: 'En cours',
      ok: 'OK',
      attention: 'À surveiller',
      wrong: 'Problème',
      unseen: 'Non vérifié',
    },
    check: {
      profile: 'Profil du magasin',
      bundle: 'Ensemble de configuration',
      program: 'Version du programme',
      electron: 'Electron',
      folder: 'Dossier de données',
      key: 'Clé de scellement',
      secret: 'Secret du client',
      database: 'Base de données',
      backup: 'Sauvegardes',
      disk: 'Disque',
      memory: 'Mémoire',
      clock: 'Horloge',
      'time-zone': 'Fuseau horaire',
      devices: 'Appareils',
      paper: 'Papier à reçus',
      window: 'Fenêtre',
      display: 'Écrans',
      autostart: 'Démarrage automatique',
      power: 'Mise en veille',
      'store-server': 'Serveur du magasin',
      network: 'Réseau',
      certificates: 'Certificats',
      authorization: 'Autorisation',
    },
    found: LANE_FOUND,
    todoFor: LANE_TODO,
  },
} as const satisfies SameKeys<typeof english>
