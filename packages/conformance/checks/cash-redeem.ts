import { checksOf } from '../check.ts'
import { need, Skip } from '../expect.ts'
import type { Role } from '../bench.ts'
import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import type { Fields, Client } from '../client.ts'
import { badNumber, BAD_NUMBERS, CASH_CODES, code, DECIMALS, INQUIRE_REQUIRED, keyed, WHOLE } from './cash-codes.ts'
import { atLocalHour } from './local-time.ts'

const { checks, check } = checksOf('cash', 3)
export const cashRedeemChecks = checks

/** Redeems, runs the check, and reverses the redemption, so that the next check starts with the same balance. */
export async function redeemed(
  client: Client,
  fields: Fields,
  look: (received: Received) => Promise<void> | void,
): Promise<void> {
  const received = await client.cash('redeem', { postTaxBasketAmount: '900.00', ...fields })
  expect.assertThat(
    ['0000', '0001'].includes(String(received.body.responseCode)),
    'the redemption is approved',
    received,
  )
  try {
    await look(received)
  } finally {
    if (client.bench.paths.cashReverse !== null) await reverse(client, received)
  }
}

export function reverse(
  client: Client,
  received: Received,
  fields: Fields = {},
  options: { key?: string } = {},
): Promise<Received> {
  const { collectorNumber, dollarRedeemRequest, sponsorCode, storeId, txnConfirmationNumber } = received.body
  return client.cash(
    'reverse',
    {
      collectorNumber,
      dollarRedeemRequest,
      sponsorCode,
      storeId,
      txnConfirmationNumber,
      postTaxBasketAmount: '900.00',
      ...fields,
    },
    options,
  )
}

