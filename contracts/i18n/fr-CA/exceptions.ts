import type { NoticeCode, ResponseCode } from '../../central/cash.ts'
import type { ExceptionWords, Situation } from '../en-CA/exceptions.ts'

export default {
  code: {
    '0000': { says: 'La demande est approuvée.', todo: 'Rien à faire.' },
    '0001': { says: 'La demande est approuvée. L’adhérent garde ses soldes privés.', todo: 'Rien à faire.' },
    '0002': {
      says: 'Le compte d’adhérent est inactif.',
      todo: 'L’adhérent peut joindre le programme. Notez ce qui a été convenu.',
    },
    '0005': {
      says: 'Les soldes sont privés : l’échange est impossible à la caisse.',
      todo: 'Aucun mille n’a été pris. Renvoi impossible.',
    },
    '0006': {
      says: 'Ce compte ne permet pas d’échange à la caisse.',
      todo: 'Aucun mille n’a été pris. Renvoi impossible.',
    },
    '0008': {
      says: 'Le service de milles a dépassé le délai deux fois.',
      todo: 'Demandez le résultat au soutien des milles, avec l’identifiant de trace.',
    },
    '0009': {
      says: 'La carte est requise : elle n’a été ni glissée ni balayée.',
      todo: 'Échangez sur une nouvelle vente, avec la carte.',
    },
    '0025': {
      says: 'Le numéro d’adhérent est inconnu.',
      todo: 'Vérifiez le numéro sur la carte de l’adhérent.',
    },
    '0035': {
      says: 'Le service de milles n’a pas compris la demande.',
      todo: 'Appelez le soutien avec l’identifiant de trace : réglages peut-être erronés.',
    },
    '0051': { says: 'L’adhérent n’a pas assez de milles comptant.', todo: 'Aucun mille n’a été pris.' },
    '0057': {
      says: 'Le numéro de confirmation est inconnu.',
      todo: 'Vérifiez le numéro de confirmation avec le soutien des milles avant de rembourser.',
    },
    '0065': {
      says: 'L’adhérent a atteint sa limite du jour.',
      todo: 'Aucun mille n’a été pris. De nouveau possible demain.',
    },
    '0066': { says: 'L’achat est trop petit pour un échange.', todo: 'Aucun mille n’a été pris.' },
    '0067': { says: 'L’offre d’échange n’est pas disponible.', todo: 'Réessayez plus tard.' },
    '0080': {
      says: 'Trop tard pour rendre les milles : le délai s’est terminé à 3 h le lendemain.',
      todo: 'Donnez un crédit du magasin ou une carte-cadeau, jamais de comptant, et notez-le ici.',
    },
    '0092': {
      says: 'Le service de milles est en entretien.',
      todo: 'Attendez : l’envoi se fait au retour du service.',
    },
    '0096': {
      says: 'Le service de milles a échoué deux fois.',
      todo: 'Demandez le résultat au soutien des milles, avec l’identifiant de trace.',
    },
    '202': {
      says: 'Le code d’emplacement manque.',
      todo: 'Corrigez avec le code d’emplacement de ce magasin.',
    },
    '203': {
      says: 'Le code d’offre est inconnu.',
      todo: 'Demandez le bon code d’offre au soutien des milles. Ces milles n’ont pas été accordés.',
    },
    '204': {
      says: 'L’offre est terminée.',
      todo: 'Demandez au soutien des milles si l’offre vaut pour cette vente.',
    },
    '205': {
      says: 'Le code d’emplacement est inactif.',
      todo: 'Corrigez avec un code d’emplacement actif.',
    },
    '207': {
      says: 'L’offre ne permet pas ce multiple.',
      todo: 'Vérifiez les règles de l’offre avec le soutien des milles.',
    },
    '208': {
      says: 'Il y a plus de milles que l’offre n’en permet.',
      todo: 'Vérifiez les règles de l’offre avec le soutien des milles.',
    },
    '221': {
      says: 'Le code de commanditaire est inconnu.',
      todo: 'Faites vérifier le profil du magasin par l’installateur, puis corrigez et envoyez.',
    },
    '224': {
      says: 'Le compte d’adhérent est fermé.',
      todo: 'Si l’adhérent a une autre carte, corrigez avec celle-ci.',
    },
    '225': {
      says: 'Le code de commanditaire est expiré.',
      todo: 'Faites vérifier le profil du magasin par l’installateur, puis corrigez et envoyez.',
    },
    '230': {
      says: 'Le code d’emplacement est inconnu.',
      todo: 'Corrigez avec le code d’emplacement de ce magasin.',
    },
    '232': {
      says: 'Le compte d’adhérent est supprimé.',
      todo: 'Si l’adhérent a une autre carte, corrigez avec celle-ci.',
    },
    '234': {
      says: 'Le numéro d’adhérent est inconnu.',
      todo: 'Glissez de nouveau la carte de l’adhérent et corrigez avec celle-ci.',
    },
    '000': {
      says: 'Les milles sont retenus, sans raison donnée.',
      todo: 'Attendez : le service de milles règle le cas. Sinon, appelez le soutien des milles.',
    },
  } satisfies Record<ResponseCode, ExceptionWords>,
  state: {
    'redemption-escalated': {
      says: 'L’échange est incertain : les milles ont pu être pris. Le client a payé autrement.',
      todo: 'Appelez le soutien des milles (identifiant de trace); il rend les milles pris. Notez.',
    },
    'secret-refused': {
      says: 'Le secret ou les jetons de la caisse sont refusés. Les milles obtenus attendent.',
      todo: 'Faites réinitialiser le secret par l’installateur, ou appelez le soutien des milles.',
    },
    'reversal-unanswered': {
      says: 'L’annulation de l’échange n’est pas confirmée. Le terminal renvoie la même demande.',
      todo:
        'Attendez : l’élément disparaît une fois les milles rendus, possible jusqu’au {closes}. S’il est encore ' +
        'ici une heure avant, appelez le soutien des milles avec le numéro de confirmation. Si d’autres ' +
        'transactions passent, faites vérifier le chemin de REVERSE du profil du magasin par l’installateur.',
    },
    'reversal-expired': {
      says: 'Les milles n’ont pas payé la vente, et le délai pour les rendre s’est terminé à 3 h.',
      todo: 'Sur présentation du reçu, émettez un crédit du magasin, jamais de comptant. Puis réglez.',
    },
    'reversal-credited': {
      says: 'Le délai pour rendre les milles est écoulé (3 h). Un crédit du magasin a été imprimé.',
      todo: 'Remettez le crédit du magasin au client, rien d’autre. Notez-le ensuite ici.',
    },
    'reversal-escalated': {
      says: 'Les milles n’ont pas pu être rendus.',
      todo: 'Appelez le soutien des milles. Quand il est prêt, renvoyez : une seule annulation compte.',
    },
    'issuance-escalated': {
      says: 'Le service de milles a échoué trois fois. On ignore si les milles sont accordés.',
      todo: 'Appelez le soutien des milles. Quand il est prêt, renvoyez : les milles comptent une fois.',
    },
    'issuance-refused': {
      says: 'Le service de milles a refusé six fois, sans raison connue.',
      todo: 'Appelez le soutien des milles avec l’identifiant de trace. Renvoyez ou corrigez ensuite.',
    },
    'issuance-unsent': {
      says: 'L’appel n’est pas envoyé : la transaction précédente n’a pas de réponse claire.',
      todo: 'Réglez d’abord la transaction précédente. Renvoyez ensuite celle-ci.',
    },
    'issuance-nameless': {
      says: 'L’appel n’est pas envoyé : les milles de la vente n’ont pas d’identifiant.',
      todo: 'Trouvez la vente ici et reprenez ses milles, ou appelez le soutien des milles. Notez.',
    },
    'issuance-accepted': {
      says: 'Les milles attendent au service de milles. Ils ne sont pas encore obtenus.',
      todo: 'Attendez : le service de milles règle cela. Renvoyer n’a aucun effet.',
    },
    'issuance-dead': {
      says: 'Le service de milles a refusé définitivement.',
      todo: 'Corrigez et envoyez comme nouvelle transaction, ou notez pourquoi rien ne change.',
    },
    'issuance-doubtful': {
      says: 'Le service de milles a refusé, mais a peut-être enregistré un essai précédent.',
      todo: 'Demandez au soutien des milles s’il a été enregistré avant d’envoyer une copie corrigée.',
    },
    'issuance-rejected': {
      says: 'Des milles ont été rejetés par le service de milles.',
      todo: 'Voyez la raison avec le soutien des milles, puis notez ce qui a été convenu.',
    },
  } satisfies Record<Situation, ExceptionWords>,
  notice: {
    '202': {
      says: 'Le code d’emplacement manque aux ventes. Leurs milles sont en attente.',
      todo: 'Faites entrer le code d’emplacement. Demandez au soutien de libérer les milles.',
    },
    '203': {
      says: 'Le code d’offre est inconnu. Ses milles sont retenus, puis rejetés.',
      todo: 'Faites corriger le code d’offre. Convenez des ventes touchées avec le soutien des milles.',
    },
    '204': {
      says: 'L’offre est terminée. Ses milles sont retenus, puis rejetés.',
      todo: 'Faites terminer l’offre dans le profil, ou demandez au soutien des milles de la prolonger.',
    },
    '205': {
      says: 'Le code d’emplacement est inactif. Les milles sont en attente.',
      todo: 'Demandez au soutien des milles de l’activer, ou faites-le corriger dans le profil.',
    },
    '207': {
      says: 'Les milles ne respectent pas les multiples de l’offre. Ils sont retenus, puis rejetés.',
      todo: 'Faites corriger la règle de l’offre dans le profil du magasin par l’installateur.',
    },
    '208': {
      says: 'Il y a plus de milles que l’offre n’en permet. Ils sont retenus, puis rejetés.',
      todo: 'Faites corriger la règle de l’offre dans le profil du magasin par l’installateur.',
    },
    '225': {
      says: 'Le code de commanditaire est expiré. Les milles de toutes les ventes attendent.',
      todo: 'Faites renouveler le code aujourd’hui (soutien des milles), puis vérifier le profil.',
    },
    '230': {
      says: 'Le code d’emplacement est inconnu. Les milles de ses ventes sont en attente.',
      todo: 'Faites corriger le code d’emplacement. Demandez au soutien de libérer les milles.',
    },
    '000': {
      says: 'Les milles sont retenus, sans raison donnée.',
      todo: 'Attendez : le service règle le cas. Sinon, appelez le soutien avec le numéro de vente.',
    },
  } satisfies Record<NoticeCode, ExceptionWords>,
}
