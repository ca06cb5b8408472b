import { checksOf } from '../check.ts'
import { need } from '../expect.ts'
import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import type { Client } from '../client.ts'
import {
  all,
  ask,
  requestList,
  asMember,
  asPartner,
  idsOf,
  offersOf,
  putStates,
  statesOf,
  type Offer,
} from './offer-shape.ts'

const { checks, check } = checksOf('offers', 1)
export const offersOneChecks = checks

const massOffer = async (client: Client): Promise<Offer> => need((await all(client))[0], 'the region has no offer')
const targeted = async (client: Client): Promise<Offer> =>
  need((await all(client, { mass_offer: false }, await asPartner(client)))[0], 'the collector has no targeted offer')
const one = (client: Client, offer: Offer | string, query = {}, options = {}): Promise<Received> =>
  ask(client, `/offers/${typeof offer === 'string' ? offer : String(offer.id)}`, query, options)

function warned(client: Client, received: Received, code: string, returned: boolean): void {
  expect.status(received, ...client.bench.statuses.offersWarning)
  const warning = expect.record(received.body.warning, 'warning', received)
  expect.same(warning.errorCode, code, 'warning.errorCode', received)
  expect.assertThat(typeof warning.message === 'string', 'warning.message', received)
  expect.same(
    received.body.offer !== undefined && received.body.offer !== null,
    returned,
    'whether the offer is returned',
    received,
  )
}

check('one.ok', '§4.3', 'A single offer has a warning of null', async (client) => {
  const offer = await massOffer(client)
  const received = await one(client, offer)
  expect.status(received, 200)
  expect.same(
    [expect.record(received.body.offer, 'offer', received).id, received.body.warning],
    [offer.id, null],
    'the offer',
    received,
  )
})
check('one.same', '§4.3', 'A single offer equals the one in the list', async (client) => {
  const offer = await massOffer(client)
  expect.same((await one(client, offer)).body.offer, offer, 'the offer')
})
check('one.region.required', '§4.3', 'GET /offers/{id} without region is refused', async (client) =>
  expect.status(
    await one(client, await massOffer(client), { region: undefined }),
    ...client.bench.statuses.offersRefused,
  ),
)
check('one.region.list', '§4.3', 'GET /offers/{id} with two regions is refused', async (client) =>
  expect.status(
    await one(client, await massOffer(client), { region: 'ON,QC' }),
    ...client.bench.statuses.offersRefused,
  ),
)
check('one.origin', '§4.1', 'GET /offers/{id} requires X-Origin-Client', async (client) =>
  expect.status(
    await one(client, await massOffer(client), {}, { headers: { 'x-origin-client': undefined } }),
    ...client.bench.statuses.offersRefused,
  ),
)
check('one.correlation', '§4.1', 'GET /offers/{id} returns X-Correlation-Id', async (client) => {
  const id = crypto.randomUUID()
  expect.same(
    (await one(client, await massOffer(client), {}, { headers: { 'x-correlation-id': id } })).headers[
      'x-correlation-id'
    ],
    id,
    'X-Correlation-Id',
  )
})
check('one.language', '§4.1', 'A single offer is in French for fr-CA', async (client) => {
  const offer = await massOffer(client)
  const received = await one(client, offer, {}, { headers: { 'accept-language': 'fr-CA' } })
  expect.assertThat(
    expect.record(received.body.offer, 'offer', received).legalText !== offer.legalText,
    'another text',
    received,
  )
})
check('warning.shape', '§2.4', 'warning is null, or has an errorCode and a message', async (client) => {
  const received = await one(client, '00000000-0000-4000-8000-000000000000')
  const { errorCode, message } = expect.record(received.body.warning, 'warning', received)
  expect.same([typeof errorCode, typeof message], ['string', 'string'], 'errorCode and message', received)
  const validFields = await one(client, await massOffer(client))
  expect.same(
    [typeof validFields.body.offer, validFields.body.warning],
    ['object', null],
    'the offer, and its warning',
    validFields,
  )
})
check(
  'warning.err-login-required',
  '§7 err-login-required',
  'A targeted offer without a token: the offer, and err-login-required',
  async (client) => warned(client, await one(client, await targeted(client)), 'err-login-required', true),
)
check(
  'warning.err-region',
  '§7 err-region',
  'An offer of another region: the offer, and err-region',
  async (client) => {
    const here = new Set(idsOf(await all(client)))
    for (const region of client.bench.offers.regions) {
      const other = (await all(client, { region })).find(({ id }) => !here.has(String(id)))
      if (other) return warned(client, await one(client, other), 'err-region', true)
    }
    need(null, 'every offer is of this region')
  },
)
check('warning.err-not-found', '§7 err-not-found', 'An unknown id: no offer, and err-not-found', async (client) =>
  warned(client, await one(client, '00000000-0000-4000-8000-000000000000'), 'err-not-found', false),
)
check('warning.err-not-found.id', '§7 err-not-found', 'An invalid id: no offer, and err-not-found', async (client) =>
  warned(client, await one(client, 'no-such-id'), 'err-not-found', false),
)
check(
  'warning.err-exclusive',
  '§7 err-exclusive',
  'A targeted offer of other collectors: no offer, and err-exclusive',
  async (client) => {
    const theirs = new Set(idsOf(await all(client, { mass_offer: false }, await asPartner(client, 'second'))))
    const mine = need(
      (await all(client, { mass_offer: false }, await asPartner(client))).find(({ id }) => !theirs.has(String(id))),
      'no offer is targeted to one collector only',
    )
    warned(client, await one(client, mine, {}, await asPartner(client, 'second')), 'err-exclusive', false)
  },
)
check('warning.eligible', '§7', 'A targeted offer for its collector has no warning', async (client) => {
  const received = await one(client, await targeted(client), {}, await asPartner(client))
  expect.same([received.status, received.body.warning], [200, null], 'the warning', received)
})
for (const [code, days, which] of [
  ['err-expired', 400, 'expired'],
  ['err-not-live', -400, 'coming'],
] as const) {
  check(
    `warning.${code}`,
    `§7 ${code}`,
    `An offer that ${code === 'err-expired' ? 'has expired' : 'is not live yet'}: no offer, and ${code}`,
    async (client) => {
      const given = client.bench.offers[which]
      if (given !== null) return warned(client, await one(client, given), code, false)
      const offer = await massOffer(client)
      const { body } = await client.control('GET', '/clock')
      await client.control('POST', '/clock', { offsetMs: Number(body.offsetMs) + days * 86_400_000 })
      try {
        warned(client, await one(client, offer), code, false)
      } finally {
        await client.control('POST', '/clock', { offsetMs: Number(body.offsetMs) })
      }
    },
  )
}

