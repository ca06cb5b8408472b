import { checksOf } from '../check.ts'
import { need } from '../expect.ts'
import * as expect from '../expect.ts'
import {
  badNumber,
  BAD_NUMBERS,
  BALANCES,
  CASH_CODES,
  code,
  CONDITIONAL,
  DECIMALS,
  INQUIRE_REQUIRED,
  keyed,
  noConditional,
  noToken,
  WHOLE,
} from './cash-codes.ts'

const { checks, check } = checksOf('cash', 3)
export const cashInquireChecks = checks

const upper = (value: unknown): string => String(value).toUpperCase()
const ECHO_FIELDS = ['deviceId', 'sponsorCode', 'storeId', 'traceId', 'vendorId'] as const

check('echo.approved', '§4.5', 'ECHO of a valid request is 0000', async (client) =>
  code(await client.cash('echo'), '0000'),
)
check('echo.echoes', '§4.5', 'ECHO returns the five fields of its request', async (client) => {
  const sent = { deviceId: 'LANE-77', traceId: client.fresh(), vendorId: 'VENDOR-9' }
  const received = await client.cash('echo', sent)
  for (const field of ECHO_FIELDS)
    expect.assertThat(typeof received.body[field] === 'string', `ECHO returns ${field}`, received)
  for (const [field, value] of Object.entries(sent)) expect.same(received.body[field], value, field, received)
})
check('echo.time', '§4.5', 'ECHO returns transDateTime in ISO 8601', async (client) => {
  const received = await client.cash('echo')
  expect.matches(received.body.transDateTime, expect.ISO, 'transDateTime', received)
})
check('echo.no-cache', '§4.5', 'ECHO without `cache-control: no-cache` is 0035', async (client) => {
  code(await client.send('POST', client.path('echo'), client.request('echo')), '0035')
})
for (const field of ECHO_FIELDS) {
  check(`echo.required.${field}`, '§4.5', `ECHO without ${field} is 0035`, async (client) =>
    code(await client.cash('echo', { [field]: undefined }), '0035'),
  )
}
check('echo.codes', '§7.2', 'ECHO returns only its five codes', async (client) => {
  for (const fields of [{}, { sponsorCode: client.bench.unknownSponsor }, { storeId: 'NOWHERE' }, { traceId: 5 }]) {
    const received = await client.cash('echo', fields)
    expect.assertThat(
      ['0000', '0008', '0035', '0092', '0096'].includes(String(received.body.responseCode)),
      'a code of ECHO',
      received,
    )
  }
})
check('echo.no-key', '§4.1', 'ECHO ignores Idempotency-Key: another request can use the same key', async (client) => {
  const key = client.fresh()
  code(await client.cash('echo', {}, { key }), '0000')
  code(await client.cash('echo', {}, { key }), '0000')
})

for (const call of ['echo', 'inquire', 'redeem', 'reverse'] as const) {
  check(
    `${call}.token.missing`,
    '§5',
    `${call.toUpperCase()} without a token yields no response code`,
    async (client) => noToken(client, await client.cash(call, {}, { token: null })),
  )
  check(
    `${call}.token.invalid`,
    '§5',
    `${call.toUpperCase()} with an invalid token yields no response code`,
    async (client) => noToken(client, await client.cash(call, {}, { token: 'not-a-token' })),
  )
  check(
    `${call}.content-type`,
    '§4',
    `${call.toUpperCase()} requires Content-Type application/json`,
    async (client) => {
      code(await client.cash(call, {}, { headers: { 'content-type': 'text/plain' } }), '0035')
    },
  )
}

