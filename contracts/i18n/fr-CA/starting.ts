import type english from '../en-CA/starting.ts'
import type { SameKeys } from '../same-keys.ts'

export default {
  noLane: 'Le profil n’a pas de caisse {lane}; il a {lanes}.',
  keyAway: 'La clé de cette caisse est dans le trousseau du système, qu’Electron seul peut ouvrir.',
  noStore: 'Il n’y a pas de magasin dans {folder}.',
  storeNotSigned: 'Le magasin dans {folder} n’est pas tel qu’il a été signé ({why}).',
  packageAgain: 'Installez de nouveau le paquet.',
  notTrustList: '{file} n’est pas une liste de clés. Redemandez-la à l’installateur.',
  sellsByBundle: 'Cette caisse vend selon le lot {number}.',
  sellsByFile: 'Cette caisse vend selon {file}.',
  noBundle: 'Aucun lot n’est en vigueur dans {folder}.',
  bundleNotTaken: 'Le lot de ce paquet est refusé : {why}.',
  bundleDamaged: 'Le lot du magasin dans {folder} a été changé ou abîmé. Remettez-le sur la caisse.',
  bundleOfOther: 'Le lot dans {folder} est du magasin {store}, caisses {lanes} ({mode}).',
  thisLane: 'Ceci est la caisse {lane} du magasin {store} ({mode}).',
  putOwnBundle: 'Mettez sur la caisse celui de ce magasin.',
  laneMark: '{file} est illisible et dit à qui est la caisse. Reprenez-le de votre sauvegarde.',
  folderOfOther: 'Le dossier de données {folder} est à la caisse {lane} du magasin {store} ({mode}).',
  mustNotLeave: 'Ce qui y attend ne doit pas partir par d’autres services.',
  otherFolder: 'Donnez un autre dossier avec --data.',
  practisedHere: 'Il a servi à s’exercer et rien n’y compte. Déplacez-le, puis recommencez :',
  production: 'production',
  training: 'formation',
} as const satisfies SameKeys<typeof english>
