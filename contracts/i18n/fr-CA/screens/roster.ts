import type { SameKeys } from '../../same-keys.ts'
import type english from '../../en-CA/screens/roster.ts'

export default {
  people: {
    add: 'Ajouter une personne',
    edit: 'Modifier {name}',
    actions: 'Actions',
    language: 'Langue',
    save: 'Enregistrer',
    saved: '{name} : enregistré.',
    nameMissing: 'Entrez un nom.',
    resetPin: 'Réinitialiser le NIP',
    remove: 'Désactiver',
    gone: '{name} ne peut plus ouvrir de session.',
    restore: 'Réactiver',
    back: '{name} peut de nouveau ouvrir une session.',
    left: 'Inactif',
    pinOf: 'NIP à usage unique pour {name}',
    oneTimePin: 'NIP à usage unique',
    pinHint: 'Affiché une seule fois. À changer à la prochaine ouverture de session.',
    done: 'Terminé',
  },
} as const satisfies SameKeys<typeof english>
