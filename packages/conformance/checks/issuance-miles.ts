import { setTimeout as pause } from 'node:timers/promises'
import { checksOf } from '../check.ts'
import { need } from '../expect.ts'
import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import { basketOf, code, entriesOf, ISSUANCE_CODES, item, milesAgainst, milesOf, moved } from './issuance-codes.ts'

const { checks, check } = checksOf('issuance', 3)
export const issuanceMilesChecks = checks

const upper = (value: unknown): string => String(value).toUpperCase()
function confirmed(received: Received): void {
  for (const entry of entriesOf(received)) {
    expect.same(upper(entry.status), 'CONFIRMED', 'status', received)
    expect.matches(entry.confirmationNumber, expect.UUID, 'confirmationNumber', received)
    expect.matches(entry.processedDateTime, expect.ISO, 'processedDateTime', received)
  }
}

check('calculate.ok', '§4.2', 'CALCULATE of a valid basket is 200', async (client) =>
  expect.status(await client.issuance('calculate'), 200),
)
check(
  'calculate.entries',
  '§4.2',
  'Issuances of CALCULATE have no confirmationNumber, processedDateTime or status',
  async (client) => {
    const received = await client.issuance('calculate', { basketPreTaxAmount: 100, basketPostTaxAmount: 113 })
    expect.assertThat(entriesOf(received).length > 0, 'the basket earns miles', received)
    for (const entry of entriesOf(received))
      for (const field of ['confirmationNumber', 'processedDateTime', 'status'])
        expect.assertThat(entry[field] === undefined, `no ${field}`, received)
  },
)
check('calculate.nothing', '§4.2', 'CALCULATE issues nothing', async (client) =>
  expect.same((await moved(client, 'fine', () => client.issuance('calculate'))).miles, 0, 'miles moved'),
)
check('calculate.not-required', '§4.2', 'ISSUE works without CALCULATE before it', async (client) =>
  expect.accepted(await client.issuance('issue')),
)
check('calculate.same', '§4.2', 'ISSUE issues what CALCULATE computed', async (client) => {
  const basket = basketOf([item('1010', 14.99, 2), item('9001', 5.25)], { coupon: ['BONUS10'] })
  const before = await client.issuance('calculate', basket)
  const after = await client.issuance('issue', basket)
  const notify = (received: Received): unknown =>
    entriesOf(received)
      .map(({ issuanceOfferCode, milesAmount }) => `${String(issuanceOfferCode)} ${String(milesAmount)}`)
      .toSorted()
  expect.same(notify(after), notify(before), 'the issuances', after)
})
check('calculate.no-202', '§4.2', 'CALCULATE never returns 202', async (client) => {
  for (const fields of [
    { collectorNumber: client.collector('pending') },
    { locationCode: undefined },
    { locationCode: client.bench.location.unknown },
  ])
    expect.status(await client.issuance('calculate', fields), 200, 400)
})
check(
  'issue.ok',
  '§4.2 rule 1',
  'ISSUE of a valid basket is 200 with confirmed issuances, or 202 with pending ones',
  async (client) => {
    const received = await client.issuance('issue')
    expect.status(received, 200, 202)
    // A service may first make every issuance pending (specification 3 §4.2 rule 2).
    if (received.status === 202)
      expect.assertThat(
        entriesOf(received).every(({ status }) => upper(status) === 'PENDING'),
        'the issuances of a 202 are pending',
        received,
      )
    else confirmed(received)
    expect.assertThat(
      received.body.responseCode === undefined && received.body.errors === undefined,
      'no error is returned',
      received,
    )
  },
)
check('issue.deposits', '§4.2', 'ISSUE deposits the miles that it returns', async (client) => {
  const { received, miles } = await moved(client, 'fine', () => client.issuance('issue'))
  expect.assertThat(miles > 0, 'the basket earns miles', received)
  expect.same(miles, milesOf(received), 'miles moved', received)
})
for (const call of ['calculate', 'issue', 'record', 'post', 'postEvent', 'reverse', 'reverseEvent'] as const) {
  check(`${call}.transaction`, '§2.3', `${call} returns a transactionId, a unique UUID`, async (client) => {
    const [first, second] = [await client.issuance(call), await client.issuance(call)]
    expect.matches(first.body.transactionId, expect.UUID, 'transactionId', first)
    expect.assertThat(
      first.body.transactionId !== second.body.transactionId,
      'two transactions have different ids',
      second,
    )
  })
  check(`${call}.echoes`, '§2.3', `${call} returns the fields of its request`, async (client) => {
    const { issuances: _own, ...sent } = client.request(call, { context: { lane: '7' }, deviceId: 'LANE-07' })
    const received = await client.issuance(call, sent)
    for (const [field, value] of Object.entries(sent)) expect.same(received.body[field], value, field, received)
  })
  check(`${call}.nothing-empty`, '§1', `Null or empty elements are left out of ${call}`, async (client) => {
    const received = await client.issuance(call)
    expect.nothingEmpty(received.body, received)
  })
  check(
    `${call}.nothing-empty.sent`,
    '§1',
    `${call} leaves empty request fields out of its answer, at any depth`,
    async (client) => {
      const { issuances } = client.request(call) as { issuances?: readonly object[] }
      const basket = basketOf([item('9001', 38.36, 1, { departmentId: '', categoryId: '' })], {
        locationCode: client.bench.location.active,
        tender: [],
        provider: '',
        program: '',
      })
      const received = await client.issuance(call, {
        ...(call.endsWith('Event') ? {} : basket),
        context: {},
        deviceId: '',
        coupon: [''],
        ...(issuances
          ? { issuances: issuances.map((entry) => ({ ...entry, offerDescription: '', contributingItemIds: [] })) }
          : {}),
      })
      expect.status(received, 200)
      expect.nothingEmpty(received.body, received)
    },
  )
}
check(
  'issue.echo.items',
  '§2.3',
  'ISSUE returns the items, the coupons and the tax amounts of its request',
  async (client) => {
    const sent = basketOf([item('9001', 2.5, 2, { departmentId: 'd', categoryId: 'c' })], {
      coupon: ['X'],
      basketGSTAmount: 0.25,
      basketPSTAmount: 0.35,
      basketHSTAmount: 0,
      basketQSTAmount: 0,
      tender: ['CASH', 'CREDIT'],
    })
    const received = await client.issuance('issue', sent)
    for (const [field, value] of Object.entries(sent)) expect.same(received.body[field], value, field, received)
  },
)
check(
  'issue.entry',
  '§2.3',
  'An issuance has its offer code, its offer and a whole number of miles',
  async (client) => {
    const received = await client.issuance('issue')
    for (const entry of entriesOf(received))
      expect.assertThat(
        typeof entry.issuanceOfferCode === 'string' &&
          typeof entry.offerId === 'string' &&
          Number.isInteger(entry.milesAmount),
        'the fields of an issuance',
        received,
      )
  },
)
check('issue.nothing', '§4.2', 'A basket that earns nothing is accepted, without issuances', async (client) => {
  const received = await client.issuance('issue', { basketPreTaxAmount: 0.5, basketPostTaxAmount: 0.57 })
  expect.accepted(received)
  expect.assertThat(received.body.issuances === undefined, 'an empty list is left out', received)
})
check('earn.base', '§4.2', 'Base miles for every full step of the pre-tax total', async (client) => {
  const base = need(client.bench.earning.base, 'the bench has no base offer')
  for (const [dollars, steps] of [
    [base.perDollars - 0.01, 0],
    [base.perDollars, 1],
    [base.perDollars * 4 - 0.01, 3],
  ] as const) {
    const received = await client.issuance('calculate', {
      basketPreTaxAmount: Math.round(dollars * 100) / 100,
      basketPostTaxAmount: base.perDollars * 10,
    })
    expect.same(milesAgainst(received, base.code), steps * base.miles, `miles for ${dollars} before tax`, received)
  }
})
check('earn.item', '§2.3', 'An item bonus counts pieces and returns the SKU that contributed', async (client) => {
  const bonus = need(client.bench.earning.item, 'the bench has no item offer')
  const received = await client.issuance('calculate', basketOf([item(bonus.sku, 3, 2), item('9001', 1)]))
  expect.same(milesAgainst(received, bonus.code), 2 * bonus.miles, 'miles', received)
  expect.same(
    entriesOf(received).find((entry) => entry.issuanceOfferCode === bonus.code)?.contributingItemIds,
    [bonus.sku],
    'contributingItemIds',
    received,
  )
})
for (const [kind, field] of [
  ['department', 'departmentId'],
  ['category', 'categoryId'],
] as const) {
  check(
    `earn.${kind}`,
    '§2.2',
    `A ${kind} bonus counts the cost of the ${kind}'s items and returns them`,
    async (client) => {
      const bonus = need(client.bench.earning[kind], `the bench has no ${kind} offer`)
      const received = await client.issuance(
        'calculate',
        basketOf([item('9001', bonus.perDollars, 2, { [field]: bonus.id }), item('9002', bonus.perDollars)]),
      )
      expect.same(milesAgainst(received, bonus.code), 2 * bonus.miles, 'miles', received)
      expect.same(
        entriesOf(received).find((entry) => entry.issuanceOfferCode === bonus.code)?.contributingItemIds,
        ['9001'],
        'contributingItemIds',
        received,
      )
    },
  )
}
check('earn.coupon', '§2.1', 'A coupon earns once, with the coupon and from its minimum basket', async (client) => {
  const bonus = need(client.bench.earning.coupon, 'the bench has no coupon offer')
  const miles = async (dollars: number, coupon: string[]): Promise<number> =>
    milesAgainst(
      await client.issuance('calculate', { basketPreTaxAmount: dollars, basketPostTaxAmount: dollars, coupon }),
      bonus.code,
    )
  expect.same(
    [
      await miles(bonus.fromDollars, [bonus.coupon]),
      await miles(bonus.fromDollars, ['OTHER']),
      await miles(bonus.fromDollars - 0.01, [bonus.coupon]),
    ],
    [bonus.miles, 0, 0],
    'miles',
  )
})