const SAVED = { name: 'SAVE', value: 'SAVED' }
const UNSAVED = { name: 'SAVE', value: 'UNSAVED' }
const OPTED = { name: 'OPT_IN', value: 'OPTED_IN' }
const valueOf = async (client: Client, id: string, name: string): Promise<unknown> => {
  const received = await one(client, id, {}, await asMember(client))
  return statesOf(expect.record(received.body.offer, 'offer', received)).find((state) => state.name === name)?.value
}
async function put(
  client: Client,
  states: readonly unknown[],
  offer?: Offer,
): Promise<{ id: string; received: Received }> {
  const id = String((offer ?? (await massOffer(client))).id)
  return { id, received: await putStates(client, id, states, await asMember(client)) }
}

check('states.save', '§3', 'SAVE/SAVED: 204 without a body, and the offer is SAVED', async (client) => {
  const { id, received } = await put(client, [SAVED])
  expect.same([received.status, received.text], [204, ''], 'the answer', received)
  expect.same(await valueOf(client, id, 'SAVE'), 'SAVED', 'SAVE')
})
check('states.unsave', '§3', 'SAVE/UNSAVED after SAVED: the offer is no longer saved', async (client) => {
  const { id } = await put(client, [SAVED])
  expect.status((await put(client, [UNSAVED])).received, 204)
  expect.assertThat((await valueOf(client, id, 'SAVE')) !== 'SAVED', 'SAVE is not SAVED')
})
check('states.again', '§3', 'An unsaved offer can be saved again', async (client) => {
  const { id } = await put(client, [UNSAVED])
  await put(client, [SAVED])
  expect.same(await valueOf(client, id, 'SAVE'), 'SAVED', 'SAVE')
})
check('states.opt-in', '§3', 'OPT_IN/OPTED_IN: the offer is OPTED_IN', async (client) => {
  const { id, received } = await put(client, [OPTED])
  expect.status(received, 204)
  expect.same(await valueOf(client, id, 'OPT_IN'), 'OPTED_IN', 'OPT_IN')
})
check('states.both', '§4.4', 'PUT accepts several states', async (client) => {
  const { id, received } = await put(client, [SAVED, OPTED])
  expect.status(received, 204)
  expect.same(
    [await valueOf(client, id, 'SAVE'), await valueOf(client, id, 'OPT_IN')],
    ['SAVED', 'OPTED_IN'],
    'the states',
  )
})
check('states.opted-unsaved', '§3', 'An offer can be unsaved after an opt-in', async (client) => {
  const { id } = await put(client, [SAVED, OPTED])
  await put(client, [UNSAVED])
  expect.same(await valueOf(client, id, 'OPT_IN'), 'OPTED_IN', 'OPT_IN')
})
check('states.updatedAt', '§2.2', 'updatedAt is a UTC time with microseconds and Z', async (client) => {
  const { id } = await put(client, [SAVED])
  const received = await one(client, id, {}, await asMember(client))
  const states = statesOf(expect.record(received.body.offer, 'offer', received))
  expect.assertThat(states.length > 0, 'the offer has states', received)
  for (const state of states) expect.matches(state.updatedAt, expect.MICROS, 'updatedAt', received)
})
check('states.correlation', '§4.4', 'The answer of PUT has X-Correlation-Id', async (client) =>
  expect.matches((await put(client, [SAVED])).received.headers['x-correlation-id'], expect.UUID, 'X-Correlation-Id'),
)
check('states.public', '§5', 'PUT without a token is refused', async (client) =>
  expect.status(
    await putStates(client, String((await massOffer(client)).id), [SAVED], { token: null }),
    ...client.bench.statuses.offersForbidden,
  ),
)
check('states.invalid-token', '§5', 'PUT with an invalid token is refused', async (client) =>
  expect.status(
    await putStates(client, String((await massOffer(client)).id), [SAVED], { token: 'nonsense' }),
    ...client.bench.statuses.offersToken,
  ),
)
for (const [name, states] of [
  ['opted-out', [{ name: 'OPT_IN', value: 'OPTED_OUT' }]],
  ['crossed', [{ name: 'SAVE', value: 'OPTED_IN' }]],
  ['opt-saved', [{ name: 'OPT_IN', value: 'SAVED' }]],
  ['name', [{ name: 'LIKE', value: 'SAVED' }]],
  ['no-value', [{ name: 'SAVE' }]],
  ['no-name', [{ value: 'SAVED' }]],
  ['none', undefined],
  ['text', 'SAVED'],
] as const) {
  check(`states.bad.${name}`, '§4.4', `PUT of ${JSON.stringify(states) ?? 'no states'} is refused`, async (client) => {
    expect.status(
      await putStates(client, String((await massOffer(client)).id), states, await asMember(client)),
      ...client.bench.statuses.offersRefused,
    )
  })
}
check('states.origin', '§4.1', 'PUT requires X-Origin-Client', async (client) => {
  const options = await asMember(client)
  expect.status(
    await putStates(client, String((await massOffer(client)).id), [SAVED], {
      ...options,
      headers: { 'x-origin-client': undefined },
    }),
    ...client.bench.statuses.offersRefused,
  )
})
check('states.content-type', '§4.1', 'PUT requires Content-Type application/json', async (client) => {
  const options = await asMember(client)
  expect.status(
    await putStates(client, String((await massOffer(client)).id), [SAVED], {
      ...options,
      headers: { 'content-type': 'text/plain' },
    }),
    ...client.bench.statuses.contentType,
  )
})
check(
  'states.collector-number',
  '§4.1',
  "PUT with a member's token and Collector-Number is refused",
  async (client) => {
    const options = await asMember(client)
    expect.status(
      await putStates(client, String((await massOffer(client)).id), [SAVED], {
        ...options,
        headers: { 'collector-number': client.collector('fine') },
      }),
      ...client.bench.statuses.offersForbidden,
    )
  },
)
check('states.own', '§3', 'States belong to the collector who set them', async (client) => {
  const { id } = await put(client, [SAVED])
  const received = await one(client, id, {}, await asPartner(client, 'second'))
  expect.assertThat(
    !statesOf(expect.record(received.body.offer, 'offer', received)).some(({ value }) => value === 'SAVED'),
    'another collector has not saved it',
    received,
  )
})

