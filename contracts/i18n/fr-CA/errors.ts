import type { ProblemCode } from '../../errors.ts'

export default {
  'session-required': 'Cette fenêtre n’est plus reliée au terminal. Fermez-la et redémarrez Milepost.',
  'launch-token-invalid':
    'Cette fenêtre a été ouverte avec un lien déjà utilisé ou plus ancien que le démarrage de ce terminal. Servez-vous de la fenêtre ouverte ou du dernier lien affiché par Milepost; sinon, arrêtez Milepost et redémarrez-le.',
  'launch-token-expired':
    'Cette fenêtre a été ouverte avec un lien qui a trop attendu. Un nouveau lien vient de s’afficher là où Milepost a été démarré : ouvrez celui-là.',
  'sign-in-required': 'Ouvrez d’abord une session.',
  'pin-wrong': 'Ce NIP n’est pas le bon. Réessayez.',
  'pin-not-set': 'Aucun NIP n’est encore défini pour vous sur cette caisse. Demandez à l’installateur d’en définir un.',
  'pin-locked':
    'Trop de NIP erronés. Attendez jusqu’à l’heure affichée. Pour ouvrir la session plus tôt, un autre gérant lève le verrou sous Personnel, ou l’installateur choisit un nouveau NIP.',
  'pin-change-required': 'Ce NIP a été choisi par quelqu’un d’autre. Choisissez le vôtre pour continuer.',
  'pin-common':
    'Ce NIP se devine facilement : mêmes chiffres, suite comme 1234, date ou année. Choisissez-en un autre.',
  'pin-not-new': 'C’est le NIP que vous avez déjà. Choisissez-en un autre.',
  'approval-locked':
    'Trop de NIP erronés ont été essayés pour ce que vous demandez. Un superviseur peut ouvrir sa session et le faire; un gérant peut lever le verrou sous Personnel.',
  'approver-locked':
    'Trop de NIP erronés ont été essayés au nom de cette personne. Elle peut ouvrir sa session et le faire elle-même; un gérant lève le verrou sous Personnel.',
  'manager-required': 'Seul un gérant peut faire cela. Demandez à un gérant d’ouvrir une session.',
  'approval-required': 'Il faut le NIP d’une personne qui peut l’approuver. Rien n’a encore été fait.',
  'approver-not-allowed': 'Cette personne ne peut pas approuver. Demandez à un superviseur ou à un gérant.',
  'host-refused': 'Le terminal ne répond qu’à sa propre adresse. Redémarrez Milepost.',
  'origin-refused': 'Le terminal refuse les appels d’autres pages. Redémarrez Milepost.',
  'not-json': 'Le terminal ne comprend que le JSON.',
  'body-too-large': 'Trop de données à la fois. Rien n’a été modifié.',
  'key-missing': 'Le programme et son écran ne vont pas ensemble. Fermez la fenêtre et rouvrez-la.',
  'key-reused': 'Le programme et son écran ne vont pas ensemble. Fermez la fenêtre et rouvrez-la.',
  'body-invalid': 'Cette saisie ne peut pas être utilisée. Vérifiez-la et réessayez.',
  'not-found': 'Cela n’existe pas sur ce terminal.',
  'training-only': 'Cela n’existe qu’en mode formation.',
  'training-centre-away': 'Le centre de formation ne prend pas d’ordres. Fermez Milepost et redémarrez-le.',
  'sale-not-open': 'Cette vente est fermée ou en attente. Reprenez-la, ou commencez-en une nouvelle.',
  'sale-stale': 'La vente a changé entre-temps. Regardez-la de nouveau, puis recommencez.',
  'sale-empty': 'Cette vente est encore vide. Balayez d’abord un article.',
  'sale-held-by-redemption': 'Un échange de milles est en cours sur cette vente. Attendez le résultat.',
  'sale-below-tendered': 'On a déjà payé plus que ce que la vente vaudrait. Annulez la vente pour tout remettre.',
  'miles-pay-goods':
    'Des milles ont payé ces articles, et les milles ne paient pas de carte-cadeau. Gardez des articles d’une valeur au moins égale, ou annulez la vente pour remettre les milles.',
  'sale-paid-on':
    'Un paiement a déjà été reçu sur cette vente, ou l’issue de son échange est inconnue : elle ne peut pas être mise en attente. Terminez-la, ou annulez-la pour tout remettre.',
  'sale-not-held': 'Cette vente n’est plus en attente. Regardez la liste de nouveau.',
  'sale-open-already':
    'Une autre vente est ouverte à cette caisse. Terminez-la ou mettez-la en attente, puis reprenez celle-ci.',
  'scan-gone': 'Plus rien n’attend d’approbation. Balayez l’article de nouveau.',
  'item-unknown': 'Cet article n’est pas au catalogue. Cherchez-le par son nom ou demandez à un gérant.',
  'line-unknown': 'Cette ligne n’est plus dans la vente.',
  'quantity-invalid': 'Entrez une quantité de 1 à 999.',
  'price-required': 'Le prix de cet article doit être entré. Enregistrez-le de nouveau et entrez le prix.',
  'price-out-of-bounds':
    'Ce prix dépasse ce qui est permis pour cet article. Vérifiez l’étiquette, puis entrez-le de nouveau.',
  'price-same': 'C’est déjà le prix. Rien n’a été modifié.',
  'discount-takes-nothing': 'Il ne reste rien à rabattre ici. Rien n’a été modifié.',
  'discount-exceeds':
    'C’est plus que ce qu’il y a à rabattre; une carte-cadeau n’est jamais réduite. Rien n’a été modifié : entrez un montant plus petit.',
  'discount-unknown': 'Ce rabais n’est plus sur la vente.',
  'coupon-unknown': 'Ce magasin n’a pas de bon de ce code. Vérifiez le code ou continuez sans lui.',
  'coupon-not-yet': 'Ce bon n’est pas encore valide. Continuez sans lui.',
  'coupon-expired': 'Ce bon est expiré. Continuez sans lui.',
  'coupon-used': 'Ce bon est déjà sur la vente. Chacun ne compte qu’une fois par vente.',
  'coupon-not-applicable':
    'Rien dans cette vente ne va avec ce bon, ou la vente est trop petite. Enregistrez d’abord les articles.',
  'nothing-to-undo':
    'Il n’y a rien à défaire : le dernier changement ne peut pas être repris, ou autre chose s’est passé depuis.',
  'card-read-expired': 'Cette lecture de carte est trop ancienne. Glissez ou balayez la carte de nouveau.',
  'collector-invalid': 'Le programme ne connaît pas ce numéro d’adhérent. La vente peut continuer sans lui.',
  'collector-inactive': 'Ce compte d’adhérent n’est pas actif. La vente peut continuer sans lui.',
  'collector-number-wrong':
    'Ce n’est pas un numéro d’adhérent : il a onze chiffres et commence par 8. Comparez-le à la carte et tapez-le de nouveau.',
  'member-missing': 'Glissez ou balayez d’abord la carte d’adhérent.',
  'member-tied':
    'Des milles ont été échangés sur cette vente; l’adhérent ne peut plus être changé. Terminez la vente, ou annulez-la pour rendre les milles.',
  'inquiry-pending':
    'Le programme n’a pas encore répondu pour cette carte. Échangez quand il a répondu; la vente continue entre-temps.',
  'redemption-not-allowed': 'Les milles ne peuvent pas être échangés sur cette vente.',
  'redemption-units-invalid': 'C’est plus que ce qui peut être échangé sur cette vente. Choisissez moins d’unités.',
  'redemption-in-flight': 'Un échange est déjà en cours. Attendez le résultat.',
  'tender-amount-invalid': 'Entrez un montant supérieur à zéro; au comptant, par tranches de cinq cents.',
  'tender-unknown': 'Ce paiement a déjà été rendu. Regardez les paiements de la vente.',
  'tender-exceeds-due': 'C’est plus que le montant dû. Entrez le montant dû ou moins.',
  'reference-is-card': 'C’est un numéro de carte. N’en entrez jamais ici : tapez le numéro d’autorisation du relevé.',
  'nothing-due': 'Rien n’est dû sur cette vente.',
  'still-due': 'Il reste un montant à payer sur cette vente. Encaissez d’abord le paiement.',
  'sale-not-completed': 'Cette vente n’a pas été conclue; rien n’en peut revenir.',
  'return-nothing': 'Ces articles ne font pas partie de cette vente. Choisissez les lignes qui reviennent.',
  'return-exceeds-sold':
    'C’est plus que ce qui reste d’une ligne. Regardez ce qui est déjà revenu et choisissez-en moins.',
  'return-changed':
    'Ce qui serait remis a changé, et rien n’a été remis. Regardez les nouveaux montants, puis recommencez.',
  'return-not-covered':
    'C’est plus que ce qui a été payé pour cette vente. Rien n’a été remis. Demandez à un gérant de reprendre les articles sans reçu.',
  'return-card-reference':
    'Une partie retourne sur la carte. Remboursez-la d’abord au terminal de paiement, puis entrez le numéro d’autorisation du relevé.',
  'voucher-code-invalid':
    'Ce n’est pas le code d’un crédit du magasin ni d’une carte-cadeau. Balayez le papier, ou retapez les lettres.',
  'voucher-unknown':
    'Cette caisse n’a pas émis ce crédit ou cette carte-cadeau, et rien n’en a été pris. Présentez-le à la caisse nommée sur son papier, ou prenez un autre paiement.',
  'voucher-empty': 'Il ne reste rien sur ce crédit ou cette carte-cadeau. Prenez un autre paiement.',
  'voucher-not-presented':
    'Ce crédit ou cette carte-cadeau n’a pas été montré pour cette vente, ou il y a trop longtemps. Balayez-le de nouveau.',
  'voucher-balance': 'C’est plus que ce qu’il en reste. Prenez ce qui reste, et le reste autrement.',
  'gift-card-used': 'Cette carte-cadeau a déjà été vendue. Prenez-en une nouvelle.',
  'gift-card-price':
    'Une carte-cadeau vaut ce qui est payé pour elle. Annulez la ligne et enregistrez une carte d’un autre montant.',
  'gift-card-single': 'Chaque carte-cadeau a sa propre ligne. Enregistrez-en une autre.',
  'gift-card-kept': 'Une carte-cadeau ne se retourne pas : on paie avec elle. Choisissez les autres articles.',
  'gift-receipt-empty':
    'Rien de cette vente ne peut être rendu : un reçu-cadeau serait vide. Une carte-cadeau a son propre papier.',
  'receipt-missing': 'Il n’y a pas encore de reçu pour cette vente.',
  'day-not-over':
    'Ce jour n’est pas terminé : d’autres approbations peuvent venir. Exportez-le demain; d’ici là, regardez l’aperçu.',
  'queue-entry-changed': 'Cela ne peut pas se faire dans l’état actuel de cette entrée. Regardez-la de nouveau.',
  'miles-not-issued': 'C’est plus que ce qui reste des milles accordés par cet appel. Entrez moins de milles.',
  'offer-unknown': 'Le profil du magasin n’a pas cette offre. Choisissez-en une de la liste.',
  'note-holds-number':
    'Ce texte contient un numéro de carte. N’en écrivez jamais : les quatre derniers chiffres suffisent.',
  'centre-unreachable':
    'Les services du programme sont injoignables. La vente peut continuer; les milles seront accordés plus tard.',
  'centre-outage':
    'Les services du programme sont en entretien. La vente peut continuer; les milles seront accordés plus tard.',
  'centre-refused': 'Les services du programme ont refusé la demande. Demandez à un gérant de lancer un test d’écho.',
  'printer-unavailable':
    'L’imprimante ne répond pas. Vérifiez le papier, le couvercle et le câble, puis imprimez de nouveau.',
  'storage-failed':
    'Le terminal ne peut plus écrire sur son disque et a cessé d’encaisser. Appelez un gérant; libérez de l’espace ou remplacez le disque, puis redémarrez Milepost.',
  'database-changed':
    'La base de données de ce terminal a été modifiée par autre chose, et il a cessé d’encaisser. Appelez un gérant; conservez le dossier de données et appelez le soutien.',
  internal:
    'Une erreur s’est produite dans le terminal. Rien n’a été modifié. Réessayez; si cela se répète, appelez le soutien avec le numéro affiché.',
} as const satisfies Record<ProblemCode, string>