const RETURNED = [item('1010', 10), item('9001', 20)]
check('return.ok', '§4.2', 'RETURN of an issued basket is 200, confirmed, and withdraws its miles', async (client) => {
  const issued = await client.issuance('issue', basketOf(RETURNED))
  const { received, miles } = await moved(client, 'fine', () =>
    client.issuance('return', basketOf(RETURNED, { originalTransactionId: issued.body.transactionId })),
  )
  expect.status(received, 200)
  confirmed(received)
  expect.matches(received.body.transactionId, expect.UUID, 'transactionId', received)
  expect.same(miles, -milesOf(issued), 'miles moved', received)
})
check('return.sign', '§2.3', 'Miles that RETURN withdraws have the sign of the bench file', async (client) => {
  const issued = await client.issuance('issue', basketOf(RETURNED))
  const received = await client.issuance(
    'return',
    basketOf(RETURNED, { originalTransactionId: issued.body.transactionId }),
  )
  expect.assertThat(entriesOf(received).length > 0, 'the return lists its withdrawals', received)
  for (const { milesAmount } of entriesOf(received))
    expect.assertThat(
      client.bench.returnMiles === 'negative' ? Number(milesAmount) < 0 : Number(milesAmount) > 0,
      `milesAmount is ${client.bench.returnMiles}`,
      received,
    )
})
check('return.checkout-id', '§2.1', 'RETURN accepts the checkoutTransactionId of the issue', async (client) => {
  const issued = await client.issuance('issue', basketOf(RETURNED))
  expect.status(
    await client.issuance('return', basketOf(RETURNED, { originalTransactionId: issued.body.checkoutTransactionId })),
    200,
  )
})
check('return.part', '§4.2', 'RETURN of one item withdraws the miles of that item', async (client) => {
  const issued = await client.issuance('issue', basketOf(RETURNED))
  const rest = await client.issuance('calculate', basketOf([item('9001', 20)]))
  const { received, miles } = await moved(client, 'fine', () =>
    client.issuance('return', basketOf([item('1010', 10)], { originalTransactionId: issued.body.transactionId })),
  )
  expect.same(miles, milesOf(rest) - milesOf(issued), 'miles moved', received)
})
check('return.unknown', '§2.1', 'RETURN of an unknown issue is 400 and moves no miles', async (client) => {
  const { received, miles } = await moved(client, 'fine', () => client.issuance('return'))
  expect.status(received, 400)
  expect.same(miles, 0, 'miles moved', received)
})
check('return.twice', '§4.2', 'A basket can be returned only once', async (client) => {
  const issued = await client.issuance('issue', basketOf(RETURNED))
  const again = (): Promise<Received> =>
    client.issuance('return', basketOf(RETURNED, { originalTransactionId: issued.body.transactionId }))
  expect.status(await again(), 200)
  const { received, miles } = await moved(client, 'fine', again)
  expect.status(received, 400)
  expect.same(miles, 0, 'miles moved', received)
})
check('return.other', '§2.1', "RETURN of another collector's issue is 400", async (client) => {
  const issued = await client.issuance('issue', basketOf(RETURNED))
  expect.status(
    await client.issuance(
      'return',
      basketOf(RETURNED, {
        originalTransactionId: issued.body.transactionId,
        collectorNumber: client.collector('second'),
      }),
    ),
    400,
  )
})

