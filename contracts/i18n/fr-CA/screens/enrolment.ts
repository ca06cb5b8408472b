import type { SameKeys } from '../../same-keys.ts'
import type english from '../../en-CA/screens/enrolment.ts'

export default {
  enrol: {
    title: 'Inscrire cette caisse',
    how: 'Balayez le code QR de la carte de cette caisse, ou tapez ce qui est à côté.',
    brings: 'La caisse reçoit son secret du client et, si la feuille en a, des NIP à usage unique.',
    once: 'Le code sert une fois, à cette caisse. Seul le serveur de la feuille reçoit des données.',
    skip: 'Passer : je règle les NIP à la main',
    form: 'Code de la feuille',
    code: 'Code',
    codeHelp: 'Quatre groupes de cinq, p. ex. K7Q2M-4X0TR-N8WZ3-05KDB',
    service: 'Service',
    serviceHelp: 'L’adresse sur la feuille, p. ex. magasin.example:8443',
    check: 'Vérification du serveur',
    checkHelp: 'Quatre groupes de quatre. Laissez vide si la feuille n’en a pas.',
    enrol: 'Inscrire la caisse',
    asking: 'Connexion au service…',
    storing: 'Enregistrement sur cette caisse…',
    progress: 'Progression de l’inscription',
    patience: 'Quelques secondes, au plus une minute et demie. Laissez la caisse allumée.',
    triesLeft: '{count, plural, one {Reste # essai} other {Restent # essais}} avant le blocage.',
    belongsTo: 'Ce code est celui de la caisse {lane} du magasin {store}.',
    clockFast: 'Horloge en avance de {count, plural, one {# minute} other {# minutes}}. Réglez-la.',
    clockSlow: 'Horloge en retard de {count, plural, one {# minute} other {# minutes}}. Réglez-la.',
    doneTitle: 'Caisse inscrite',
    people: '{count, plural, one {# personne a} other {# personnes ont}} un NIP à usage unique.',
    noPeople: 'Aucun NIP reçu. Demandez les premiers à l’installateur.',
    noSecret: 'Aucun secret reçu : les milles ne marchent pas encore. Appelez l’installateur.',
    kept: 'Le code {code} a servi; il figure au journal d’audit.',
    goOn: 'Ouvrir une session',
  },
} as const satisfies SameKeys<typeof english>
