import { checksOf } from '../check.ts'
import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import { BAD_NUMBERS, noToken } from './cash-codes.ts'
import { basketOf, item, moved } from './issuance-codes.ts'

const { checks, check } = checksOf('issuance', 3)
export const issuanceShapeChecks = checks

function refused(received: Received): void {
  expect.status(received, 400)
  expect.assertThat(received.body.responseCode !== undefined, 'an error carries responseCode (§1)', received)
}

const VALID = basketOf([item('9001', 10)])
const BASKET = [
  'basketPostTaxAmount',
  'basketPreTaxAmount',
  'checkoutDateTime',
  'checkoutTransactionId',
  'collectorNumber',
  'sponsorCode',
] as const
const REQUIRED = {
  calculate: [...BASKET, 'transactionType'],
  issue: BASKET,
  return: [...BASKET, 'originalTransactionId'],
  record: [...BASKET.filter((field) => field !== 'collectorNumber'), 'transactionType'],
  post: [...BASKET, 'issuances'],
  reverse: [...BASKET, 'issuances'],
  postEvent: ['clientTransactionId', 'collectorNumber', 'issuances', 'sponsorCode', 'transactionDateTime'],
  reverseEvent: ['clientTransactionId', 'collectorNumber', 'issuances', 'sponsorCode', 'transactionDateTime'],
} as const
const PARAGRAPH = {
  calculate: '§2.1',
  issue: '§2.1',
  return: '§2.1',
  record: '§4.3',
  post: '§4.4',
  reverse: '§4.4',
  postEvent: '§4.4',
  reverseEvent: '§4.4',
} as const
const NAMES = {
  calculate: 'CALCULATE',
  issue: 'ISSUE',
  return: 'RETURN',
  record: 'RECORD',
  post: 'POST',
  reverse: 'REVERSE',
  postEvent: 'POST/EVENT',
  reverseEvent: 'REVERSE/EVENT',
} as const
const CALLS = ['calculate', 'issue', 'return', 'record', 'post', 'reverse', 'postEvent', 'reverseEvent'] as const