const PLACES = { 202: () => undefined, 205: 'inactive', 230: 'unknown' } as const
for (const wanted of ['202', '205', '230'] as const) {
  check(`issue.${wanted}`, `§7.1 ${wanted}`, `ISSUE: ${ISSUANCE_CODES[wanted][1]}`, async (client) => {
    const place = PLACES[wanted]
    const locationCode =
      typeof place === 'string' ? need(client.bench.location[place], `the bench has no ${place} location`) : undefined
    code(await client.issuance('issue', { locationCode }), wanted)
  })
}
for (const call of ['calculate', 'issue', 'post', 'postEvent', 'reverseEvent'] as const) {
  check(`${call}.221`, '§7.1 221', `${call}: ${ISSUANCE_CODES['221'][1]}`, async (client) =>
    code(await client.issuance(call, { sponsorCode: client.bench.unknownSponsor }), '221'),
  )
  for (const [wanted, role] of [
    ['224', 'closed'],
    ['232', 'deleted'],
    ['234', 'unknown'],
  ] as const) {
    check(`${call}.${wanted}`, `§7.1 ${wanted}`, `${call}: ${ISSUANCE_CODES[wanted][1]}`, async (client) =>
      code(await client.issuance(call, { collectorNumber: client.collector(role) }), wanted),
    )
  }
}
for (const call of ['issue', 'postEvent'] as const) {
  check(`${call}.225`, '§7.1 225', `${call}: ${ISSUANCE_CODES['225'][1]}`, async (client) => {
    code(
      await client.issuance(call, {
        sponsorCode: need(client.bench.expiredSponsor, 'the bench has no expired sponsor'),
        locationCode: undefined,
      }),
      '225',
    )
  })
}
/**
 * Returns fields that remove the optional original transaction from a reversal, so that the error is about the offer of
 * the reversal and not about the original transaction.
 */
