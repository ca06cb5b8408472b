import type { NoticeCode, ResponseCode } from '../../central/cash.ts'

export interface ExceptionWords {
  readonly says: string
  readonly todo: string
}

export type Situation =
  | 'secret-refused'
  | 'redemption-escalated'
  | 'reversal-unanswered'
  | 'reversal-expired'
  | 'reversal-credited'
  | 'reversal-escalated'
  | 'issuance-escalated'
  | 'issuance-refused'
  | 'issuance-unsent'
  | 'issuance-nameless'
  | 'issuance-accepted'
  | 'issuance-dead'
  | 'issuance-doubtful'
  | 'issuance-rejected'

/**
 * Texts of the manager's list: `code` by the services' own code, `state` when no code explains it; `notice` by a code
 * with which miles wait until a setting is corrected.
 */
export default {
  code: {
    '0000': { says: 'The request is approved.', todo: 'Nothing to do.' },
    '0001': { says: 'The request is approved. The member keeps balances private.', todo: 'Nothing to do.' },
    '0002': {
      says: 'The member account is inactive.',
      todo: 'The member can contact the program. Note what was agreed.',
    },
    '0005': {
      says: 'The balances are private: the member cannot redeem at checkout.',
      todo: 'No miles were taken. Cannot be sent again.',
    },
    '0006': {
      says: 'This account cannot redeem at checkout.',
      todo: 'No miles were taken. Cannot be sent again.',
    },
    '0008': {
      says: 'The miles service timed out twice.',
      todo: 'Ask miles support about the outcome, with the trace ID.',
    },
    '0009': {
      says: 'The card is required: it was not swiped or scanned.',
      todo: 'Redeem on a new sale with the card.',
    },
    '0025': {
      says: 'The member number was not found.',
      todo: 'Check the number on the member’s card.',
    },
    '0035': {
      says: 'The miles service did not understand the request.',
      todo: 'Call support with the trace ID: store settings may be wrong.',
    },
    '0051': { says: 'The member does not have enough cash miles.', todo: 'No miles were taken.' },
    '0057': {
      says: 'The confirmation number is unknown.',
      todo: 'Check the confirmation number with miles support before refunding anything.',
    },
    '0065': { says: 'The member has reached the daily limit.', todo: 'No miles were taken. Available again tomorrow.' },
    '0066': { says: 'The purchase is too small to redeem.', todo: 'No miles were taken.' },
    '0067': { says: 'The redemption offer is not available.', todo: 'Try again later.' },
    '0080': {
      says: 'Too late to return miles: window closed at 03:00 the next day.',
      todo: 'Give store credit or a gift card, never cash, and note it here.',
    },
    '0092': { says: 'The miles service is under maintenance.', todo: 'Wait: it is sent when the service is back.' },
    '0096': {
      says: 'The miles service failed twice.',
      todo: 'Ask miles support about the outcome, with the trace ID.',
    },
    '202': { says: 'The location code is missing.', todo: 'Correct with this store’s location code.' },
    '203': {
      says: 'The offer code is unknown.',
      todo: 'Get the right offer code from miles support. These miles were not issued.',
    },
    '204': {
      says: 'The offer has ended.',
      todo: 'Ask miles support whether the offer applies to this sale.',
    },
    '205': {
      says: 'The location code is inactive.',
      todo: 'Correct with an active location code.',
    },
    '207': {
      says: 'The offer does not allow this multiple.',
      todo: 'Check the offer rules with miles support.',
    },
    '208': {
      says: 'There are more miles than the offer allows.',
      todo: 'Check the offer rules with miles support.',
    },
    '221': {
      says: 'The sponsor code is unknown.',
      todo: 'Have the installer check the store profile, then correct and send.',
    },
    '224': {
      says: 'The member account is closed.',
      todo: 'If the member has another card, correct with that card.',
    },
    '225': {
      says: 'The sponsor code has expired.',
      todo: 'Have the installer check the store profile, then correct and send.',
    },
    '230': {
      says: 'The location code is unknown.',
      todo: 'Correct with this store’s location code.',
    },
    '232': {
      says: 'The member account was deleted.',
      todo: 'If the member has another card, correct with that card.',
    },
    '234': {
      says: 'The member number was not found.',
      todo: 'Swipe the member’s card again and correct with it.',
    },
    '000': {
      says: 'The miles are held, with no reason given.',
      todo: 'Wait: the miles service resolves it. Call miles support if it does not.',
    },
  } satisfies Record<ResponseCode, ExceptionWords>,
  state: {
    'redemption-escalated': {
      says: 'The redemption is unknown: miles may have been taken. The customer paid another way.',
      todo: 'Call miles support with the trace ID. If miles were taken, they return them. Add a note.',
    },
    'secret-refused': {
      says: 'The lane secret or tokens are refused. Nothing can be sent; earned miles wait.',
      todo: 'Have the installer reset the secret. If it is right, call miles support. Clears by itself.',
    },
    'reversal-unanswered': {
      says: 'The return of miles is not confirmed. The terminal keeps sending the same request.',
      todo:
        'Wait: the entry clears when the miles are returned, possible until {closes}. If it is still here an ' +
        'hour before, call miles support with the confirmation number. If other transactions go through, have ' +
        'the installer check the REVERSE path in the store profile.',
    },
    'reversal-expired': {
      says: 'The miles did not pay the sale, and the time to return them ended at 03:00.',
      todo: 'When the customer brings the receipt, issue store credit here, never cash. Then resolve.',
    },
    'reversal-credited': {
      says: 'Too late to return the miles (closed at 03:00). Store credit was issued and printed.',
      todo: 'Give the store credit to the customer, nothing else. Then add a note here.',
    },
    'reversal-escalated': {
      says: 'The miles could not be returned.',
      todo: 'Call miles support. When they are ready, send again: miles are returned only once.',
    },
    'issuance-escalated': {
      says: 'The miles service failed three times. Miles may or may not be issued.',
      todo: 'Call miles support. When they are ready, send again: miles count only once.',
    },
    'issuance-refused': {
      says: 'The miles service refused six times, with no known reason.',
      todo: 'Call miles support with the trace ID. Then send again, or correct where offered.',
    },
    'issuance-unsent': {
      says: 'The call was not sent: the transaction before it has no clear answer.',
      todo: 'Resolve the earlier transaction first. Then send this one again.',
    },
    'issuance-nameless': {
      says: 'The call was not sent: the sale’s miles have no transaction ID.',
      todo: 'Find the sale here and take its miles back there, or call miles support. Add a note.',
    },
    'issuance-accepted': {
      says: 'The miles are pending at the miles service. They are not earned yet.',
      todo: 'Wait: the miles service resolves it. Sending again has no effect.',
    },
    'issuance-dead': {
      says: 'The miles service refused for good.',
      todo: 'Correct it and send as a new transaction, or add a note on why it stays.',
    },
    'issuance-doubtful': {
      says: 'The miles service refused, but may have recorded an earlier try.',
      todo: 'Ask miles support whether it was recorded before you send a corrected copy.',
    },
    'issuance-rejected': {
      says: 'The miles service rejected some miles.',
      todo: 'Check the reason with miles support, then note what was agreed.',
    },
  } satisfies Record<Situation, ExceptionWords>,
  notice: {
    '202': {
      says: 'The location code is missing from sales. Their miles are on hold.',
      todo: 'Have the installer set the location code. Ask miles support to release the miles.',
    },
    '203': {
      says: 'The offer code is unknown. Its miles are held, then rejected.',
      todo: 'Have the installer correct the offer code. Agree with miles support on affected sales.',
    },
    '204': {
      says: 'The offer has ended. Its miles are held, then rejected.',
      todo: 'Have the installer end the offer in the store profile, or ask miles support to extend it.',
    },
    '205': {
      says: 'The location code is inactive. Miles are on hold.',
      todo: 'Ask miles support to activate it, or have the installer correct it in the profile.',
    },
    '207': {
      says: 'The miles are not a multiple the offer allows. They are held, then rejected.',
      todo: 'Have the installer correct the offer rule in the store profile.',
    },
    '208': {
      says: 'There are more miles than the offer allows. They are held, then rejected.',
      todo: 'Have the installer correct the offer rule in the store profile.',
    },
    '225': {
      says: 'The sponsor code has expired. Miles of all sales are on hold.',
      todo: 'Call miles support today to renew it. Then have the installer check the store profile.',
    },
    '230': {
      says: 'The location code is unknown. Miles of its sales are on hold.',
      todo: 'Have the installer correct the location code. Ask miles support to release the miles.',
    },
    '000': {
      says: 'The miles are held, with no reason given.',
      todo: 'Wait: the miles service resolves it. If not, call miles support with the sale number.',
    },
  } satisfies Record<NoticeCode, ExceptionWords>,
}
