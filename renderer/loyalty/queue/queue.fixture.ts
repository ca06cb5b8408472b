import english from '../../../contracts/i18n/en-CA/exceptions.ts'
import french from '../../../contracts/i18n/fr-CA/exceptions.ts'

/** The manager's list and report of the stand-in terminal. */
const AT = '2026-11-21T14:03:12.000Z'
const DEAD = '2c9d4f1e-0000-4000-8000-000000000001'
const LOST = '2c9d4f1e-0000-4000-8000-000000000002'
const says = (en: string, fr: string) => ({ 'en-CA': en, 'fr-CA': fr })

const entry = (over: object) => ({
  id: DEAD,
  kind: 'issue',
  saleId: 'N10101000000427QZK',
  state: 'dead',
  attention: true,
  attempts: 1,
  createdAt: AT,
  changedAt: AT,
  amountCents: null,
  miles: 45,
  pendingMiles: null,
  rejectedMiles: null,
  responseCode: '230',
  windowClosesAt: null,
  detail: null,
  resolution: null,
  says: says(
    'The program refused this call for good. The program does not know the store’s location code.',
    'Le programme a refusé cet appel pour de bon. Le programme ne connaît pas le code d’emplacement du magasin.',
  ),
  todo: says('Correct with this store’s location code.', 'Corrigez avec le code d’emplacement de ce magasin.'),
  ...over,
})
const lost = entry({
  id: LOST,
  kind: 'redeem',
  saleId: 'N10101000000419HRD',
  state: 'escalated',
  attempts: 2,
  amountCents: 4000,
  miles: 380,
  responseCode: '0008',
  detail: null,
  says: says(
    'Redemption unknown: miles may have been taken. The customer paid another way.',
    'Échange incertain : les milles ont pu être pris. Le client a payé autrement.',
  ),
  todo: says(
    'Ask the program’s support, with the trace id below, whether miles were taken.',
    'Demandez au soutien du programme, avec l’identifiant de trace ci-dessous, si les milles ont été pris.',
  ),
})
const quiet = {
  state: 'queued',
  attention: false,
  attempts: 0,
  responseCode: null,
  detail: null,
  says: null,
  todo: null,
}
export const ENTRIES = [
  entry({}),
  lost,
  entry({ ...quiet, id: '2c9d4f1e-0000-4000-8000-000000000003', saleId: 'N10101000000431BWT' }),
]

export const NOTICES = [
  {
    id: 1,
    code: '230',
    subject: 'N999',
    firstAt: AT,
    lastAt: AT,
    times: 12,
    newestId: '2c9d4f1e-0000-4000-8000-000000000003',
    saleId: 'N10101000000431BWT',
    says: says(
      'Unknown location code. Miles of its sales are on hold.',
      'Code d’emplacement inconnu. Les milles de ses ventes sont en attente.',
    ),
    todo: says(
      'Have the installer correct the location code in the store’s profile.',
      'Faites corriger le code d’emplacement dans le profil du magasin par l’installateur.',
    ),
  },
]

