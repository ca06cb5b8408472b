import type { SameKeys } from '../../same-keys.ts'
import type english from '../../en-CA/screens/frame.ts'

import { CENTRE } from '../centre.ts'

export default {
  app: {
    name: 'Milepost',
    opening: 'Ouverture du terminal…',
    openingLong:
      'C’est plus long que prévu. Si rien ne se passe d’ici une minute, fermez cette fenêtre et redémarrez Milepost.',
    refusedTitle: 'Cette fenêtre n’est pas reliée au terminal',
    unreachableTitle: 'Le terminal ne répond pas',
    unreachable:
      'Le programme du terminal sur cette caisse ne répond pas. Vérifiez qu’il est en marche, puis réessayez. Une vente ouverte est conservée.',
    tryAgain: 'Réessayer',
    reconnecting: 'Lien avec le terminal perdu. Reconnexion…',
    mainLabel: 'Terminal',
    navLabel: 'Sections',
    crashedTitle: 'Cet écran s’est arrêté',
    crashed: 'La vente est en sécurité dans le terminal. Rechargez l’écran pour reprendre où vous étiez.',
    reload: 'Recharger l’écran',
    notFoundTitle: 'Cet écran n’existe pas',
    backToSale: 'Retour à la vente',
    loading: 'Chargement…',
    close: 'Fermer',
    dismiss: 'Compris',
    language: 'Langue',
    languageEnglish: 'English',
    languageFrench: 'Français',
    theme: 'Apparence',
    themeLight: 'Clair',
    themeDark: 'Sombre',
    reference: 'Référence pour le soutien : {id}',
  },
  centre: CENTRE,
  status: {
    label: 'État du terminal',
    centre: 'Centre',
    queue: 'File',
    queueEmpty: 'Tout envoyé',
    queueWaiting: '{count, plural, one {# en attente} other {# en attente}}',
    queueAttention: '{count, plural, one {# à vérifier} other {# à vérifier}}',
    queueEmptyHelp: 'Chaque appel qui touche aux milles a sa réponse finale.',
    queueWaitingHelp: 'Des milles sont en route. Rien à faire : l’envoi se fait tout seul, même après un redémarrage.',
    queueAttentionHelp: 'La gérance doit regarder la file : un appel a été refusé ou son résultat est inconnu.',
    cardReader: 'Lecteur',
    scanner: 'Scanneur',
    printer: 'Imprimante',
    ready: 'Prêt',
    connecting: 'Connexion',
    unavailable: 'Absent',
    needsAttention: 'À vérifier',
    notConfigured: 'Aucun',
    cardReaderReadyHelp: 'Glissez une carte d’adhérent à tout moment de la vente.',
    cardReaderProblemHelp: 'Vérifiez le câble du lecteur. En attendant, balayez plutôt le code-barres de l’adhérent.',
    scannerReadyHelp: 'Balayez des articles ou le code-barres de l’adhérent à tout moment.',
    scannerProblemHelp:
      'Vérifiez le câble du scanneur. En attendant, appuyez sur F2 et cherchez par nom ou par numéro.',
    printerReadyHelp: 'Le reçu s’imprime tout seul dès que la vente est payée.',
    paperOut: 'Sans papier',
    printerSafe: 'La vente est en sécurité; son reçu s’imprime à tout moment depuis « Ventes antérieures ».',
    drawer: 'Tiroir',
    drawerOpen: 'Ouvert',
    drawerClosed: 'Fermé',
    drawerReadyHelp: 'L’interrupteur du tiroir dit comment il est. Fermez le tiroir après chaque vente.',
    drawerProblemHelp:
      'On ne sait pas comment est le tiroir tant que l’imprimante ne répond pas. Vérifiez l’imprimante.',
    drawerNotWired: 'Non relié',
    drawerNotWiredHelp:
      'Le tiroir de cette caisse n’a pas d’interrupteur relié à l’imprimante : le terminal ne sait pas comment il est. Il s’ouvre tout seul pour le comptant; fermez-le après chaque vente.',
    laneHelp: 'Voici la caisse {lane} de {store}. Donnez les deux quand vous appelez le soutien.',
    version: 'Milepost {version}',
    lineDisplay: 'Afficheur',
    lineDisplayReadyHelp: 'Le client voit chaque ligne, le total et la monnaie à rendre.',
    lineDisplayProblemHelp: 'L’afficheur du client n’affiche rien. Vérifiez son câble. Les ventes continuent sans lui.',
    notOnPaper: '{count, plural, one {# à imprimer} other {# à imprimer}}',
    stateAndCount: '{state} · {count}',
    notOnPaperHelp:
      '{count, plural, one {# reçu ou autre papier n’a jamais été imprimé.} other {# reçus ou autres papiers n’ont jamais été imprimés.}} Dès que l’imprimante est prête, imprimez depuis la liste.',
    openNotOnPaper: 'Voir ces reçus',
    notConfiguredHelp: 'Cette caisse n’en a pas. Si elle devrait en avoir, avisez la gérance.',
    lane: 'Caisse {lane}',
    cashier: 'Caisse',
    clock: 'Heure',
    clockName: 'Horloge',
    clockRight: 'À l’heure',
    clockRightHelp: 'L’horloge du terminal concorde avec les services du programme et avec le journal.',
    clockAhead: 'Avance de {by}',
    clockBehind: 'Retard de {by}',
    clockBy: {
      seconds: '{count, plural, one {# seconde} other {# secondes}}',
      minutes: '{count, plural, one {# minute} other {# minutes}}',
      hours: '{count, plural, one {# heure} other {# heures}}',
      days: '{count, plural, one {# jour} other {# jours}}',
    },
    clockOffCentreHelp:
      'L’horloge du terminal diffère de celle du programme. Continuez à vendre : seuls l’heure des reçus et le délai de remise des milles peuvent être faux. Demandez à la gérance de régler la date, l’heure et le fuseau horaire de cet ordinateur et d’activer l’heure automatique.',
    clockBeforeJournalHelp:
      'L’horloge du terminal est en retard sur sa propre dernière écriture : elle a été reculée ou a perdu l’heure. Continuez à vendre : seuls l’heure des reçus et le délai de remise des milles peuvent être faux. Demandez à la gérance de régler la date et l’heure de cet ordinateur et d’activer l’heure automatique.',
    detail: 'Détail technique',
    openQueue: 'Ouvrir la file',
    openEcho: 'Lancer un test d’écho',
    training: 'Formation',
    trainingHelp: 'Rien ne compte ici : les cartes, les soldes, les milles et l’argent sont fictifs.',
  },
  terminalPage: {
    title: 'Terminal',
    intro: 'Ce qu’il faut à ce terminal pour rester juste.',
    backup: 'Sauvegarde',
    backupNone: 'Aucune encore',
    backupNoneHelp:
      'La base de données est copiée à la première minute calme de chaque jour et à la fermeture du terminal.',
    backupOutcome: { kept: 'Conservée', 'no-space': 'Disque plein', 'not-sound': 'Défectueuse', failed: 'Échec' },
    backupHelp: {
      kept: 'La copie a été relue en entier et se trouve dans les sauvegardes du dossier de données, sous {file} ({size} ko).',
      'no-space':
        'Il n’y avait pas assez de place pour une copie. Libérez de l’espace sur le disque; le terminal réessaie dans l’heure.',
      'not-sound':
        'La copie était défectueuse et n’a pas été conservée : le disque est peut-être en panne. Appelez le soutien et gardez les sauvegardes précédentes.',
      failed:
        'La base de données n’a pas pu être copiée. Le terminal réessaie dans l’heure; si cela se répète, appelez le soutien.',
    },
    room: 'Espace disque',
    roomState: { enough: 'Suffisant', low: 'Bientôt insuffisant', short: 'Presque plein' },
    roomHelp: {
      enough: '{free} Mo sont libres; cette caisse en demande {needed}.',
      low: '{free} Mo sont libres et cette caisse en demande {needed}, sauvegarde comprise. Libérez de l’espace cette semaine.',
      short:
        'Il ne reste que {free} Mo et cette caisse en demande {needed}. Libérez de l’espace maintenant, sinon le terminal cessera d’encaisser.',
    },
  },
  stopped: {
    title: 'Ce terminal a cessé d’encaisser',
    storageFailed:
      'Le terminal ne peut plus écrire sur son disque : une vente pourrait se perdre. Plus rien n’est encaissé tant que ce n’est pas réparé.',
    databaseChanged:
      'Autre chose que Milepost a modifié la base de données de ce terminal. Plus rien n’est encaissé tant que le soutien ne l’a pas examinée.',
    step1: 'Dirigez le client vers une autre caisse.',
    step2: 'Appelez la gérance.',
    step3: 'Libérez de l’espace ou remplacez le disque, puis redémarrez Milepost. Ce qui a été vendu est conservé.',
    step3Changed:
      'Conservez le dossier de données tel quel et appelez le soutien, qui dira s’il faut restaurer une sauvegarde.',
    code: 'Raison pour le soutien : {code}',
  },
} as const satisfies SameKeys<typeof english>
