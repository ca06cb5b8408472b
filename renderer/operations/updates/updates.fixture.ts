/** The updates of the stand-in terminal. */
const NOTES = {
  'en-CA': [
    'Returns: the receipt is found by the last four digits of the card.',
    'Drawer counts start with the coins.',
    'Faster start on lanes with many years of sales.',
  ].join('\n'),
  'fr-CA': [
    'Retours : le reçu se trouve par les quatre derniers chiffres de la carte.',
    'Le compte du tiroir commence par les pièces.',
    'Démarrage plus rapide des caisses qui ont des années de ventes.',
  ].join('\n'),
}

export const UPDATES = {
  slots: true,
  running: { version: '1.4.0', since: '2026-10-29T03:12:40.000Z', notes: NOTES },
  next: {
    version: '1.5.0',
    releasedAt: '2026-11-18T15:00:00.000Z',
    notes: NOTES,
    state: 'ready',
    heldUntil: null,
    bytes: null,
  },
  last: {
    version: '1.4.0',
    from: '1.3.2',
    outcome: 'running',
    why: null,
    at: '2026-10-29T03:12:40.000Z',
  },
  look: { at: '2026-11-21T13:40:00.000Z', trouble: null },
}