const call = (purpose: string, path: string, sends: number) => ({
  purpose,
  path,
  traceId: '0f6e3c1a-7d21-4c55-9a54-58a2b24e3a11',
  idempotencyKey: '77c1b1de-3f6c-4a5b-9a54-58a2b24e3a11',
  dateTime: '2026-11-21T09:03:12.000-05:00',
  sends,
  firstSentAt: AT,
})
const detail = {
  mend: null,
  collector: '•••• ••• 0011',
  entryMode: 'SWIPE',
  locationCode: null,
  confirmationNumber: null,
  transactionId: null,
  transDateTime: null,
  units: null,
  taken: null,
  creditCents: null,
  issued: [],
  givable: [],
  given: 0,
  history: [
    { at: AT, from: null, to: 'queued', orderedBy: null },
    { at: AT, from: 'queued', to: 'sent', orderedBy: null },
    { at: AT, from: 'sent', to: 'dead', orderedBy: null },
  ],
  correctsId: null,
  correctedById: null,
}
export const DEAD_DETAIL = {
  ...entry({}),
  ...detail,
  actions: ['correct', 'resolve'],
  mend: 'location',
  entryMode: null,
  locationCode: 'N999',
  calls: [call('issue', '/checkout/issuance/issue', 1)],
}
export const LOST_DETAIL = {
  ...lost,
  ...detail,
  actions: ['resolve'],
  units: 4,
  calls: [call('redeem', '/checkout/loyaltycash/redeem', 2)],
  history: [
    { at: AT, from: null, to: 'intent', orderedBy: null },
    { at: AT, from: 'intent', to: 'retry', orderedBy: null },
    { at: AT, from: 'retry', to: 'escalated', orderedBy: null },
  ],
}
/** Miles that are on their way back: the terminal goes on asking, and the manager sees until when. */
const unanswered = entry({
  id: '2c9d4f1e-0000-4000-8000-000000000005',
  kind: 'reverse',
  saleId: 'N10101000000433MPX',
  state: 'reversing',
  attempts: 2,
  amountCents: 4000,
  miles: 380,
  responseCode: null,
  detail: 'no answer: ETIMEDOUT',
  says: says(english.state['reversal-unanswered'].says, french.state['reversal-unanswered'].says),
  todo: says(
    english.state['reversal-unanswered'].todo.replace('{closes}', 'Nov 22, 2026, 03:00'),
    french.state['reversal-unanswered'].todo.replace('{closes}', '22 nov. 2026, 03 h 00'),
  ),
})
export const UNANSWERED_DETAIL = {
  ...unanswered,
  ...detail,
  actions: [],
  units: 4,
  confirmationNumber: '8842 0017 3351',
  calls: [call('reverse', '/checkout/loyaltycash/reverse', 2)],
  history: [
    { at: AT, from: null, to: 'approved', orderedBy: null },
    { at: AT, from: 'approved', to: 'reversing', orderedBy: null },
  ],
}

/** Miles that paid nothing and can no longer go back: the manager gives store credit in their place, once. */
const owed = entry({
  id: '2c9d4f1e-0000-4000-8000-000000000007',
  kind: 'reverse',
  saleId: 'N10101000000437TXD',
  state: 'reversal-expired',
  attempts: 1,
  amountCents: 4000,
  miles: 380,
  responseCode: '0080',
  detail: null,
  says: says(english.state['reversal-expired'].says, french.state['reversal-expired'].says),
  todo: says(english.state['reversal-expired'].todo, french.state['reversal-expired'].todo),
})
export const OWED_DETAIL = {
  ...owed,
  ...detail,
  actions: ['credit', 'resolve'],
  creditCents: 4000,
  units: 4,
  confirmationNumber: '8842 0017 3352',
  calls: [call('reverse', '/checkout/loyaltycash/reverse', 1)],
  history: [
    { at: AT, from: null, to: 'approved', orderedBy: null },
    { at: AT, from: 'approved', to: 'reversal-expired', orderedBy: null },
  ],
}
export const CREDITED_DETAIL = {
  ...OWED_DETAIL,
  actions: ['resolve'],
  creditCents: null,
  says: says(english.state['reversal-credited'].says, french.state['reversal-credited'].says),
  todo: says(english.state['reversal-credited'].todo, french.state['reversal-credited'].todo),
}

/** Issued, in part: what waits and what was refused stand beside what was earned, and more may be given by hand. */
const earned = entry({
  ...quiet,
  id: '2c9d4f1e-0000-4000-8000-000000000006',
  kind: 'post',
  saleId: 'N10101000000435KWD',
  state: 'accepted',
  attempts: 1,
  miles: 6,
  pendingMiles: 12,
  rejectedMiles: 30,
  responseCode: '207',
})
export const EARNED_DETAIL = {
  ...earned,
  ...detail,
  actions: ['take-back', 'give'],
  transactionId: '3f0f7d0a-9c44-4d5e-8f7e-0d1f3c2b1a09',
  calls: [call('post', '/issuance/post', 1)],
  givable: ['NRBASE', 'NRCOFFEE', 'NRBONUS'],
  issued: [
    { issuanceOfferCode: 'NRBASE', offerId: 'O-1', miles: 6, pending: 0, rejected: 0, left: 6, codes: ['200'] },
    { issuanceOfferCode: 'NRCOFFEE', offerId: 'O-2', miles: 0, pending: 12, rejected: 0, left: 12, codes: ['207'] },
    { issuanceOfferCode: 'NRBONUS', offerId: 'O-3', miles: 0, pending: 0, rejected: 30, left: 0, codes: ['204'] },
  ],
  history: [
    { at: AT, from: null, to: 'queued', orderedBy: null },
    { at: AT, from: 'queued', to: 'sent', orderedBy: null },
    { at: AT, from: 'sent', to: 'accepted', orderedBy: null },
  ],
}

