import type english from '../en-CA/bundles.ts'
import type { SameKeys } from '../same-keys.ts'

export default {
  put: 'Le lot {number} du magasin {store} vaut dès le prochain démarrage.',
  putFrom: 'Le lot {number} du magasin {store} attend le {from}, puis une caisse libre.',
  thereAlready: 'Ce lot est déjà sur cette caisse. Rien n’a changé.',
  undone: 'Retour au lot {number} du magasin {store}, au prochain démarrage.',
  nothingBefore: 'Aucun lot avant celui-ci. Rien n’a changé.',
  none: 'Aucun lot sur cette caisse : elle suit le profil de son installation.',
  noKeys: 'Cette caisse ne reconnaît aucune clé. Donnez la liste : --trust FICHIER',
  otherKeys: 'Cette caisse a une autre liste de clés. Omettez --trust ou demandez à l’installateur.',
  current: 'en vigueur',
  previous: 'précédent',
  waiting: 'en attente',
  line: '{what} : lot {number} du magasin {store} ({name}), fait le {made}',
  lineFrom: '{what} : lot {number} du magasin {store} ({name}), fait le {made}, à partir du {from}',
  refused: {
    unreadable: 'Le fichier est illisible. Vérifiez le chemin et copiez-le de nouveau.',
    'too-large': 'Le fichier est trop gros pour être un lot. Vérifiez que c’en est un.',
    unsigned: 'Le fichier n’est pas signé. Seul un lot signé est accepté.',
    'key-unknown': 'Cette caisse ne connaît pas la clé du lot. Demandez-en un autre.',
    'key-revoked': 'La clé du lot est révoquée. Demandez un nouveau lot à l’installateur.',
    changed: 'Le lot a été modifié après sa signature. Copiez-le de nouveau à partir de l’original.',
    damaged: 'Le lot est incomplet. Demandez à l’installateur de le refaire.',
    'schema-newer': 'Lot d’une version plus récente de Milepost. Mettez d’abord la caisse à jour.',
    expired: 'Le lot est échu. Demandez-en un nouveau à l’installateur.',
    'other-store': 'Le lot est celui d’un autre magasin. Prenez celui de ce magasin.',
    'other-lane': 'Le lot n’a pas de caisse de ce numéro. Prenez-en un qui l’a, ou corrigez le numéro.',
    'other-mode': 'Un lot de formation ne va pas sur une caisse qui vend, ni l’inverse.',
    older: 'Lot plus ancien qu’un lot déjà reçu. Pour revenir, annulez le dernier.',
  },
} satisfies SameKeys<typeof english>
