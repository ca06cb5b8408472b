import type { NoticeCode, ResponseCode } from '../../central/cash.ts'
import type { ExceptionWords, Situation } from '../en-CA/exceptions.ts'

export default {
  code: {
    '0000': { says: 'Approuvé.', todo: 'Rien à faire.' },
    '0001': { says: 'Approuvé. L’adhérent garde ses soldes privés.', todo: 'Rien à faire.' },
    '0002': {
      says: 'Compte d’adhérent inactif.',
      todo: 'L’adhérent peut joindre le programme. Notez ce qui a été convenu.',
    },
    '0005': {
      says: 'Soldes privés : échange impossible à la caisse.',
      todo: 'Aucun mille n’a été pris. Renvoi impossible.',
    },
    '0006': {
      says: 'Compte sans échange à la caisse.',
      todo: 'Aucun mille n’a été pris. Renvoi impossible.',
    },
    '0008': {
      says: 'Délai dépassé deux fois.',
      todo: 'Demandez le résultat au soutien des milles, avec l’identifiant de trace.',
    },
    '0009': {
      says: 'Carte requise : ni glissée ni balayée.',
      todo: 'Échangez sur une nouvelle vente, avec la carte.',
    },
    '0025': {
      says: 'Numéro d’adhérent inconnu.',
      todo: 'Vérifiez le numéro sur la carte de l’adhérent.',
    },
    '0035': {
      says: 'Demande non comprise.',
      todo: 'Appelez le soutien avec l’identifiant de trace : réglages peut-être erronés.',
    },
    '0051': { says: 'Milles comptant insuffisants.', todo: 'Aucun mille n’a été pris.' },
    '0057': {
      says: 'Numéro de confirmation inconnu.',
      todo: 'Vérifiez le numéro de confirmation avec le soutien des milles avant de rembourser.',
    },
    '0065': {
      says: 'Limite du jour de l’adhérent atteinte.',
      todo: 'Aucun mille n’a été pris. De nouveau possible demain.',
    },
    '0066': { says: 'Achat trop petit pour un échange.', todo: 'Aucun mille n’a été pris.' },
    '0067': { says: 'Offre d’échange non disponible.', todo: 'Réessayez plus tard.' },
    '0080': {
      says: 'Trop tard pour remettre les milles : délai écoulé à 3 h le lendemain.',
      todo: 'Donnez un crédit du magasin ou une carte-cadeau, jamais de comptant, et notez-le ici.',
    },
    '0092': { says: 'Service de milles en entretien.', todo: 'Attendez : l’envoi se fait au retour du service.' },
    '0096': {
      says: 'Le service de milles a échoué deux fois.',
      todo: 'Demandez le résultat au soutien des milles, avec l’identifiant de trace.',
    },
    '202': {
      says: 'Code d’emplacement manquant.',
      todo: 'Corrigez avec le code d’emplacement de ce magasin.',
    },
    '203': {
      says: 'Code d’offre inconnu.',
      todo: 'Demandez le bon code d’offre au soutien des milles. Ces milles n’ont pas été accordés.',
    },
    '204': {
      says: 'Offre terminée.',
      todo: 'Demandez au soutien des milles si l’offre vaut pour cette vente.',
    },
    '205': {
      says: 'Code d’emplacement inactif.',
      todo: 'Corrigez avec un code d’emplacement actif.',
    },
    '207': {
      says: 'Multiple non permis par l’offre.',
      todo: 'Vérifiez les règles de l’offre avec le soutien des milles.',
    },
    '208': {
      says: 'Plus de milles que l’offre n’en permet.',
      todo: 'Vérifiez les règles de l’offre avec le soutien des milles.',
    },
    '221': {
      says: 'Code de commanditaire inconnu.',
      todo: 'Faites vérifier le profil du magasin par l’installateur, puis corrigez et envoyez.',
    },
    '224': {
      says: 'Compte d’adhérent fermé.',
      todo: 'Si l’adhérent a une autre carte, corrigez avec celle-ci.',
    },
    '225': {
      says: 'Code de commanditaire expiré.',
      todo: 'Faites vérifier le profil du magasin par l’installateur, puis corrigez et envoyez.',
    },
    '230': {
      says: 'Code d’emplacement inconnu.',
      todo: 'Corrigez avec le code d’emplacement de ce magasin.',
    },
    '232': {
      says: 'Compte d’adhérent supprimé.',
      todo: 'Si l’adhérent a une autre carte, corrigez avec celle-ci.',
    },
    '234': {
      says: 'Numéro d’adhérent inconnu.',
      todo: 'Glissez de nouveau la carte de l’adhérent et corrigez avec celle-ci.',
    },
    '000': {
      says: 'Milles retenus, sans raison donnée.',
      todo: 'Attendez : le service de milles règle le cas. Sinon, appelez le soutien des milles.',
    },
  } satisfies Record<ResponseCode, ExceptionWords>,
  state: {
    'redemption-escalated': {
      says: 'Échange incertain : les milles ont pu être pris. Le client a payé autrement.',
      todo: 'Appelez le soutien des milles (identifiant de trace); il remet les milles pris. Notez.',
    },
    'secret-refused': {
      says: 'Secret ou jetons de la caisse refusés. Aucun envoi; les milles obtenus attendent.',
      todo: 'Faites réinitialiser le secret par l’installateur, ou appelez le soutien des milles.',
    },
    'reversal-unanswered': {
      says: 'Remise des milles non confirmée. Le terminal continue d’envoyer la même demande.',
      todo:
        'Attendez : l’élément disparaît une fois les milles remis, possible jusqu’au {closes}. S’il est encore ' +
        'ici une heure avant, appelez le soutien des milles avec le numéro de confirmation. Si d’autres ' +
        'transactions passent, faites vérifier le chemin de REVERSE du profil du magasin par l’installateur.',
    },
    'reversal-expired': {
      says: 'Milles non appliqués à la vente, et trop tard pour les remettre : délai écoulé à 3 h.',
      todo: 'Sur présentation du reçu, émettez un crédit du magasin, jamais de comptant. Puis réglez.',
    },
    'reversal-credited': {
      says: 'Trop tard pour remettre les milles (3 h). Un crédit du magasin a été émis et imprimé.',
      todo: 'Remettez le crédit du magasin au client, rien d’autre. Notez-le ensuite ici.',
    },
    'reversal-escalated': {
      says: 'Les milles n’ont pas pu être remis.',
      todo: 'Appelez le soutien des milles. Quand il est prêt, renvoyez : une seule remise compte.',
    },
    'issuance-escalated': {
      says: 'Trois échecs du service de milles. On ignore si les milles sont accordés.',
      todo: 'Appelez le soutien des milles. Quand il est prêt, renvoyez : les milles comptent une fois.',
    },
    'issuance-refused': {
      says: 'Refusé six fois, sans raison connue.',
      todo: 'Appelez le soutien des milles avec l’identifiant de trace. Renvoyez ou corrigez ensuite.',
    },
    'issuance-unsent': {
      says: 'Non envoyé : la transaction dont il dépend n’a pas de réponse claire.',
      todo: 'Réglez d’abord la transaction précédente. Renvoyez ensuite celle-ci.',
    },
    'issuance-nameless': {
      says: 'Non envoyé : les milles de la vente n’ont pas d’identifiant de transaction.',
      todo: 'Trouvez la vente ici et reprenez ses milles, ou appelez le soutien des milles. Notez.',
    },
    'issuance-accepted': {
      says: 'Milles en attente au service de milles. Pas encore obtenus.',
      todo: 'Attendez : le service de milles règle cela. Renvoyer n’a aucun effet.',
    },
    'issuance-dead': {
      says: 'Refus définitif du service de milles.',
      todo: 'Corrigez et envoyez comme nouvelle transaction, ou notez pourquoi rien ne change.',
    },
    'issuance-doubtful': {
      says: 'Refus du service de milles, mais un essai précédent a peut-être été enregistré.',
      todo: 'Demandez au soutien des milles s’il a été enregistré avant d’envoyer une copie corrigée.',
    },
    'issuance-rejected': {
      says: 'Des milles ont été rejetés par le service de milles.',
      todo: 'Voyez la raison avec le soutien des milles, puis notez ce qui a été convenu.',
    },
  } satisfies Record<Situation, ExceptionWords>,
  notice: {
    '202': {
      says: 'Code d’emplacement absent des ventes. Leurs milles sont en attente.',
      todo: 'Faites entrer le code d’emplacement. Demandez au soutien de libérer les milles.',
    },
    '203': {
      says: 'Code d’offre inconnu. Ses milles sont retenus, puis rejetés.',
      todo: 'Faites corriger le code d’offre. Convenez des ventes touchées avec le soutien des milles.',
    },
    '204': {
      says: 'Offre terminée. Ses milles sont retenus, puis rejetés.',
      todo: 'Faites terminer l’offre dans le profil, ou demandez au soutien des milles de la prolonger.',
    },
    '205': {
      says: 'Code d’emplacement inactif. Les milles sont en attente.',
      todo: 'Demandez au soutien des milles de l’activer, ou faites-le corriger dans le profil.',
    },
    '207': {
      says: 'Milles hors des multiples de l’offre. Ils sont retenus, puis rejetés.',
      todo: 'Faites corriger la règle de l’offre dans le profil du magasin par l’installateur.',
    },
    '208': {
      says: 'Plus de milles que l’offre n’en permet. Ils sont retenus, puis rejetés.',
      todo: 'Faites corriger la règle de l’offre dans le profil du magasin par l’installateur.',
    },
    '225': {
      says: 'Code de commanditaire expiré. Les milles de toutes les ventes sont en attente.',
      todo: 'Faites renouveler le code aujourd’hui (soutien des milles), puis vérifier le profil.',
    },
    '230': {
      says: 'Code d’emplacement inconnu. Les milles de ses ventes sont en attente.',
      todo: 'Faites corriger le code d’emplacement. Demandez au soutien de libérer les milles.',
    },
    '000': {
      says: 'Milles retenus, sans raison donnée.',
      todo: 'Attendez : le service règle le cas. Sinon, appelez le soutien avec le numéro de vente.',
    },
  } satisfies Record<NoticeCode, ExceptionWords>,
}