const nothingBefore = (call: string): Record<string, undefined> =>
  call === 'reverseEvent' ? { originalClientTransactionId: undefined } : {}
for (const call of ['post', 'postEvent', 'reverseEvent'] as const) {
  check(`${call}.203`, '§7.1 203', `${call}: ${ISSUANCE_CODES['203'][1]}`, async (client) => {
    code(
      await client.issuance(call, {
        ...nothingBefore(call),
        issuances: [{ issuanceOfferCode: client.bench.issuanceOffers.unknown, milesAmount: 1, offerId: 'A' }],
      }),
      '203',
    )
  })
  check(`${call}.204`, '§7.1 204', `${call}: ${ISSUANCE_CODES['204'][1]}`, async (client) => {
    code(
      await client.issuance(call, {
        ...nothingBefore(call),
        issuances: [
          {
            issuanceOfferCode: need(client.bench.issuanceOffers.expired, 'the bench has no expired offer'),
            milesAmount: 1,
            offerId: 'A',
          },
        ],
      }),
      '204',
    )
  })
}
check('post.207', '§7.1 207', `POST: ${ISSUANCE_CODES['207'][1]}`, async (client) => {
  const offer = need(client.bench.issuanceOffers.unit, 'the bench has no offer with unit miles')
  code(
    await client.issuance('post', {
      issuances: [{ issuanceOfferCode: offer.code, milesAmount: offer.unitMiles + 1, offerId: offer.code }],
    }),
    '207',
  )
  expect.status(
    await client.issuance('post', {
      issuances: [{ issuanceOfferCode: offer.code, milesAmount: offer.unitMiles, offerId: offer.code }],
    }),
    200,
  )
})
check('post.208', '§7.1 208', `POST: ${ISSUANCE_CODES['208'][1]}`, async (client) => {
  const offer = need(client.bench.issuanceOffers.variable, 'the bench has no offer with variable miles')
  code(
    await client.issuance('post', {
      issuances: [{ issuanceOfferCode: offer.code, milesAmount: offer.maximumMiles + 1, offerId: offer.code }],
    }),
    '208',
  )
  expect.status(
    await client.issuance('post', {
      issuances: [{ issuanceOfferCode: offer.code, milesAmount: offer.maximumMiles, offerId: offer.code }],
    }),
    200,
  )
})
check(
  'issue.000',
  '§7.1 000',
  'ISSUE pending for an unknown reason is 202, 000, and its issuances are pending',
  async (client) => {
    const received = await client.issuance('issue', { collectorNumber: client.collector('pending') })
    code(received, '000')
    for (const entry of entriesOf(received)) expect.same(upper(entry.status), 'PENDING', 'status', received)
  },
)
check(
  'issue.202.effect',
  '§4.2 rule 2',
  'A pending ISSUE has not moved miles; resubmitting it has no effect',
  async (client) => {
    const key = client.fresh()
    const bytes = JSON.stringify(client.request('issue', { collectorNumber: client.collector('pending') }))
    const { received, miles } = await moved(client, 'pending', () =>
      client.send('POST', client.path('issue'), bytes, { key }),
    )
    expect.status(received, 202)
    expect.same(miles, 0, 'miles moved', received)
    const again = await moved(client, 'pending', () => client.send('POST', client.path('issue'), bytes, { key }))
    expect.same(again.miles, 0, 'miles moved by the second request', again.received)
  },
)
check('issue.202.settles', '§4.2 rule 2', 'A pending ISSUE deposits its miles at settlement', async (client) => {
  const before = await client.balances('pending')
  const received = await client.issuance('issue', { collectorNumber: client.collector('pending') })
  const { settlesWithinMs: patience, controlUrl, control } = client.bench
  if (controlUrl !== null && control.speaks.includes('settle')) await client.control('POST', '/issuances/settle')
  else await pause(need(patience, 'the bench does not define when a pending issuance settles'))
  const after = await client.balances('pending')
  expect.assertThat(
    after.cash + after.dream - before.cash - before.dream >= milesOf(received),
    'the miles are deposited',
    received,
  )
})
check('issue.400.effect', '§4.2 rule 3', 'A corrected record is accepted after a 400', async (client) => {
  const checkoutTransactionId = client.fresh()
  expect.status(
    await client.issuance('issue', { checkoutTransactionId, basketPreTaxAmount: undefined }, { key: client.fresh() }),
    400,
  )
  expect.accepted(await client.issuance('issue', { checkoutTransactionId }, { key: client.fresh() }))
})
check('issue.400.key', '§4.2 rule 3', 'The corrected record may use the key of the refused one', async (client) => {
  const checkoutTransactionId = client.fresh()
  const key = client.fresh()
  expect.status(await client.issuance('issue', { checkoutTransactionId, basketPreTaxAmount: undefined }, { key }), 400)
  expect.accepted(await client.issuance('issue', { checkoutTransactionId }, { key }))
})
for (const call of ['issue', 'post'] as const) {
  check(
    `${call}.parallel`,
    '§4.2 rule 5',
    `A parallel ${call} for the same collector is an error; one for another collector is not`,
    async (client) => {
      client.needs('faults', 'requests')
      await client.fault(client.path(call), { kind: 'delay', ms: 300 })
      await client.control('DELETE', '/requests')
      const first = client.issuance(call)
      await client.control('GET', `/wait?path=${client.path(call)}&count=1`)
      const [second, other] = await Promise.all([
        client.issuance(call),
        client.issuance(call, { collectorNumber: client.collector('second') }),
      ])
      expect.accepted(await first)
      expect.status(second, ...client.bench.statuses.parallel)
      expect.accepted(other)
    },
  )
}