const totals = { rows: 2, amountCents: 6000, miles: 570 }
export const DAY = '2026-11-20'
export const DAYS = [
  {
    businessDay: '2026-11-21',
    state: 'open',
    totals: { rows: 1, amountCents: 1000, miles: 95 },
    exportedAt: null,
    exportedBy: null,
    copies: 0,
    sentAt: null,
    sentBy: null,
  },
  { businessDay: DAY, state: 'due', totals, exportedAt: null, exportedBy: null, copies: 0, sentAt: null, sentBy: null },
  {
    businessDay: '2026-11-19',
    state: 'exported',
    totals,
    exportedAt: AT,
    exportedBy: null,
    copies: 0,
    sentAt: null,
    sentBy: null,
  },
  {
    businessDay: '2026-11-18',
    state: 'sent',
    totals,
    exportedAt: AT,
    exportedBy: 'Sam Okafor',
    copies: 2,
    sentAt: AT,
    sentBy: 'Sam Okafor',
  },
]
const row = (n: number, units: number, state: string) => ({
  operationId: `3c9d4f1e-0000-4000-8000-00000000000${n}`,
  saleId: `N101010000004${n}7QZK`,
  lane: '01',
  storeId: 'TRAIN-001',
  sponsorCode: 'NRTH',
  deviceId: 'N101-01',
  traceId: 'T',
  idempotencyKey: 'K',
  confirmationNumber: `88420017335${n}`,
  dateTime: '2026-11-20T09:03:12.000-05:00',
  transDateTime: '2026-11-20T09:03:14.000-05:00',
  approvedAt: `2026-11-20T14:0${n}:12.000Z`,
  collector: '•••• ••• 0011',
  units,
  amountCents: units * 1000,
  miles: units * 95,
  responseCode: '0000',
  state,
})
export const REPORT = {
  businessDay: DAY,
  status: 'preview',
  copy: 0,
  exportedAt: null,
  exportedBy: null,
  sameAsOriginal: null,
  store: { id: 'TRAIN-001', name: 'Milepost Training Store' },
  lane: '01',
  rows: [row(1, 4, 'approved'), row(2, 2, 'reversed')],
  totals: { ...totals, units: 6 },
}
export const ORIGINAL = {
  report: { ...REPORT, status: 'original', exportedAt: AT, exportedBy: 'Sam Okafor' },
  csv: '\uFEFFrecord,report\r\napproval,original\r\n',
  fileName: `reconciliation_TRAIN-001_lane-01_${DAY}`,
}

export const LEDGER = {
  approved: { rows: 7, amountCents: 24_000, miles: 2_280 },
  reported: { rows: 4, amountCents: 12_000, miles: 1_140 },
  waiting: { rows: 3, amountCents: 12_000, miles: 1_140 },
  ties: true,
}
const correction = (number: number, what: string, over = {}) => ({
  number,
  at: AT,
  by: 'Sam Okafor',
  what,
  operationId: DEAD,
  saleId: 'N10101000000427QZK',
  note: null,
  miles: null,
  amountCents: null,
  ...over,
})
export const CORRECTIONS = {
  corrections: [
    correction(90, 'correct', { note: 'The customer had swiped another card' }),
    correction(88, 'credit', { amountCents: 4_000 }),
    correction(80, 'send-again-all', { operationId: null, saleId: null }),
    correction(71, 'take-back', { miles: 12, note: 'Counted twice' }),
    correction(70, 'slip-settled', { operationId: null, amountCents: 1_000, note: 'Refunded on the terminal' }),
  ],
  next: null,
}
