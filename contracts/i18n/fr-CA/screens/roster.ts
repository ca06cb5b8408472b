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
    assignBadge: 'Attribuer un badge',
    newBadge: 'Remplacer le badge',
    badgeOf: 'Badge pour {name}',
    badgeHint: 'Passez ou lisez le badge maintenant. Les approbations exigent toujours le NIP.',
    badgeSet: 'Badge attribué à {name}.',
    dropBadge: 'Désactiver le badge',
    badgeDropped: 'Badge de {name} désactivé.',
    badge: 'Badge',
    badgeInactive: 'Badge désactivé',
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
