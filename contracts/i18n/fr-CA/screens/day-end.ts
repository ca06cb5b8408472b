import type { SameKeys } from '../../same-keys.ts'
import type english from '../../en-CA/screens/day-end.ts'

export default {
  shifts: {
    kind: {
      'paid-in': 'Entrée d’argent',
      'paid-out': 'Sortie d’argent',
      drop: 'Dépôt au coffre',
      pickup: 'Ramassage',
      'no-sale': 'Ouvrir le tiroir, sans vente',
    },
    slipNotPrinted: 'Bordereau non imprimé. Le tiroir ne s’est peut-être pas ouvert.',
  },
} as const satisfies SameKeys<typeof english>