check('inquire.approved', '§7.2 0000', 'INQUIRE of a collector without restrictions is 0000', async (client) =>
  code(await client.cash('inquire'), '0000'),
)
for (const field of INQUIRE_REQUIRED) {
  check(`inquire.required.${field}`, '§2.4', `INQUIRE without ${field} is 0035`, async (client) =>
    code(await client.cash('inquire', { [field]: undefined }), '0035'),
  )
}
check('inquire.echoes', '§2.4', 'INQUIRE returns the fields of its request', async (client) => {
  const sent = client.request('inquire', {
    instantMessage: 'en-CA',
    originalPostTaxBasketAmount: '50.00',
    originalPreTaxAmount: '44.25',
  })
  const received = await client.send('POST', client.path('inquire'), sent)
  for (const [field, value] of Object.entries(sent)) expect.same(received.body[field], value, field, received)
})
check('inquire.time', '§2.4', 'INQUIRE returns transDateTime in ISO 8601', async (client) => {
  const received = await client.cash('inquire')
  expect.matches(received.body.transDateTime, expect.ISO, 'transDateTime', received)
})
check('inquire.balances', '§2.4', 'INQUIRE returns the four balances as strings', async (client) => {
  const received = await client.cash('inquire')
  for (const field of BALANCES)
    expect.matches(received.body[field], field === 'availableDollarAmount' ? DECIMALS : WHOLE, field, received)
})
check('inquire.strings', '§2.4', 'Every field of an INQUIRE answer is a string', async (client) => {
  const received = await client.cash('inquire')
  for (const [field, value] of Object.entries(received.body))
    expect.assertThat(typeof value === 'string', `${field} is a string`, received)
})
check('inquire.nothing-empty', '§1', 'Null or empty elements are left out of INQUIRE', async (client) => {
  const received = await client.cash('inquire')
  expect.nothingEmpty(received.body, received)
})
check('inquire.json', '§1', 'The answer is application/json', async (client) => {
  const received = await client.cash('inquire')
  expect.matches(received.headers['content-type'], /^application\/json\b/i, 'Content-Type', received)
})
for (const mode of ['SWIPE', 'SCAN', 'PREREGISTERED']) {
  check(`inquire.mode.${mode}`, '§2.4', `INQUIRE of a card entered by ${mode} returns the offer`, async (client) => {
    const received = await client.cash('inquire', { cardEntryMode: mode })
    code(received, '0000')
    for (const field of CONDITIONAL)
      expect.assertThat(typeof received.body[field] === 'string', `${field} is returned`, received)
  })
}
check('inquire.mode.keyed', '§7.2 0009', 'INQUIRE of a keyed number is 0009', async (client) =>
  code(await client.cash('inquire', { cardEntryMode: keyed(client) }), '0009'),
)
check('inquire.mode.keyed-offer', '§2.4', 'INQUIRE of a keyed number returns no offer', async (client) =>
  noConditional(await client.cash('inquire', { cardEntryMode: keyed(client) })),
)
check('inquire.mode.unknown', '§2.4', 'INQUIRE with an unknown entry mode is 0035 or 0009', async (client) => {
  const received = await client.cash('inquire', { cardEntryMode: 'TELEPATHY' })
  code(received, received.body.responseCode === '0009' ? '0009' : '0035')
})
check('inquire.regular', '§8', 'The regular offer costs 95 cash miles for $10.00 per unit', async (client) => {
  const received = await client.cash('inquire')
  expect.same(
    [
      upper(received.body.offerType),
      Number(received.body.unitValueLoyaltyCash),
      Number.parseFloat(String(received.body.unitValueDollars)),
    ],
    ['RGL', 95, 10],
    'the offer',
    received,
  )
})
check('inquire.special', '§2.4', 'A special offer has type SPL and its own price', async (client) => {
  const received = await client.cash('inquire', { collectorNumber: client.collector('special') })
  code(received, '0000')
  expect.same(upper(received.body.offerType), 'SPL', 'offerType', received)
  expect.assertThat(
    Number(received.body.unitValueLoyaltyCash) !== 95 ||
      Number.parseFloat(String(received.body.unitValueDollars)) !== 10,
    'a special price',
    received,
  )
})
check('inquire.units', '§2.4', 'Available units, dollars and miles are consistent', async (client) => {
  const { body, ...received } = await client.cash('inquire')
  const units = Math.floor(Number(body.availableCashBalance) / Number(body.unitValueLoyaltyCash))
  expect.same(
    Number(body.availableDollarAmount),
    units * Number.parseFloat(String(body.unitValueDollars)),
    'availableDollarAmount',
    { ...received, body },
  )
  expect.same(Number(body.availableOfferUnits), Math.min(units, Number(body.dailyOfferLimit)), 'availableOfferUnits', {
    ...received,
    body,
  })
})
check('inquire.units.special', '§2.4', 'Available units are at most the daily limit of the offer', async (client) => {
  const received = await client.cash('inquire', { collectorNumber: client.collector('special') })
  const affordable = Math.floor(Number(received.body.cashBalance) / Number(received.body.unitValueLoyaltyCash))
  expect.same(
    Number(received.body.availableOfferUnits),
    Math.min(affordable, Number(received.body.dailyOfferLimit)),
    'availableOfferUnits',
    received,
  )
})
check(
  'inquire.near-limit',
  '§8',
  'availableCashBalance is the lower of the balance and the rest of the daily limit',
  async (client) => {
    const received = await client.cash('inquire', { collectorNumber: client.collector('nearLimit') })
    expect.same(Number(received.body.availableCashBalance), 190, 'the rest of the daily limit, in miles', received)
    expect.assertThat(
      Number(received.body.cashBalance) > 190,
      'the balance is above the rest of the daily limit',
      received,
    )
  },
)
check('inquire.near-limit.dollars', '§2.4', 'Available dollars and units match the available miles', async (client) => {
  const received = await client.cash('inquire', { collectorNumber: client.collector('nearLimit') })
  expect.same(
    [Number.parseFloat(String(received.body.availableDollarAmount)), Number(received.body.availableOfferUnits)],
    [20, 2],
    'the rest of the daily limit',
    received,
  )
})
check(
  'inquire.offer-limit',
  '§2.4',
  'The available amount is limited to the units of dailyOfferLimit, in miles and dollars',
  async (client) => {
    const received = await client.cash('inquire', { collectorNumber: client.collector('special') })
    const {
      availableOfferUnits,
      unitValueLoyaltyCash,
      unitValueDollars,
      availableCashBalance,
      availableDollarAmount,
      dailyOfferLimit,
      cashBalance,
    } = received.body
    const units = Number(availableOfferUnits)
    expect.assertThat(
      units <= Number(dailyOfferLimit) && Number(cashBalance) > units * Number(unitValueLoyaltyCash),
      'the miles are above the limit of the offer',
      received,
    )
    expect.same(
      [Number(availableCashBalance), Number(availableDollarAmount)],
      [units * Number(unitValueLoyaltyCash), units * Number.parseFloat(String(unitValueDollars))],
      'the rest of the offer',
      received,
    )
  },
)
check('inquire.nothing-empty.sent', '§1', 'INQUIRE leaves empty request fields out of its answer', async (client) => {
  const received = await client.cash('inquire', { instantMessage: '' })
  code(received, '0000')
  expect.nothingEmpty(received.body, received)
})
check('inquire.purchase.-43.35', '§2.4', 'INQUIRE with a negative purchase is 0035', async (client) =>
  code(await client.cash('inquire', { postTaxBasketAmount: '-43.35' }), '0035'),
)
check('inquire.purchase.0.00', '§2.4', 'INQUIRE is possible before a purchase', async (client) =>
  code(await client.cash('inquire', { postTaxBasketAmount: '0.00' }), '0000'),
)
check('inquire.limit-used', '§2.4', 'INQUIRE returns no offer when the daily limit is used up', async (client) =>
  noConditional(await client.cash('inquire', { collectorNumber: client.collector('limitUsed') })),
)
check(
  'inquire.limit-used-miles',
  '§2.4',
  'INQUIRE returns no available miles when the daily limit is used up',
  async (client) => {
    const received = await client.cash('inquire', { collectorNumber: client.collector('limitUsed') })
    expect.same(Number(received.body.availableCashBalance ?? 0), 0, 'the rest of the daily limit', received)
  },
)
check(
  'inquire.limit-used-dollars',
  '§2.4',
  'INQUIRE returns no available dollars when the daily limit is used up',
  async (client) => {
    const received = await client.cash('inquire', { collectorNumber: client.collector('limitUsed') })
    expect.same(Number(received.body.availableDollarAmount ?? 0), 0, 'the rest of the daily limit', received)
  },
)
check('inquire.0051-offer', '§2.4', 'INQUIRE returns no offer when the miles are insufficient', async (client) =>
  noConditional(await client.cash('inquire', { collectorNumber: client.collector('poor') })),
)
for (const [wanted, role] of [
  ['0001', 'suppressed'],
  ['0002', 'closed'],
  ['0005', 'suppressedUnable'],
  ['0006', 'unable'],
  ['0025', 'unknown'],
  ['0051', 'poor'],
  ['0067', 'unavailable'],
] as const) {
  check(`inquire.${wanted}`, `§7.2 ${wanted}`, `INQUIRE: ${CASH_CODES[wanted][1]}`, async (client) =>
    code(await client.cash('inquire', { collectorNumber: client.collector(role) }), wanted),
  )
}
check('inquire.deleted', '§7.2 0025', 'INQUIRE of a deleted collector is 0025 or 0002', async (client) => {
  const received = await client.cash('inquire', { collectorNumber: client.collector('deleted') })
  code(received, received.body.responseCode === '0002' ? '0002' : '0025')
})
for (const [name, value] of Object.entries(BAD_NUMBERS)) {
  check(
    `inquire.number.${name}`,
    '§8',
    `INQUIRE of ${value} is 0025 or 0035: 11 digits starting with 8`,
    async (client) => badNumber(await client.cash('inquire', { collectorNumber: value })),
  )
  check(`inquire.number.${name}.code`, '§7.2 0025', `INQUIRE of ${value} is 0025`, async (client) =>
    code(await client.cash('inquire', { collectorNumber: value }), '0025'),
  )
}
check('inquire.sponsor', '§7.2 0035', 'INQUIRE of an unknown sponsor is 0035', async (client) =>
  code(await client.cash('inquire', { sponsorCode: client.bench.unknownSponsor }), '0035'),
)
check('inquire.amount', '§2.4', 'postTaxBasketAmount is a decimal string', async (client) => {
  code(await client.cash('inquire', { postTaxBasketAmount: 'much' }), '0035')
})
check(
  'inquire.amount.strict',
  '§2.4',
  'A JSON number, half a cent or a negative amount is not a decimal string of dollars',
  async (client) => {
    for (const amount of [43.35, '-5.00', '43.355'])
      code(await client.cash('inquire', { postTaxBasketAmount: amount }), '0035')
  },
)
check('inquire.time.bad', '§2.4', 'dateTime is ISO 8601', async (client) =>
  code(await client.cash('inquire', { dateTime: 'yesterday' }), '0035'),
)
check('inquire.0035-echo', '§1', 'A refused request carries responseCode', async (client) => {
  const received = await client.cash('inquire', { traceId: undefined })
  expect.assertThat(typeof received.body.responseCode === 'string', 'an error carries responseCode', received)
})
check('inquire.no-key', '§4.1', 'INQUIRE ignores Idempotency-Key: every call is processed', async (client) => {
  const key = client.fresh()
  const traceId = client.fresh()
  await client.cash('inquire', {}, { key })
  const received = await client.cash('inquire', { traceId }, { key })
  code(received, '0000')
  expect.same(received.body.traceId, traceId, 'traceId', received)
})
for (const wanted of ['0008', '0092', '0096'] as const) {
  for (const call of ['inquire', 'redeem'] as const) {
    check(`${call}.${wanted}`, `§7.2 ${wanted}`, `${call.toUpperCase()}: ${CASH_CODES[wanted][1]}`, async (client) => {
      code(
        await client.cash(call, need(client.bench.trouble[wanted], `the bench has no request that gets ${wanted}`)),
        wanted,
      )
    })
  }
}
