import type english from '../en-CA/launcher.ts'
import type { SameKeys } from '../same-keys.ts'

export default {
  usage: 'milepost [COMMANDE] [options]',
  help: 'help                 cette page',
  commands: {
    start: 'start                ouvrir le terminal (aussi sans commande)',
    bundle: 'bundle put FICHIER   mettre un lot du magasin sur la caisse; bundle undo, bundle list',
    'set-pin': 'set-pin PERSONNE     donner un premier NIP, lu de l’entrée standard',
    'set-secret': 'set-secret           garder le secret du client, lu de l’entrée standard',
    restore: 'restore FICHIER      restaurer une sauvegarde à la place de la base de données',
    update: 'update status        version en service et en attente; update check, now, tonight, back',
    support: 'support [FICHIER]    enregistrer le fichier de soutien',
  },
  options: {
    lane: '--lane NUMÉRO        la caisse (sinon la première du magasin)',
    data: '--data DOSSIER       le dossier de données de la caisse',
    language: '--language CODE      en-CA ou fr-CA',
    noWindow: '--no-window          avec start : aucune fenêtre, seulement l’adresse',
    from: '--from ADRESSE       avec update check : où les mises à jour sont publiées',
    port: '--port NUMÉRO        avec start : port sur 127.0.0.1 (sinon au choix)',
  },
  seeHelp: 'Toutes les commandes : milepost help',
  noCommand: 'Cette commande n’existe pas.',
  wrongOption: '{option} n’est pas une option de cette commande, ou il manque sa valeur.',
  wrongWords: 'Il y a trop ou trop peu de mots après cette commande.',
  wrongPort: '--port demande un nombre de 0 à 65535, pas « {port} ».',
  wrongLanguage: '--language demande en-CA ou fr-CA.',
  noPackage: '{folder} n’est pas un paquet installé. Installez celui du magasin et lancez son milepost.',
  running: 'Un terminal (processus {process}) utilise {folder}. Fermez-le d’abord. Rien n’a changé.',
  update: {
    tries: 'Essai de Milepost {version}.',
    tryFailed: 'Milepost {version} n’a pas démarré : {why}.',
    wentBack: 'Milepost {version} n’a pas démarré en trois essais : retour à la précédente.',
    why: {
      ended: 'il s’est arrêté aussitôt',
      hung: 'il n’était pas prêt à temps',
      crashed: 'il s’est arrêté pendant son utilisation',
      killed: 'il a été coupé',
      damaged: 'ses fichiers sont endommagés',
      asked: 'retour demandé à la version précédente',
    },
  },
} satisfies SameKeys<typeof english>
