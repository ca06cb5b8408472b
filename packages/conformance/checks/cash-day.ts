import { checksOf } from '../check.ts'
import { need } from '../expect.ts'
import * as expect from '../expect.ts'
import type { Client } from '../client.ts'
import { code } from './cash-codes.ts'
import { redeemed, reverse } from './cash-redeem.ts'
import { atLocalHour, during, noonBeforeChange } from './local-time.ts'

const { checks, check } = checksOf('cash', 3)
/**
 * Checks of rules that depend on the time: reversal window, $750 per day, units in 24 hours. These need services whose
 * clock can be set. The last checks do not depend on the time.
 */
export const cashDayChecks = checks

const HOUR = 3_600_000
const MINUTE = 60_000
const nowAt = async (client: Client): Promise<number> => {
  client.needs('clock')
  return Date.parse(String((await client.control('GET', '/clock')).body.now))
}

// From noon to 03:00 are fifteen hours, one less or more across a clock change.
for (const [way, hours] of [
  ['forward', 14],
  ['back', 16],
] as const) {
  check(
    `reverse.window.${way}`,
    '§3',
    `REVERSE is open until 03:00 local time on the night of a clock change ${way}, ${hours} hours after noon`,
    async (client) => {
      const timeZone = client.bench.reversalZone ?? client.bench.store.timeZone
      const noon = need(noonBeforeChange(await nowAt(client), timeZone, way), `no clock goes ${way} in ${timeZone}`)
      const [first, second] = await during(client, noon, async () => [
        await client.cash('redeem'),
        await client.cash('redeem'),
      ])
      code(await during(client, noon + hours * HOUR - MINUTE, () => reverse(client, first)), '0000')
      code(await during(client, noon + hours * HOUR + MINUTE, () => reverse(client, second)), '0080')
      await during(client, noon + MINUTE, () => reverse(client, second))
    },
  )
}
check('reverse.window.night', '§3', 'A redemption at 00:30 can be reversed for 26.5 hours', async (client) => {
  const timeZone = client.bench.reversalZone ?? client.bench.store.timeZone
  const half = atLocalHour(await nowAt(client), timeZone, 1, 0, 30)
  const deadline = atLocalHour(half, timeZone, 1, 3, 0)
  const received = await during(client, half, () => client.cash('redeem'))
  code(await during(client, deadline + MINUTE, () => reverse(client, received)), '0080')
  code(await during(client, deadline - MINUTE, () => reverse(client, received)), '0000')
})
check('reverse.window.store', '§3', 'The window ends by the clock of the store', async (client) => {
  const store = need(client.bench.otherStore, 'the bench has no other store')
  const timeZone = client.bench.reversalZone ?? store.timeZone
  const noon = atLocalHour(await nowAt(client), timeZone, 1, 12, 0)
  const deadline = atLocalHour(noon, timeZone, 1, 3, 0)
  const received = await during(client, noon, () => client.cash('redeem', { storeId: store.id }))
  code(await during(client, deadline + MINUTE, () => reverse(client, received)), '0080')
  code(await during(client, deadline - MINUTE, () => reverse(client, received)), '0000')
})

for (const which of ['store', 'otherStore'] as const) {
  check(
    `redeem.limit.midnight.${which}`,
    '§8',
    `The $750 per day restart at midnight ${which === 'store' ? 'at the store' : 'at a store in another zone'}`,
    async (client) => {
      const { id: storeId, timeZone: own } = need(client.bench[which], 'the bench has no other store')
      const timeZone = client.bench.limitZone ?? own
      const evening = atLocalHour(await nowAt(client), timeZone, 1, 23, 30)
      const fields = {
        collectorNumber: client.collector('nearLimit'),
        storeId,
        dollarRedeemRequest: '20.00',
        postTaxBasketAmount: '900.00',
      }
      const first = await during(client, evening, () => client.cash('redeem', fields))
      code(first, '0000')
      try {
        code(await during(client, evening + 29 * MINUTE, () => client.cash('redeem', fields)), '0065')
        await during(client, evening + 31 * MINUTE, () =>
          redeemed(client, fields, async (received) => {
            code(received, '0000')
            code(await client.cash('redeem', fields), '0065')
          }),
        )
      } finally {
        await during(client, evening + MINUTE, () => reverse(client, first))
      }
    },
  )
}
check(
  'redeem.limit.24-hours',
  '§8',
  'dailyOfferLimit counts units over 24 hours and does not restart at midnight',
  async (client) => {
    const { timeZone } = client.bench.store
    const evening = atLocalHour(await nowAt(client), timeZone, 1, 23, 0)
    const fields = { collectorNumber: client.collector('special'), postTaxBasketAmount: '900.00' }
    const { body } = await during(client, evening, () => client.cash('inquire', fields))
    const dollars = Number(body.dailyOfferLimit) * Number.parseFloat(String(body.unitValueDollars))
    const first = await during(client, evening, () =>
      client.cash('redeem', { ...fields, dollarRedeemRequest: `${dollars}.00` }),
    )
    code(first, '0000')
    try {
      code(await during(client, evening + 2 * HOUR, () => client.cash('redeem', fields)), '0065')
      expect.same(
        (await during(client, evening + 2 * HOUR, () => client.cash('inquire', fields))).body.availableOfferUnits,
        undefined,
        'availableOfferUnits before the 24 hours are over',
      )
      await during(client, evening + 24 * HOUR + MINUTE, () =>
        redeemed(client, fields, (received) => code(received, '0000')),
      )
    } finally {
      await during(client, evening + MINUTE, () => reverse(client, first))
    }
  },
)
check(
  'redeem.cancelled.limit',
  '§4.5 rule 6',
  'A cancelled redemption does not count against the day',
  async (client) => {
    client.needs('faults')
    const fields = { collectorNumber: client.collector('nearLimit'), dollarRedeemRequest: '20.00' }
    await client.fault(client.path('redeem'), { kind: 'cancel-after' })
    expect.assertThat(
      await client.cash('redeem', { ...fields, postTaxBasketAmount: '900.00' }, { key: client.fresh() }).then(
        () => false,
        () => true,
      ),
      'the answer is lost',
    )
    await redeemed(client, fields, (received) => code(received, '0000'))
  },
)
check('echo.0092', '§7.2 0092', 'ECHO: Scheduled outage', async (client) => {
  const { sponsorCode } = need(client.bench.trouble['0092'], 'the bench has no request that gets 0092')
  code(
    await client.cash('echo', {
      sponsorCode: need(sponsorCode, 'the request that gets 0092 needs a sponsor, because ECHO has no collector'),
    }),
    '0092',
  )
})
check('inquire.optional', '§2.4', 'The optional amounts are decimal strings', async (client) => {
  for (const field of ['originalPostTaxBasketAmount', 'originalPreTaxAmount'])
    code(await client.cash('inquire', { [field]: 12.5 }), '0035')
  code(await client.cash('inquire', { instantMessage: 7 }), '0035')
})