for (const call of CALLS) {
  const name = NAMES[call]
  for (const field of REQUIRED[call]) {
    check(`${call}.required.${field}`, PARAGRAPH[call], `${name} without ${field} is 400`, async (client) =>
      refused(await client.issuance(call, { [field]: undefined })),
    )
  }
  check(`${call}.token.missing`, '§5', `${name} without a token yields no response code`, async (client) =>
    noToken(client, await client.issuance(call, {}, { token: null })),
  )
  check(`${call}.token.invalid`, '§5', `${name} with an invalid token yields no response code`, async (client) =>
    noToken(client, await client.issuance(call, {}, { token: 'not-a-token' })),
  )
  check(`${call}.json`, '§4', `${name} of invalid JSON is 400`, async (client) =>
    refused(await client.send('POST', client.path(call), '{"collectorNumber": ')),
  )
}
for (const call of ['issue', 'calculate', 'post', 'postEvent'] as const) {
  check(`${call}.content-type`, '§4', `${NAMES[call]} requires Content-Type application/json`, async (client) =>
    refused(await client.issuance(call, {}, { headers: { 'content-type': 'text/plain' } })),
  )
}
for (const call of ['calculate', 'issue', 'record'] as const) {
  for (const [name, value] of Object.entries(BAD_NUMBERS)) {
    check(
      `${call}.number.${name}`,
      '§8',
      `${NAMES[call]} of collector ${value} is 400: 11 digits starting with 8`,
      async (client) => refused(await client.issuance(call, { collectorNumber: value })),
    )
  }
}
check('issue.location.long', '§8', 'A location code of five characters is 400', async (client) =>
  refused(await client.issuance('issue', { locationCode: 'N1011' })),
)
check('issue.location.sign', '§8', 'A location code with a special character is 400: alphanumeric', async (client) =>
  refused(await client.issuance('issue', { locationCode: 'N-1' })),
)
check('issue.time.zone', '§2.1', 'A checkoutDateTime without zone or offset is 400', async (client) =>
  refused(await client.issuance('issue', { checkoutDateTime: client.localTime() })),
)
check('issue.time.offset', '§2.1', 'A checkoutDateTime with an offset is accepted', async (client) =>
  expect.accepted(await client.issuance('issue', { checkoutDateTime: client.time() })),
)
check('issue.time.bad', '§2.1', 'An invalid checkoutDateTime is 400', async (client) =>
  refused(await client.issuance('issue', { checkoutDateTime: 'noon' })),
)
for (const field of [
  'basketPostTaxAmount',
  'basketPreTaxAmount',
  'basketGSTAmount',
  'basketHSTAmount',
  'basketPSTAmount',
  'basketQSTAmount',
] as const) {
  check(`issue.type.${field}`, '§2.1', `${field} is a number`, async (client) =>
    refused(await client.issuance('issue', { [field]: '12.34' })),
  )
}
for (const call of ['calculate', 'issue', 'return', 'record', 'post', 'reverse'] as const) {
  for (const quantity of [0, -1]) {
    check(`${call}.quantity.${quantity}`, '§2.2', `${NAMES[call]} of ${quantity} pieces is 400`, async (client) =>
      refused(await client.issuance(call, { items: [item('9001', 10, quantity)] }, { validFields: VALID })),
    )
  }
  check(`${call}.item.negative`, '§2.2', `${NAMES[call]} of an item with a negative price is 400`, async (client) =>
    refused(await client.issuance(call, { items: [item('9001', -10)] }, { validFields: VALID })),
  )
  for (const field of [
    'basketPostTaxAmount',
    'basketPreTaxAmount',
    'basketGSTAmount',
    'basketHSTAmount',
    'basketPSTAmount',
    'basketQSTAmount',
  ] as const) {
    check(`${call}.amount.${field}`, '§2.1', `${NAMES[call]} with negative ${field} is 400`, async (client) => {
      const received = await client.issuance(call, { [field]: -0.01 })
      refused(received)
      expect.assertThat(received.text.includes(field), 'the flaw is reported', received)
    })
  }
}
check('issue.free', '§2.1', 'ISSUE of a basket of $0.00 is accepted', async (client) =>
  expect.accepted(await client.issuance('issue', { ...basketOf([item('9001', 0)]), basketGSTAmount: 0 })),
)
for (const [call, miles] of [
  ['post', 0],
  ['post', -4],
  ['postEvent', 0],
  ['postEvent', -4],
  ['reverse', 0],
  ['reverseEvent', 0],
] as const) {
  check(`${call}.miles.${miles}`, '§2.3', `${NAMES[call]} of ${miles} miles is 400`, async (client) => {
    refused(
      await client.issuance(call, {
        issuances: [{ issuanceOfferCode: client.bench.issuanceOffers.valid, milesAmount: miles, offerId: 'A' }],
      }),
    )
  })
}
check('reverse.miles.sign', '§4.4', 'REVERSE withdraws the given miles, with either sign', async (client) => {
  for (const milesAmount of [4, -4]) {
    const posted = await client.issuance('post')
    const { received, miles } = await moved(client, 'fine', () =>
      client.issuance('reverse', {
        originalTransactionId: posted.body.transactionId,
        issuances: [{ issuanceOfferCode: client.bench.issuanceOffers.valid, milesAmount, offerId: 'A' }],
      }),
    )
    expect.same(miles, -4, 'miles moved', received)
  }
})
check('issue.type.coupon', '§2.1', 'coupon is a list of strings', async (client) => {
  for (const coupon of ['BONUS', [1]]) refused(await client.issuance('issue', { coupon }))
})
check('issue.type.tender', '§2.1', 'tender is a list of strings', async (client) => {
  for (const tender of ['CASH', [1]]) refused(await client.issuance('issue', { tender }))
})
check('issue.type.context', '§2.1', 'context has string values', async (client) => {
  for (const context of ['a note', { lane: 1 }]) refused(await client.issuance('issue', { context }))
})
check('issue.type.items', '§2.1', 'items is a list', async (client) =>
  refused(await client.issuance('issue', { items: item('1', 1) }, { validFields: VALID })),
)
for (const field of ['id', 'name', 'number', 'quantity', 'baseAmount', 'finalAmount'] as const) {
  check(`item.required.${field}`, '§2.2', `An item without ${field} is 400`, async (client) => {
    const { items, ...basket } = basketOf([item('9000', 2)])
    refused(
      await client.issuance(
        'issue',
        { ...basket, items: expect.list(items, 'items').map((one) => ({ ...one, [field]: undefined })) },
        { validFields: VALID },
      ),
    )
  })
}
for (const field of ['number', 'quantity'] as const) {
  check(`item.type.${field}`, '§2.2', `An item's ${field} is an integer`, async (client) => {
    refused(
      await client.issuance(
        'issue',
        { items: [{ ...item('9000', 2), [field]: 1.5 }], basketPreTaxAmount: 2, basketPostTaxAmount: 2 },
        { validFields: VALID },
      ),
    )
  })
}
check('item.final', '§2.2', 'An item whose finalAmount is not baseAmount times quantity is 400', async (client) => {
  refused(
    await client.issuance(
      'issue',
      { items: [{ ...item('9000', 2, 3), finalAmount: 5 }], basketPreTaxAmount: 5, basketPostTaxAmount: 5 },
      { validFields: VALID },
    ),
  )
})
check('calculate.type', '§2.1', 'transactionType of CALCULATE is PURCHASE or RETURN', async (client) => {
  refused(await client.issuance('calculate', { transactionType: 'GIFT' }))
  for (const transactionType of ['PURCHASE', 'RETURN'])
    expect.status(await client.issuance('calculate', { transactionType }), 200)
})
check('record.type', '§4.3', 'transactionType of RECORD is PURCHASE or RETURN', async (client) => {
  refused(await client.issuance('record', { transactionType: 'GIFT' }))
  for (const transactionType of ['PURCHASE', 'RETURN'])
    expect.status(await client.issuance('record', { transactionType }), 200)
})
for (const call of ['record', 'post', 'postEvent', 'reverseEvent'] as const) {
  for (const field of ['issuanceOfferCode', 'milesAmount', 'offerId'] as const) {
    check(`${call}.entry.${field}`, '§2.3', `An issuance of ${NAMES[call]} without ${field} is 400`, async (client) => {
      const entry = {
        issuanceOfferCode: client.bench.issuanceOffers.valid,
        milesAmount: 4,
        offerId: 'A',
        [field]: undefined,
      }
      refused(await client.issuance(call, { issuances: [entry] }))
    })
  }
}
check('entry.miles', '§2.3', 'milesAmount is an integer', async (client) => {
  refused(
    await client.issuance('reverseEvent', {
      issuances: [{ issuanceOfferCode: client.bench.issuanceOffers.valid, milesAmount: 1.5, offerId: 'A' }],
    }),
  )
})
check('entry.miles.text', '§2.3', 'milesAmount in quotes is not an integer', async (client) => {
  refused(
    await client.issuance('reverseEvent', {
      issuances: [{ issuanceOfferCode: client.bench.issuanceOffers.valid, milesAmount: '4', offerId: 'A' }],
    }),
  )
})
check(
  'entry.location',
  '§2.3',
  'The locationCode of an issuance is at most four alphanumeric characters',
  async (client) => {
    refused(
      await client.issuance('reverseEvent', {
        issuances: [
          {
            issuanceOfferCode: client.bench.issuanceOffers.valid,
            milesAmount: 1,
            offerId: 'A',
            locationCode: 'LONGER',
          },
        ],
      }),
    )
  },
)