check('redeem.approved', '§7.2 0000', 'REDEEM of one unit is 0000', (client) =>
  redeemed(client, {}, (received) => code(received, '0000')),
)
for (const field of [...INQUIRE_REQUIRED, 'dollarRedeemRequest']) {
  check(`redeem.required.${field}`, '§2.4', `REDEEM without ${field} is 0035`, async (client) =>
    code(await client.cash('redeem', { [field]: undefined }), '0035'),
  )
}
check('redeem.echoes', '§2.4', 'REDEEM returns the fields of its request', (client) => {
  const sent = {
    traceId: client.fresh(),
    instantMessage: 'fr-CA',
    originalPostTaxBasketAmount: '910.00',
    originalPreTaxAmount: '800.00',
    dollarRedeemRequest: '10.00',
  }
  return redeemed(client, sent, (received) => {
    for (const [field, value] of Object.entries(sent)) expect.same(received.body[field], value, field, received)
  })
})
check('redeem.confirmation', '§2.4', 'REDEEM returns a unique confirmation number', (client) =>
  redeemed(client, {}, (first) =>
    redeemed(client, {}, (second) => {
      expect.matches(first.body.txnConfirmationNumber, /\S/, 'txnConfirmationNumber', first)
      expect.assertThat(
        first.body.txnConfirmationNumber !== second.body.txnConfirmationNumber,
        'two redemptions have different numbers',
        second,
      )
    }),
  ),
)
check('redeem.units', '§8', 'REDEEM of $30 takes three units: 285 cash miles', (client) =>
  redeemed(client, { dollarRedeemRequest: '30.00' }, (received) => {
    expect.same(
      [Number(received.body.unitsRedeemed), Number(received.body.milesRedeemed)],
      [3, 285],
      'units and miles',
      received,
    )
  }),
)
check('redeem.units.special', '§2.4', 'REDEEM at a special offer takes units at its price', async (client) => {
  const collectorNumber = client.collector('special')
  // Takes the price of a unit from INQUIRE, because REDEEM’s answer need not repeat it.
  const { unitValueLoyaltyCash: price } = (await client.cash('inquire', { collectorNumber })).body
  await redeemed(client, { collectorNumber, dollarRedeemRequest: '20.00' }, (received) => {
    expect.same(Number(received.body.milesRedeemed), 2 * Number(price), 'milesRedeemed', received)
    expect.same(Number(received.body.unitsRedeemed), 2, 'unitsRedeemed', received)
  })
})
check('redeem.post-transaction', '§2.4', 'REDEEM returns the balances after the redemption', async (client) => {
  const before = await client.balances('fine')
  await redeemed(client, { dollarRedeemRequest: '20.00' }, async (received) => {
    expect.same(Number(received.body.cashBalance), before.cash - 190, 'cashBalance', received)
    expect.same(await client.balances('fine'), { cash: before.cash - 190, dream: before.dream }, 'the next INQUIRE')
  })
  if (client.bench.paths.cashReverse !== null)
    expect.same(await client.balances('fine'), before, 'the balances after the reversal')
})
check('redeem.dream', '§1', 'REDEEM does not change the dream balance', async (client) => {
  const { dream } = await client.balances('fine')
  await redeemed(client, {}, (received) =>
    expect.same(Number(received.body.dreamBalance), dream, 'dreamBalance', received),
  )
})
check('redeem.strings', '§2.4', 'Amounts of a REDEEM answer are strings', (client) =>
  redeemed(client, {}, (received) => {
    for (const field of ['milesRedeemed', 'unitsRedeemed', 'cashBalance', 'dreamBalance', 'availableCashBalance'])
      expect.matches(received.body[field], WHOLE, field, received)
    expect.matches(received.body.availableDollarAmount, DECIMALS, 'availableDollarAmount', received)
  }),
)
check('redeem.nothing-empty', '§1', 'Null or empty elements are left out of REDEEM', (client) =>
  redeemed(client, {}, (received) => expect.nothingEmpty(received.body, received)),
)
check('redeem.suppressed', '§7.2 0001', 'REDEEM of a collector with suppressed balances is 0001', (client) =>
  redeemed(client, { collectorNumber: client.collector('suppressed') }, (received) => code(received, '0001')),
)
for (const mode of ['SCAN', 'PREREGISTERED']) {
  check(`redeem.mode.${mode}`, '§4.5 rule 1', `REDEEM of a card entered by ${mode} is approved`, (client) =>
    redeemed(client, { cardEntryMode: mode }, (received) => code(received, '0000')),
  )
}
check('redeem.keyed', '§4.5 rule 1', 'REDEEM of a keyed number is 0009', async (client) =>
  code(await client.cash('redeem', { cardEntryMode: keyed(client) }), '0009'),
)
check('redeem.keyed-effect', '§4.5 rule 1', 'REDEEM of a keyed number takes no miles', async (client) => {
  const before = await client.balances('fine')
  await client.cash('redeem', { cardEntryMode: keyed(client) })
  expect.same(await client.balances('fine'), before, 'the balances')
})
for (const [wanted, role] of [
  ['0002', 'closed'],
  ['0025', 'unknown'],
  ['0051', 'poor'],
  ['0065', 'limitUsed'],
  ['0067', 'unavailable'],
] as const) {
  check(`redeem.${wanted}`, `§7.2 ${wanted}`, `REDEEM: ${CASH_CODES[wanted][1]}`, async (client) =>
    code(await client.cash('redeem', { collectorNumber: client.collector(role) }), wanted),
  )
}
for (const role of ['suppressedUnable', 'unable'] as const satisfies readonly Role[]) {
  check(
    `redeem.${role}`,
    role === 'unable' ? '§7.2 0006' : '§7.2 0005',
    'REDEEM of an account that may not redeem is declined and takes no miles',
    async (client) => {
      const before = await client.balances(role)
      const received = await client.cash('redeem', { collectorNumber: client.collector(role) })
      expect.assertThat(!['0000', '0001'].includes(String(received.body.responseCode)), 'not approved', received)
      expect.same(await client.balances(role), before, 'the balances')
    },
  )
}
for (const [name, value] of Object.entries(BAD_NUMBERS)) {
  check(
    `redeem.number.${name}`,
    '§8',
    `REDEEM of ${value} is 0025 or 0035: 11 digits starting with 8`,
    async (client) => badNumber(await client.cash('redeem', { collectorNumber: value })),
  )
  check(`redeem.number.${name}.code`, '§7.2 0025', `REDEEM of ${value} is 0025`, async (client) =>
    code(await client.cash('redeem', { collectorNumber: value }), '0025'),
  )
}
check('redeem.sponsor', '§7.2 0035', 'REDEEM of an unknown sponsor is 0035', async (client) =>
  code(await client.cash('redeem', { sponsorCode: client.bench.unknownSponsor }), '0035'),
)
check('redeem.amount.type', '§2.4', 'dollarRedeemRequest is a decimal string', async (client) => {
  code(await client.cash('redeem', { dollarRedeemRequest: 'ten' }), '0035')
})
check(
  'redeem.amount.strict',
  '§2.4',
  'A JSON number, a tenth of a cent or a negative amount is not a decimal string of dollars',
  async (client) => {
    for (const amount of [10, '-10.00', '10.001'])
      code(await client.cash('redeem', { dollarRedeemRequest: amount }), '0035')
  },
)
check('redeem.amount.unit', '§1', 'REDEEM of a partial unit is 0035', async (client) =>
  code(await client.cash('redeem', { dollarRedeemRequest: '15.00' }), '0035'),
)
check('redeem.amount.zero', '§1', 'REDEEM of $0.00 is 0035', async (client) =>
  code(await client.cash('redeem', { dollarRedeemRequest: '0.00' }), '0035'),
)
check('redeem.0066', '§7.2 0066', 'REDEEM of more than the purchase is 0066', async (client) =>
  code(await client.cash('redeem', { dollarRedeemRequest: '50.00', postTaxBasketAmount: '43.35' }), '0066'),
)
check('redeem.0066.small', '§7.2 0066', 'REDEEM of $10 on $9.99 is 0066', async (client) =>
  code(await client.cash('redeem', { postTaxBasketAmount: '9.99' }), '0066'),
)
check('redeem.whole', '§4.5 rule 2', 'REDEEM of $40 on $43.35 is approved', (client) =>
  redeemed(client, { dollarRedeemRequest: '40.00', postTaxBasketAmount: '43.35' }, (received) =>
    expect.same(Number(received.body.unitsRedeemed), 4, 'unitsRedeemed', received),
  ),
)
check('redeem.exact', '§4.5 rule 2', 'REDEEM of $10 on exactly $10.00 is approved', (client) =>
  redeemed(client, { postTaxBasketAmount: '10.00' }, (received) => code(received, '0000')),
)
check('redeem.0051.more', '§7.2 0051', 'REDEEM of more miles than the balance is 0051', async (client) => {
  const { cash } = await client.balances('suppressed')
  const asked = (Math.floor(cash / 95) + 1) * 10
  if (asked > 750) throw new Skip('the balance of the collector "suppressed" is above the daily limit')
  const dollars = `${asked}.00`
  code(
    await client.cash('redeem', {
      collectorNumber: client.collector('suppressed'),
      dollarRedeemRequest: dollars,
      postTaxBasketAmount: '900.00',
    }),
    '0051',
  )
})
check('redeem.0051.effect', '§7.2 0051', 'A declined REDEEM takes no miles', async (client) => {
  const before = await client.balances('poor')
  await client.cash('redeem', { collectorNumber: client.collector('poor') })
  expect.same(await client.balances('poor'), before, 'the balances')
})
check('redeem.limit.over', '§8', 'REDEEM above $750 per day is 0065', async (client) =>
  code(
    await client.cash('redeem', {
      collectorNumber: client.collector('nearLimit'),
      dollarRedeemRequest: '30.00',
      postTaxBasketAmount: '900.00',
    }),
    '0065',
  ),
)
check('redeem.limit.exact', '§8', 'REDEEM of exactly $750 in a day is approved', (client) =>
  redeemed(
    client,
    { collectorNumber: client.collector('nearLimit'), dollarRedeemRequest: '20.00' },
    async (received) => {
      code(received, '0000')
      code(await client.cash('redeem', { collectorNumber: client.collector('nearLimit') }), '0065')
    },
  ),
)
check('redeem.limit.sponsors', '§8', 'The $750 per day include all sponsors', (client) => {
  const sponsorCode = need(client.bench.secondSponsor, 'the bench has no second sponsor')
  const collectorNumber = client.collector('nearLimit')
  return redeemed(client, { collectorNumber }, () =>
    redeemed(client, { collectorNumber, sponsorCode }, async () => {
      code(await client.cash('redeem', { collectorNumber }), '0065')
      code(await client.cash('redeem', { collectorNumber, sponsorCode }), '0065')
    }),
  )
})
check('redeem.limit.reversal', '§8', 'A reversal restores the daily limit', async (client) => {
  need(client.bench.paths.cashReverse, 'the bench has no path for REVERSE (cash)')
  const collectorNumber = client.collector('nearLimit')
  await redeemed(client, { collectorNumber, dollarRedeemRequest: '20.00' }, () => undefined)
  await redeemed(client, { collectorNumber, dollarRedeemRequest: '20.00' }, (received) => code(received, '0000'))
})
check('redeem.limit.units', '§8', 'REDEEM above dailyOfferLimit units is 0065', async (client) => {
  const collectorNumber = client.collector('special')
  const { body } = await client.cash('inquire', { collectorNumber })
  const dollars = (Number(body.dailyOfferLimit) + 1) * Number.parseFloat(String(body.unitValueDollars))
  code(
    await client.cash('redeem', {
      collectorNumber,
      dollarRedeemRequest: `${dollars}.00`,
      postTaxBasketAmount: '900.00',
    }),
    '0065',
  )
})
check(
  'redeem.cancelled',
  '§4.5 rule 6',
  'A redemption whose answer could not be returned is cancelled; the identical retry redeems once',
  async (client) => {
    client.needs('faults')
    const before = await client.balances('fine')
    const bytes = JSON.stringify(client.request('redeem'))
    const key = client.fresh()
    await client.fault(client.path('redeem'), { kind: 'cancel-after' })
    const lost = await client.send('POST', client.path('redeem'), bytes, { key }).then(
      () => false,
      () => true,
    )
    expect.assertThat(lost, 'the answer is lost')
    expect.same(await client.balances('fine'), before, 'the balances after the cancellation')
    const retry = await client.send('POST', client.path('redeem'), bytes, { key })
    code(retry, '0000')
    expect.same((await client.balances('fine')).cash, before.cash - 95, 'the cash balance after the retry')
    await reverse(client, retry)
  },
)
check(
  'redeem.retry',
  '§4.5 rule 6',
  'An identical retry after a lost answer gets that answer and redeems once',
  async (client) => {
    client.needs('faults')
    const before = await client.balances('fine')
    const bytes = JSON.stringify(client.request('redeem'))
    const key = client.fresh()
    await client.fault(client.path('redeem'), { kind: 'drop-after' })
    await client.send('POST', client.path('redeem'), bytes, { key }).catch(() => undefined)
    const retry = await client.send('POST', client.path('redeem'), bytes, { key })
    code(retry, '0000')
    expect.same((await client.balances('fine')).cash, before.cash - 95, 'the cash balance')
    await reverse(client, retry)
  },
)

