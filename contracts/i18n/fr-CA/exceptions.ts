import type { NoticeCode, ResponseCode } from '../../central/codes.ts'
import type { ExceptionWords, Situation } from '../en-CA/exceptions.ts'

export default {
  code: {
    '0000': { says: 'Approuvé.', todo: 'Rien à faire.' },
    '0001': { says: 'Approuvé. L’adhérent garde ses soldes privés.', todo: 'Rien à faire.' },
    '0002': {
      says: 'Le compte de l’adhérent n’est pas actif.',
      todo: 'L’adhérent peut demander pourquoi au programme. Notez ce qui a été convenu.',
    },
    '0005': {
      says: 'L’adhérent garde ses soldes privés et ne peut pas échanger à la caisse.',
      todo: 'Rien n’a été pris. Rien ne peut être renvoyé.',
    },
    '0006': {
      says: 'Le compte de l’adhérent ne permet pas l’échange à la caisse.',
      todo: 'Rien n’a été pris. Rien ne peut être renvoyé.',
    },
    '0008': {
      says: 'Le programme n’a pas répondu à temps, même au deuxième essai.',
      todo: 'Demandez au soutien du programme, avec l’identifiant de trace, ce qu’il en est advenu.',
    },
    '0009': {
      says: 'Le programme exige la carte elle-même : elle n’a été ni glissée ni balayée.',
      todo: 'Échangez de nouveau sur une nouvelle vente, avec la carte.',
    },
    '0025': {
      says: 'Le programme ne connaît pas ce numéro d’adhérent.',
      todo: 'Vérifiez le numéro avec l’adhérent, et la carte.',
    },
    '0035': {
      says: 'Le programme n’a pas pu lire la demande.',
      todo: 'Appelez le soutien avec l’identifiant de trace : les réglages du magasin sont peut-être erronés.',
    },
    '0051': { says: 'Le compte n’a pas assez de milles comptant.', todo: 'Rien n’a été pris.' },
    '0057': {
      says: 'Le programme ne connaît pas ce numéro de confirmation.',
      todo: 'Vérifiez le numéro de confirmation auprès du soutien du programme avant toute remise.',
    },
    '0065': {
      says: 'La limite du jour de l’adhérent est atteinte.',
      todo: 'Rien n’a été pris. Elle se rouvre demain.',
    },
    '0066': { says: 'L’achat est trop petit pour un échange.', todo: 'Rien n’a été pris.' },
    '0067': { says: 'L’offre d’échange n’est pas disponible pour l’instant.', todo: 'Réessayez plus tard.' },
    '0080': {
      says: 'La remise est arrivée après 3 h le lendemain : le délai est écoulé.',
      todo: 'Donnez au client un crédit du magasin ou une carte-cadeau, jamais de comptant, et notez-le ici.',
    },
    '0092': { says: 'Le programme était en maintenance.', todo: 'Attendez : l’envoi se fait au retour du programme.' },
    '0096': {
      says: 'Le serveur du programme a fait défaut, même au deuxième essai.',
      todo: 'Demandez au soutien du programme, avec l’identifiant de trace, ce qu’il en est advenu.',
    },
    '202': {
      says: 'Le code d’emplacement du magasin n’a pas été envoyé.',
      todo: 'Corrigez avec le code d’emplacement de ce magasin.',
    },
    '203': {
      says: 'Le programme ne connaît pas le code d’offre de ces milles.',
      todo: 'Demandez le bon code d’offre au programme. Les milles de ce code n’ont pas été accordés.',
    },
    '204': {
      says: 'L’offre de ces milles est terminée.',
      todo: 'Demandez au programme si l’offre vaut encore pour cette vente.',
    },
    '205': {
      says: 'Le code d’emplacement du magasin n’est pas actif.',
      todo: 'Corrigez avec un code d’emplacement actif.',
    },
    '207': {
      says: 'Ces milles ne sont pas un multiple de ce que l’offre permet.',
      todo: 'Vérifiez les règles de l’offre avec le programme.',
    },
    '208': {
      says: 'Ces milles dépassent ce que l’offre permet.',
      todo: 'Vérifiez les règles de l’offre avec le programme.',
    },
    '221': {
      says: 'Le programme ne connaît pas le code de commanditaire du magasin.',
      todo: 'Faites vérifier le profil du magasin par l’installateur, puis corrigez et envoyez.',
    },
    '224': {
      says: 'Le compte de l’adhérent est fermé.',
      todo: 'Si l’adhérent a une autre carte, corrigez avec cette carte.',
    },
    '225': {
      says: 'Le code de commanditaire du magasin est échu.',
      todo: 'Faites vérifier le profil du magasin par l’installateur, puis corrigez et envoyez.',
    },
    '230': {
      says: 'Le programme ne connaît pas le code d’emplacement du magasin.',
      todo: 'Corrigez avec le code d’emplacement de ce magasin.',
    },
    '232': {
      says: 'Le compte de l’adhérent a été supprimé.',
      todo: 'Si l’adhérent a une autre carte, corrigez avec cette carte.',
    },
    '234': {
      says: 'Le programme ne connaît pas ce numéro d’adhérent.',
      todo: 'Faites glisser de nouveau la carte de l’adhérent, et corrigez avec cette carte.',
    },
    '000': {
      says: 'Le programme a mis les milles de côté pour une raison qu’il ne dit pas.',
      todo: 'Attendez : le programme règle le cas. Demandez à son soutien si les milles n’arrivent pas.',
    },
  } satisfies Record<ResponseCode, ExceptionWords>,
  state: {
    'redemption-escalated': {
      says: 'Personne ne sait si les milles ont été pris. On a dit au client que non, et il a payé autrement.',
      todo: 'Demandez au soutien du programme, avec l’identifiant de trace ci-dessous, si les milles ont été pris; si oui, il les remet. Notez ensuite ce qui a été trouvé.',
    },
    'secret-refused': {
      says: 'Le programme refuse le secret client de cette caisse ou ses jetons. Rien ne peut être envoyé; les milles obtenus attendent.',
      todo: 'Faites remettre le secret de cette caisse par l’installateur; s’il est bon, appelez le soutien du programme. L’avis part de lui-même dès que le secret est accepté.',
    },
    'reversal-unanswered': {
      says: 'Le programme n’a pas confirmé que les milles sont revenus. Le terminal continue de demander de lui-même, avec la même requête.',
      todo: 'Attendez : l’entrée quitte la liste quand les milles sont revenus. Ils peuvent être remis jusqu’au {closes}. Appelez le soutien du programme avec le numéro de confirmation si elle est encore ici une heure avant. Si d’autres appels passent entre-temps, faites vérifier le chemin de REVERSE dans le profil du magasin par l’installateur.',
    },
    'reversal-expired': {
      says: 'Trop tard pour remettre les milles : le délai s’est terminé à 3 h le lendemain. Ils n’ont rien payé ici.',
      todo: 'Quand le client revient avec son reçu, émettez un crédit du magasin ici, jamais de comptant. Réglez ensuite cette entrée avec une note.',
    },
    'reversal-credited': {
      says: 'Trop tard pour remettre les milles : le délai s’est terminé à 3 h le lendemain. Un crédit du magasin a été émis à leur place, et son papier envoyé à l’imprimante.',
      todo: 'Assurez-vous que le client reçoit le crédit du magasin, et ne donnez rien d’autre pour cela. Notez-le ensuite ici.',
    },
    'reversal-escalated': {
      says: 'Les milles n’ont pas pu être remis.',
      todo: 'Demandez au soutien du programme. Quand il se dit prêt, renvoyez : les milles reviennent une seule fois, quel que soit le nombre d’envois.',
    },
    'issuance-escalated': {
      says: 'Le programme a fait défaut trois fois sur cet appel. Les milles sont peut-être arrivés, ou non.',
      todo: 'Demandez au soutien du programme. Quand il se dit prêt, renvoyez : les milles comptent une seule fois, quel que soit le nombre d’envois.',
    },
    'issuance-refused': {
      says: 'Le programme a refusé cet appel six fois sans donner de raison connue.',
      todo: 'Demandez au soutien du programme, avec l’identifiant de trace ci-dessous. Renvoyez ensuite, ou corrigez là où c’est offert.',
    },
    'issuance-unsent': {
      says: 'Cet appel n’a pas été envoyé : ce qu’il reprend n’a pas de réponse claire.',
      todo: 'Réglez d’abord l’appel qui le précède. Renvoyez ensuite celui-ci.',
    },
    'issuance-nameless': {
      says: 'Cet appel n’a pas été envoyé : la réponse du programme à la vente n’a pas d’identifiant de transaction à nommer.',
      todo: 'Trouvez la vente dans cette liste, ouvrez l’appel qui a donné ses milles et reprenez-les là; si ce n’est pas offert, demandez au soutien du programme. Notez-le ensuite ici.',
    },
    'issuance-accepted': {
      says: 'Le programme a pris cet appel et garde ses milles en attente. Ils ne sont pas encore obtenus.',
      todo: 'Attendez : le programme règle cela. Renvoyer n’a aucun effet.',
    },
    'issuance-dead': {
      says: 'Le programme a refusé cet appel pour de bon.',
      todo: 'Corrigez ce qui est faux et envoyez-le comme nouvelle transaction, ou notez pourquoi il reste tel quel.',
    },
    'issuance-rejected': {
      says: 'Le programme a pris l’appel et en a rejeté des milles.',
      todo: 'Voyez la raison avec le programme, puis notez ce qui a été convenu.',
    },
  } satisfies Record<Situation, ExceptionWords>,
  notice: {
    '202': {
      says: 'Les ventes arrivent au programme sans le code d’emplacement du magasin. Leurs milles attendent.',
      todo: 'Faites entrer le code d’emplacement dans le profil du magasin par l’installateur. Demandez au soutien du programme de régler les milles en attente.',
    },
    '203': {
      says: 'Le programme ne connaît pas un code d’offre du magasin. Ses milles attendent, puis sont rejetés.',
      todo: 'Faites corriger le code d’offre dans le profil du magasin par l’installateur. Convenez avec le programme des ventes touchées.',
    },
    '204': {
      says: 'Une offre du magasin est terminée au programme. Ses milles attendent, puis sont rejetés.',
      todo: 'Faites terminer l’offre dans le profil du magasin par l’installateur, ou demandez au programme de la prolonger.',
    },
    '205': {
      says: 'Le code d’emplacement du magasin n’est pas actif au programme. Les milles de ses ventes attendent.',
      todo: 'Demandez au programme de l’activer, ou faites corriger le code d’emplacement dans le profil du magasin par l’installateur.',
    },
    '207': {
      says: 'Les milles d’une offre du magasin ne sont pas un multiple permis par le programme. Ils attendent, puis sont rejetés.',
      todo: 'Faites corriger la règle de l’offre dans le profil du magasin par l’installateur.',
    },
    '208': {
      says: 'Les milles d’une offre du magasin dépassent ce que le programme permet. Ils attendent, puis sont rejetés.',
      todo: 'Faites corriger la règle de l’offre dans le profil du magasin par l’installateur.',
    },
    '225': {
      says: 'Le code de commanditaire du magasin a expiré au programme. Les milles de toutes ses ventes attendent.',
      todo: 'Appelez le programme aujourd’hui : le code doit être renouvelé. Faites ensuite vérifier le profil du magasin par l’installateur.',
    },
    '230': {
      says: 'Le programme ne connaît pas le code d’emplacement du magasin. Les milles de ses ventes attendent.',
      todo: 'Faites corriger le code d’emplacement dans le profil du magasin par l’installateur. Demandez au soutien du programme de régler les milles en attente.',
    },
    '000': {
      says: 'Le programme a mis des milles de côté pour une raison qu’il ne dit pas.',
      todo: 'Attendez : le programme règle cela. Si les milles ne viennent pas, demandez à son soutien avec le numéro de vente.',
    },
  } satisfies Record<NoticeCode, ExceptionWords>,
}