check('record.no-miles', '§4.3', 'RECORD issues no miles, even with issuances', async (client) => {
  const issuances = [{ issuanceOfferCode: client.bench.issuanceOffers.valid, milesAmount: 9, offerId: 'A' }]
  const { received, miles } = await moved(client, 'fine', () => client.issuance('record', { issuances }))
  expect.status(received, 200)
  expect.same(miles, 0, 'miles moved', received)
})
check('record.non-collector', '§4.3', 'RECORD accepts a transaction without a collector', async (client) =>
  expect.status(await client.issuance('record', { collectorNumber: undefined }), 200),
)
check(
  'record.provider',
  '§4.3',
  'RECORD accepts and returns provider, program and a loyalty-cash tender',
  async (client) => {
    const sent = {
      provider: 'Milepost',
      program: 'CLO',
      tender: ['CASH', 'LOYALTYCASH'],
      originalTransactionId: 'EARLIER',
    }
    const received = await client.issuance('record', sent)
    expect.status(received, 200)
    for (const [field, value] of Object.entries(sent)) expect.same(received.body[field], value, field, received)
  },
)
check('record.statuses', '§4.3', 'RECORD answers 200, 400 or 500 and never 202', async (client) => {
  for (const fields of [
    { locationCode: undefined },
    { collectorNumber: client.collector('pending') },
    { sponsorCode: client.bench.unknownSponsor },
  ])
    expect.status(await client.issuance('record', fields), 200, 400)
})