check('reverse.approved', '§3', 'REVERSE of a redemption is 0000 and returns its miles', async (client) => {
  const before = await client.balances('fine')
  const received = await client.cash('redeem', { dollarRedeemRequest: '20.00' })
  code(await reverse(client, received), '0000')
  expect.same(await client.balances('fine'), before, 'the balances')
})
check('reverse.suppressed', '§7.2 0001', 'REVERSE for a collector with suppressed balances is 0001', async (client) => {
  code(await reverse(client, await client.cash('redeem', { collectorNumber: client.collector('suppressed') })), '0001')
})
check('reverse.0057', '§7.2 0057', 'REVERSE of an unknown redemption is 0057', async (client) =>
  code(await client.cash('reverse', { txnConfirmationNumber: '999999999999' }), '0057'),
)
check('reverse.0057.number', '§7.2 0057', 'REVERSE without a confirmation number is 0035 or 0057', async (client) => {
  const received = await client.cash('reverse', { txnConfirmationNumber: undefined })
  code(received, received.body.responseCode === '0057' ? '0057' : '0035')
})
check('reverse.0057.other', '§7.2 0057', "REVERSE of another collector's redemption is 0057", (client) =>
  redeemed(client, {}, async (received) =>
    code(await reverse(client, received, { collectorNumber: client.collector('second') }), '0057'),
  ),
)
check('reverse.twice', '§7.2 0057', 'A second REVERSE returns no miles', async (client) => {
  const before = await client.balances('fine')
  const received = await client.cash('redeem')
  await reverse(client, received)
  await reverse(client, received)
  expect.same(await client.balances('fine'), before, 'the balances')
})
check('reverse.twice.code', '§7.2 0057', 'A second REVERSE is not approved', async (client) => {
  const received = await client.cash('redeem')
  code(await reverse(client, received), '0000')
  const again = await reverse(client, received)
  expect.assertThat(again.body.responseCode !== '0000' && again.body.responseCode !== '0001', 'not approved', again)
})
check('reverse.0025', '§7.2 0025', 'REVERSE for an unknown collector is 0025', async (client) =>
  code(await client.cash('reverse', { collectorNumber: client.collector('unknown') }), '0025'),
)
for (const [id, hour, minute, wanted] of [
  ['before', 2, 59, '0000'],
  ['after', 3, 1, '0080'],
] as const) {
  check(
    `reverse.window.${id}`,
    `§7.2 ${wanted === '0080' ? '0080' : '0000'}`,
    `REVERSE at 0${hour}:${String(minute).padStart(2, '0')} of the next day is ${wanted}`,
    async (client) => {
      client.needs('clock')
      const received = await client.cash('redeem')
      const { body } = await client.control('GET', '/clock')
      const now = Date.parse(String(body.now))
      const offsetMs = Number(body.offsetMs)
      await client.control('POST', '/clock', {
        offsetMs:
          offsetMs + atLocalHour(now, client.bench.reversalZone ?? client.bench.store.timeZone, 1, hour, minute) - now,
      })
      try {
        code(await reverse(client, received), wanted)
      } finally {
        await client.control('POST', '/clock', { offsetMs })
      }
      if (wanted === '0080') await reverse(client, received)
    },
  )
}
check('reverse.0080', '§7.2 0080', 'REVERSE of an old redemption is 0080', async (client) =>
  code(await client.cash('reverse', need(client.bench.oldRedemption, 'the bench has no old redemption')), '0080'),
)
check('reverse.window.days', '§3', 'REVERSE after two days is 0080', async (client) => {
  client.needs('clock')
  const received = await client.cash('redeem')
  const { body } = await client.control('GET', '/clock')
  await client.control('POST', '/clock', { offsetMs: Number(body.offsetMs) + 2 * 86_400_000 })
  try {
    code(await reverse(client, received), '0080')
  } finally {
    await client.control('POST', '/clock', { offsetMs: Number(body.offsetMs) })
  }
  await reverse(client, received)
})
