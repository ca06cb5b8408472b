import type english from '../en-CA/installer.ts'
import type { SameKeys } from '../same-keys.ts'

import { PRINTER_TODO } from './printer.ts'

export default {
  heading: 'Appareils de la caisse {lane}, magasin {store} ({name})',
  none: 'Aucun appareil dans le profil de cette caisse.',
  leave: 'Ctrl+C pour quitter.',
  role: {
    'card-reader': 'Lecteur de cartes',
    scanner: 'Lecteur de codes-barres',
    printer: 'Imprimante',
    drawer: 'Tiroir',
    'line-display': 'Afficheur du client',
    scale: 'Balance',
    'card-terminal': 'Terminal de paiement',
  },
  state: {
    ready: 'prêt',
    connecting: 'connexion en cours',
    unavailable: 'déconnecté',
    'needs-attention': 'à vérifier',
    'not-configured': 'non configuré',
  },
  position: { open: 'ouvert', closed: 'fermé' },
  label: {
    wire: 'câble',
    identity: 'identité',
    driver: 'pilote',
    folder: 'dossier',
    room: 'espace libre',
    says: 'se déclare',
    reason: 'raison',
    advice: 'que faire',
    counts: 'compteurs',
    weight: 'poids',
    lastRead: 'dernière lecture',
    raw: 'octets bruts',
  },
  identityNone: 'aucun nom stable : le chemin peut changer avec le câble',
  identityOther: '{names} (mettez /dev/serial/by-id/{first} dans le profil : ce chemin peut changer)',
  identityAbsent: 'branchés maintenant : {names}',
  identityNothing: 'aucun appareil série branché',
  driver: {
    'card-reader': 'lecteur de bande magnétique, pistes 1 à 3',
    scanner: 'lecteur de codes-barres',
    printer: 'imprimante de reçus, {language}, {columns} colonnes',
    drawer: 'contact du tiroir',
    'line-display': 'afficheur CD5220, deux lignes de vingt caractères',
    scale: 'balance, {language}',
    'card-terminal': 'nexo Retailer 3.0 sur TLS',
  },
  nothingCounted: 'rien encore',
  read: {
    'program-card': 'carte d’adhérent, {masked}',
    collector: 'numéro d’adhérent, {masked}',
    'staff-badge': 'badge du personnel',
    'foreign-card': 'pas une carte d’adhérent : refusée, rien n’est conservé',
    unreadable: 'illisible : réessayez',
    item: 'article, {masked}',
    receipt: 'reçu, {masked}',
    unknown: 'code inconnu',
  },
  readBy: '{entryMode}, {what}',
  change: '{time}  {role} : {what}',
  trouble: {
    ...PRINTER_TODO,
    'in-use': 'Port utilisé par {holder}. Fermez d’abord ce programme (ou le terminal).',
    'in-use-by-somebody': 'Port utilisé par un autre utilisateur : sudo fuser -v {path}. ModemManager : docs/lane.md.',
    'not-there': 'Rien à ce chemin. Branchez le câble; comparez le profil à /dev/serial/by-id.',
    'not-allowed': 'Accès refusé. Ajoutez l’utilisateur à dialout (lp pour /dev/usb/lp0); rouvrez la session.',
    unplugged: 'Débranché ou éteint. Rebranchez-le; il se reconnecte automatiquement.',
    refused: 'Connexion refusée. Vérifiez le port dans le profil et le service réseau de l’appareil.',
    'no-answer': 'Aucune réponse. Vérifiez l’alimentation, le câble réseau et l’adresse dans le profil.',
    unreachable: 'Adresse injoignable. Vérifiez le réseau de la caisse et l’adresse dans le profil.',
    'unknown-name': 'Hôte inconnu. Vérifiez le nom dans le profil ou utilisez l’adresse.',
    closed: 'Connexion fermée par l’appareil. Il sert peut-être une autre caisse ou démarre.',
    stalled: 'L’appareil n’accepte plus de données. Vérifiez papier, couvercle et flux; redémarrez-le.',
    'not-open': 'Ouverture du port. Si cela dure, vérifiez le câble et le chemin dans le profil.',
    'no-bench': 'Appareil virtuel : mode formation seulement. Mettez le vrai dans le profil.',
    'not-confirmed': 'Vérifiez le papier : cette imprimante ne confirme pas l’impression.',
    'scale-unit': 'La balance a une autre unité. Comparez sa plaque au profil.',
    'scale-fault': 'Panne de la balance, ou autre protocole. Vérifiez son écran et le profil.',
    'printer-silent': 'Imprimante sans état. Imprimez une page d’essai; vérifiez le langage dans le profil.',
    other: 'Vérifiez le câble et redémarrez l’appareil. Si cela persiste, donnez la raison au soutien.',
  },
  notConfiguredHelp: 'Absent du profil. Ajoutez-le si la caisse en a un.',
  terminalRuns: 'Le terminal utilise : {roles}. Fermez-le, puis recommencez.',
  commandLine: {
    unknownOption: 'Option inconnue : {option}.',
    valueMissing: '{option} exige une valeur.',
    language: '--language doit être en-CA ou fr-CA, pas {language}.',
  },
  provision: {
    usage:
      'npx node backend/operations/provision.ts set-secret --data DOSSIER\n' +
      'npx node backend/operations/provision.ts set-mail-password --data DOSSIER\n' +
      'npx node backend/operations/provision.ts set-pin --data DOSSIER --profile FICHIER --staff ID\n' +
      'npx node backend/operations/provision.ts restore --data DOSSIER --from SAUVEGARDE\n' +
      'npx node backend/operations/provision.ts enrol --data DOSSIER --profile FICHIER [--lane ID]\n' +
      '         [--service ADRESSE] [--certificate VÉRIFICATION]\n\n' +
      'Enregistre sur une caisse des valeurs qui ne doivent pas figurer dans son profil : le secret du service ' +
      'de jetons,\n' +
      'le mot de passe du serveur de courriel ou le NIP d’une personne (quatre à huit chiffres, que la personne ' +
      'change à sa première session). La ' +
      'valeur est lue\n' +
      'sur l’entrée standard : elle ne figure ni dans l’historique des commandes ni dans la liste des ' +
      'processus.\n\n' +
      'enrol échange le code à usage unique de la feuille d’une caisse contre son secret et ses premiers NIP.\n\n' +
      'restore remplace la base de données par une sauvegarde; la base remplacée est conservée avec les ' +
      'sauvegardes.\n\n' +
      '  --language CODE   en-CA ou fr-CA\n\n' +
      '  MILEPOST_PROVISION_VALUE  la valeur, d’un processus parent sans entrée standard; MILEPOST_SEAL_KEY  ' +
      'comme pour le terminal',
    noCommand: 'Choisissez une commande : set-secret, set-mail-password, set-pin, enrol ou restore.',
    nothingBeside: '{command} ne prend que des options; la valeur est lue sur l’entrée standard.',
    noData: '--data DOSSIER est obligatoire.',
    noBackup: 'restore exige --from SAUVEGARDE.',
    noPerson: 'set-pin exige --profile FICHIER et --staff ID.',
    noProfile: 'enrol exige --profile FICHIER.',
    unknownPerson: '{staff} ne figure pas sous staff dans le profil, qui contient {known}.',
    askPin: 'NIP (quatre à huit chiffres) : ',
    askCode: 'Code d’inscription, ou balayez le code QR : ',
    askSecret: 'Secret du client : ',
    askMailPassword: 'Mot de passe du serveur de courriel : ',
    pinShape: 'Un NIP a de quatre à huit chiffres. Rien n’a été modifié.',
    pinCommon: 'NIP trop facile à deviner (mêmes chiffres, 1234, date, année). Rien n’a été modifié.',
    pinSet: 'NIP de {staff} enregistré.',
    mailPasswordSet: 'Mot de passe du serveur de courriel enregistré, scellé par la clé de cette caisse.',
    secretSet: 'Secret enregistré sur cette caisse, lisible par son propriétaire seulement.',
    valueEmpty: 'MILEPOST_PROVISION_VALUE est vide. Rien n’a été modifié.',
    valueMissing: 'Aucune valeur sur l’entrée standard. Rien n’a été modifié.',
    running: 'Le terminal {folder} est en marche. Arrêtez-le, puis recommencez. Rien n’a été modifié.',
  },
  enrol: {
    done: 'Caisse {lane} du magasin {store} inscrite avec le code {code}.',
    people: '{people, plural, one {# personne a} other {# personnes ont}} un NIP à usage unique.',
    noPeople: 'Aucun NIP reçu. Définissez les premiers : set-pin.',
    noSecret: 'Aucun secret du client reçu. Enregistrez-le : set-secret.',
    noService: 'Il manque --service ADRESSE. Voyez la feuille, ou balayez son code QR.',
    training: 'Caisse de formation : ni secret ni NIP n’ont été enregistrés. Ses ventes ne comptent pas.',
    triesLeft: '{tries, plural, one {Il reste # essai.} other {Il reste # essais.}}',
    belongsTo: 'Le code est pour la caisse {lane} du magasin {store}.',
    clockFast: 'L’horloge avance de {minutes, plural, one {# minute} other {# minutes}}. Réglez-la.',
    clockSlow: 'L’horloge retarde de {minutes, plural, one {# minute} other {# minutes}}. Réglez-la.',
  },
  supportFile: {
    usage:
      'npm run milepost -- support --data DOSSIER [--out FICHIER]\n\n' +
      'Crée le fichier qu’un magasin envoie au soutien : l’état d’une caisse, d’après son dossier de données, ' +
      'que le\n' +
      'terminal soit en marche ou non. Le fichier ne contient ni numéro de carte, ni NIP, ni clé, ni nom; s’il ' +
      'pouvait\n' +
      'en contenir, aucun fichier n’est créé.\n\n' +
      '  --data DOSSIER    le dossier de données de la caisse\n' +
      '  --out FICHIER     le fichier à créer (par défaut : dans ce dossier, nommé d’après magasin, caisse et ' +
      'jour)\n' +
      '  --language CODE   en-CA ou fr-CA\n\n' +
      '  MILEPOST_CLIENT_SECRET, MILEPOST_SEAL_KEY  comme pour le terminal',
    noData: '--data DOSSIER est obligatoire.',
    noDatabase: '{folder} ne contient aucun terminal. Nommez le dossier de données d’une caisse.',
    keyAway: 'Les secrets sont dans le trousseau. Utilisez : milepost --support-file FICHIER.',
    otherVersion: 'Une autre version de Milepost a créé cette base de données. Utilisez cette version.',
    exists: '{file} existe déjà. Nommez un autre fichier.',
    cannotWrite: 'Aucun fichier : impossible d’écrire {file}. Libérez de l’espace ou changez d’endroit.',
    refusedShape: 'Aucun fichier : contenu inattendu dans « {section} ». Appelez le soutien.',
    refusedSecret: 'Aucun fichier : contenu privé dans « {section} ». Appelez le soutien.',
    failed: 'Aucun fichier : données illisibles. Vérifiez les droits, puis appelez le soutien.',
    saved: 'Enregistré : {file}. Envoyez-le au soutien.',
  },
  findTrace: {
    usage:
      'npm run milepost -- lane trace REÇU --data DOSSIER [--json]\n\n' +
      'Affiche les appels d’un reçu qui ont déplacé des milles : la trace de chacun, qui permet de le retrouver ' +
      'dans les\n' +
      'journaux et auprès du programme, et ses étapes avec leur heure. Ne change rien.\n\n' +
      '  REÇU              le numéro sous le code-barres, ou sa fin (4 caractères ou plus); ou une trace\n' +
      '  --data DOSSIER    le dossier de données de la caisse\n' +
      '  --json            un objet JSON par ligne\n' +
      '  --language CODE   en-CA ou fr-CA',
    needed: 'Un numéro de reçu et --data DOSSIER sont obligatoires.',
    noDatabase: '{folder} ne contient aucun terminal. Nommez le dossier de données d’une caisse.',
    otherVersion: 'Une autre version de Milepost a créé cette base de données. Utilisez cette version.',
    neither: '« {text} » n’est ni un numéro de reçu ni une trace. Tapez au moins 4 caractères du numéro.',
    several: 'Plus d’un reçu se termine par {text}. Entrez une plus longue partie du numéro :\n{receipts}',
    nothing: 'Cette caisse n’a ni reçu ni trace {text}. Vérifiez le numéro et la caisse.',
    noCalls: 'Aucun appel n’a déplacé de milles pour ce reçu.',
    failed: 'Aucun résultat : données illisibles. Vérifiez les droits, puis appelez le soutien.',
    receipt: 'Reçu',
    trace: 'Trace',
    number: 'Numéro',
    sent: 'envoyé au programme',
  },
  doctor: {
    usage:
      'npm run milepost -- lane doctor --data DOSSIER --profile FICHIER [options]\n\n' +
      'Vérifie une caisse, que son terminal soit en marche ou non, sans rien y changer. Prend dix secondes au ' +
      'plus.\n\n' +
      '  --data DOSSIER    le dossier de données de la caisse\n' +
      '  --profile FICHIER le profil du magasin; un ensemble de configuration sur la caisse le remplace\n' +
      '  --lane NUMÉRO     la caisse du profil (par défaut : la première)\n' +
      '  --json            un objet JSON par ligne\n' +
      '  --language CODE   en-CA ou fr-CA\n\n' +
      'Codes de sortie : 0 si rien n’est à faire, 1 si quelque chose est à surveiller, 2 en cas de problème.',
    needed: '--data DOSSIER et --profile FICHIER sont obligatoires.',
  },
  testPage: {
    label: 'Page d’essai',
    none: 'Aucune imprimante dans le profil : impossible d’imprimer une page d’essai.',
    queued: 'En file pour l’imprimante.',
    sent: 'Envoyée; cette imprimante ne peut pas confirmer. Vérifiez le papier.',
    confirmed: 'Imprimée : confirmée par l’imprimante.',
    unknown: 'Inconnu : impression interrompue. Vérifiez le papier avant de réimprimer.',
    failed: 'Échec : rien n’est imprimé.',
    title: 'PAGE D’ESSAI',
    what: 'La règle remplit une ligne, les montants sont à droite, tout se lit, les codes aussi.',
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