for (const [call, sign] of [
  ['post', 1],
  ['postEvent', 1],
  ['reverse', -1],
  ['reverseEvent', -1],
] as const) {
  check(`${call}.moves`, '§4.4', `${call} moves the miles that the partner calculated`, async (client) => {
    const issuances = [{ issuanceOfferCode: client.bench.issuanceOffers.valid, milesAmount: 7, offerId: 'A' }]
    let original = {}
    if (sign === -1) {
      const posted = await client.issuance(call === 'reverse' ? 'post' : 'postEvent', { issuances })
      original =
        call === 'reverse'
          ? { originalTransactionId: posted.body.transactionId }
          : { originalClientTransactionId: posted.body.clientTransactionId }
    }
    const { received, miles } = await moved(client, 'fine', () => client.issuance(call, { issuances, ...original }))
    expect.status(received, 200, 202)
    // Compare the balance only if all entries are confirmed: a pending entry has moved no miles, with any HTTP status.
    if (entriesOf(received).every(({ status }) => upper(status) === 'CONFIRMED'))
      expect.same(miles, sign * 7, 'miles moved', received)
    for (const entry of entriesOf(received))
      expect.assertThat(['CONFIRMED', 'PENDING'].includes(upper(entry.status)), 'the status of an issuance', received)
  })
}
