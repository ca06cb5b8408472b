/** Que faire pour une imprimante, à la caisse comme dans l’outil de l’installateur. */
export const PRINTER_TODO = {
  'paper-out': 'Mettez du papier.',
  'paper-low': 'Gardez un rouleau de papier à portée.',
  'cover-open': 'Fermez le couvercle.',
  'cutter-error':
    'Le couteau est bloqué : ouvrez le couvercle, dégagez le papier, refermez, éteignez et rallumez l’imprimante.',
  'too-hot': 'La tête d’impression est trop chaude. Laissez-la refroidir : l’imprimante reprend d’elle-même.',
  'printer-error': 'L’imprimante signale une erreur : regardez ses voyants, éteignez-la et rallumez-la.',
  'printer-offline': 'L’imprimante se dit hors ligne : appuyez sur son bouton d’avance ou de mise en ligne.',
} as const
