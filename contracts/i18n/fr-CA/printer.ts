export const PRINTER_TODO = {
  'paper-out': 'Mettez du papier.',
  'paper-low': 'Préparez un nouveau rouleau.',
  'cover-open': 'Fermez le couvercle.',
  'cutter-error': 'Couteau bloqué : ouvrez, dégagez le papier, refermez, redémarrez l’imprimante.',
  'too-hot': 'Tête trop chaude. Laissez-la refroidir; l’impression reprendra automatiquement.',
  'printer-error': 'Erreur d’imprimante : vérifiez ses voyants, puis redémarrez-la.',
  'printer-offline': 'Imprimante hors ligne : appuyez sur le bouton d’avance ou de mise en ligne.',
} as const
