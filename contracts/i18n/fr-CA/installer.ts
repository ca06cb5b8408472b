import type english from '../en-CA/installer.ts'
import type { SameKeys } from '../same-keys.ts'

import { PRINTER_TODO } from './printer.ts'

export default {
  heading: 'Appareils de la caisse {lane}, magasin {store} ({name})',
  none: 'Le profil ne nomme aucun appareil pour cette caisse.',
  leave: 'Ctrl+C pour terminer.',
  role: {
    'card-reader': 'Lecteur de cartes',
    scanner: 'Lecteur de codes',
    printer: 'Imprimante',
    drawer: 'Tiroir',
    'line-display': 'Afficheur client',
  },
  state: {
    ready: 'en ordre',
    connecting: 'connexion en cours',
    unavailable: 'non disponible',
    'needs-attention': 'à vérifier',
    'not-configured': 'absent du profil',
  },
  position: { open: 'ouvert', closed: 'fermé' },
  label: {
    wire: 'câble',
    identity: 'identité',
    driver: 'pilote',
    folder: 'dossier',
    room: 'place',
    says: 'se dit',
    reason: 'raison',
    advice: 'que faire',
    counts: 'compteurs',
    lastRead: 'dernière lecture',
    raw: 'octets bruts',
  },
  identityNone: 'aucun nom stable : le chemin peut changer avec un câble',
  identityOther: '{names} (écrivez /dev/serial/by-id/{first} dans le profil : ce chemin peut changer)',
  identityAbsent: 'branchés maintenant : {names}',
  identityNothing: 'aucun appareil série n’est branché',
  driver: {
    'card-reader': 'lecteur de bande magnétique, pistes 1 à 3',
    scanner: 'lecteur de codes-barres',
    printer: 'imprimante de reçus, {language}, {columns} colonnes',
    drawer: 'contact du tiroir-caisse',
    'line-display': 'afficheur CD5220, deux lignes de vingt caractères',
  },
  nothingCounted: 'rien encore',
  read: {
    'program-card': 'carte d’un adhérent, {masked}',
    collector: 'numéro d’un adhérent, {masked}',
    'foreign-card': 'carte qui n’est pas du programme : refusée, rien n’en est gardé',
    unreadable: 'rien de lisible : essayez de nouveau',
    item: 'article, {masked}',
    receipt: 'reçu, {masked}',
    unknown: 'code d’un type inconnu',
  },
  readBy: '{entryMode}, {what}',
  change: '{time}  {role} : {what}',
  trouble: {
    ...PRINTER_TODO,
    'in-use':
      'Un autre programme tient ce port : {holder}. Fermez-le. Si c’est le terminal, fermez d’abord le terminal.',
    'in-use-by-somebody':
      'Un programme d’un autre utilisateur tient ce port. Trouvez-le avec : sudo fuser -v {path}. Pour ModemManager, voir docs/install.md.',
    'not-there':
      'Il n’y a rien à ce chemin. Branchez le câble et comparez le chemin du profil aux noms sous /dev/serial/by-id.',
    'not-allowed':
      'Cet utilisateur n’a pas le droit d’ouvrir le port. Ajoutez-le au groupe dialout (lp pour /dev/usb/lp0), puis rouvrez sa session.',
    unplugged: 'Le câble a été retiré ou l’appareil éteint. Rebranchez-le : il est retrouvé tout seul.',
    refused:
      'L’hôte répond, mais personne n’écoute à ce port. Vérifiez le port dans le profil et le service réseau de l’appareil.',
    'no-answer':
      'Aucune réponse de cette adresse. Vérifiez l’alimentation, le câble réseau et l’adresse dans le profil.',
    unreachable: 'Aucun chemin vers cette adresse. Vérifiez le réseau de cette caisse et l’adresse dans le profil.',
    'unknown-name': 'Aucun hôte ne porte ce nom. Vérifiez le nom dans le profil ou écrivez l’adresse.',
    closed: 'L’appareil a fermé la connexion. Il sert peut-être une autre caisse ou il démarre.',
    stalled:
      'L’appareil ne prend plus de données. Vérifiez papier, couvercle et contrôle de flux; éteignez-le et rallumez-le.',
    'not-open': 'Le port est en cours d’ouverture. Si cela dure, vérifiez le câble et le chemin dans le profil.',
    'no-bench': 'Les appareils virtuels n’existent qu’en mode formation : nommez le vrai dans le profil.',
    'not-confirmed': 'Regardez le papier : cette imprimante ne dit pas qu’elle a imprimé.',
    'printer-silent':
      'L’imprimante ne dit pas son état. Elle imprime peut-être quand même : imprimez la page d’essai. Vérifiez la langue dans le profil.',
    other:
      'Vérifiez le câble, éteignez l’appareil et rallumez-le. Si cela dure, gardez la raison pour le soutien technique.',
  },
  notConfiguredHelp: 'Laissez ainsi, ou nommez l’appareil dans le profil.',
  terminalRuns:
    'Le terminal fonctionne et tient ces appareils : {roles}. Deux programmes ne peuvent pas lire un même port. Fermez le terminal, puis relancez ceci.',
  provision: {
    usage:
      'utilisation : npx node backend/provision.ts set-secret --data DOSSIER\n              npx node backend/provision.ts set-pin --data DOSSIER --profile FICHIER --staff ID\n              npx node backend/provision.ts restore --data DOSSIER --from SAUVEGARDE\n\nMet sur une caisse ce qui ne doit pas figurer dans son profil : le secret du service de jetons, ou le NIP d’une personne\n(quatre à huit chiffres, que la personne change à sa première session). La valeur est lue sur l’entrée standard : elle\nn’est dans aucun historique de commandes ni aucune liste de processus.\n\nrestore met une sauvegarde à la place de la base de données; ce qu’elle remplace est gardé avec les sauvegardes.\n\n  --language LANGUE  en ou fr\n\n  MILEPOST_PROVISION_VALUE  la valeur, d’un parent sans entrée standard; MILEPOST_SEAL_KEY  comme pour le terminal',
    unknownOption: 'Option inconnue : {option}.',
    noValue: '{option} est donné sans valeur.',
    language: '--language est en ou fr, et non {language}.',
    noCommand: 'Dites quoi faire : set-secret, set-pin ou restore.',
    nothingBeside: '{command} ne prend rien d’autre que ses options. La valeur est lue sur l’entrée standard.',
    noData: 'Il manque --data DOSSIER.',
    noBackup: 'restore demande --from SAUVEGARDE.',
    noPerson: 'set-pin demande --profile FICHIER et --staff ID.',
    unknownPerson: 'Le profil ne nomme pas {staff} sous staff; il nomme {known}.',
    askPin: 'NIP (quatre à huit chiffres) : ',
    askSecret: 'Secret du client : ',
    pinShape: 'Un NIP a de quatre à huit chiffres. Rien n’a été changé.',
    pinCommon:
      'Ce NIP est de ceux qu’on essaie en premier (mêmes chiffres, 1234, une date ou une année). Choisissez-en un autre. Rien n’a été changé.',
    pinSet: 'Le NIP de {staff} est en place.',
    secretSet: 'Le secret du client est sur cette caisse, lisible par son propriétaire seulement.',
    valueEmpty: 'MILEPOST_PROVISION_VALUE est vide. Rien n’a été changé.',
    valueMissing: 'Rien n’est venu sur l’entrée standard. Rien n’a été changé.',
    running:
      'Le terminal de {folder} est en marche. Arrêtez d’abord le terminal : fermez sa fenêtre, ou arrêtez son service. Puis relancez ceci. Rien n’a été changé.',
  },
  testPage: {
    label: 'Page d’essai',
    none: 'Le profil de cette caisse ne nomme aucune imprimante : rien ne peut imprimer la page d’essai.',
    queued: 'En file : elle part vers l’imprimante.',
    sent: 'Envoyée : chaque octet est parti et l’imprimante ne peut en dire plus. Regardez le papier.',
    confirmed: 'Confirmée : l’imprimante dit elle-même qu’elle a imprimé.',
    unknown: 'Inconnu : quelque chose a manqué après le premier octet. Regardez le papier avant d’imprimer de nouveau.',
    failed: 'Échec : rien n’a été imprimé.',
    title: 'PAGE D’ESSAI',
    what: 'La règle remplit une ligne. Les montants finissent au bord droit. Chaque signe ci-dessous se lit. Les deux codes se lisent au lecteur.',
    noSale: 'Ceci n’est ni une vente ni un reçu.',
    ruler: 'Règle de {columns} colonnes',
    signs: 'Signes',
    bold: 'Gras',
    large: 'GRAND',
    wire: 'Câble',
    language: 'Langage',
    printed: 'Imprimé',
  },
} as const satisfies SameKeys<typeof english>