check('saved.list', '§4.2', "states=SAVED lists the collector's saved offers", async (client) => {
  const { id } = await put(client, [SAVED])
  const saved = await all(client, { states: 'SAVED' }, await asMember(client))
  expect.assertThat(idsOf(saved).includes(id), 'the saved offer is listed')
  for (const offer of saved)
    expect.assertThat(
      statesOf(offer).some(({ name, value }) => name === 'SAVE' && value === 'SAVED'),
      'each is SAVED',
    )
})
check('saved.unsaved', '§4.2', 'An unsaved offer is no longer in states=SAVED', async (client) => {
  const { id } = await put(client, [SAVED])
  await put(client, [UNSAVED])
  expect.assertThat(!idsOf(await all(client, { states: 'SAVED' }, await asMember(client))).includes(id), 'not listed')
})
check('saved.ignores', '§4.2', 'Saved-offers mode ignores the other filters and sort', async (client) => {
  await put(client, [SAVED])
  const options = await asMember(client)
  const whole = idsOf(await all(client, { states: 'SAVED' }, options))
  const publicOptions = '00000000-0000-4000-8000-000000000000'
  for (const filter of [
    { partner_id: publicOptions },
    { category_id: publicOptions },
    { subcategory_id: publicOptions },
    { promotion_id: publicOptions },
    { type: 'none' },
    { program_type: 'bankpreapp' },
    { availability: 'online' },
    { mass_offer: false },
    { event_based: true },
    { sort: 'regionRelevance' },
  ]) {
    expect.same(
      idsOf(await all(client, { states: 'SAVED', ...filter }, options)),
      whole,
      `saved offers with ${JSON.stringify(filter)}`,
    )
  }
})
check('saved.pages', '§4.2', 'limit and offset work in saved-offers mode', async (client) => {
  for (const offer of (await all(client)).slice(0, 3)) await put(client, [SAVED], offer)
  const options = await asMember(client)
  const whole = idsOf(await all(client, { states: 'SAVED' }, options))
  expect.same(
    idsOf(offersOf(await requestList(client, { states: 'SAVED', limit: 1, offset: 1 }, options))),
    whole.slice(1, 2),
    'the page',
  )
})
check('saved.region', '§4.2', 'Saved-offers mode requires region', async (client) =>
  expect.status(
    await requestList(client, { states: 'SAVED', region: undefined }, await asMember(client)),
    ...client.bench.statuses.offersRefused,
  ),
)
check('opted.list', '§4.2', 'states=OPTED_IN lists the offers that the collector opted into', async (client) => {
  const { id } = await put(client, [OPTED])
  expect.assertThat(
    idsOf(await all(client, { states: 'OPTED_IN' }, await asMember(client))).includes(id),
    'the offer is listed',
  )
})
check('states.filter.unknown', '§4.2', 'an unknown value of states is refused', async (client) =>
  expect.status(
    await requestList(client, { states: 'LIKED' }, await asPartner(client)),
    ...client.bench.statuses.offersRefused,
  ),
)
check('states.filter.single', '§4.2', 'states is a single value', async (client) =>
  expect.status(
    await requestList(client, { states: 'SAVED,OPTED_IN' }, await asPartner(client)),
    ...client.bench.statuses.offersRefused,
  ),
)
