import { checksOf } from '../check.ts'
import { need, Skip } from '../expect.ts'
import * as expect from '../expect.ts'
import {
  all,
  ask,
  requestList,
  asMember,
  asPartner,
  distinct,
  FIELDS,
  idsOf,
  offersOf,
  REGIONS,
  totalOf,
  type Offer,
} from './offer-shape.ts'

const { checks, check } = checksOf('offers', 1)
export const offersListChecks = checks

check('public', '§1', 'GET /offers works without a token and lists mass offers only', async (client) => {
  const offers = await all(client)
  expect.assertThat(offers.length > 0, 'there are offers in the region')
  for (const offer of offers) expect.assertThat(offer.massOffer === true, `offer ${String(offer.id)} is a mass offer`)
})
check('json', '§4.2', 'The list is application/json', async (client) =>
  expect.matches((await requestList(client)).headers['content-type'], /^application\/json\b/i, 'Content-Type'),
)
for (const region of REGIONS) {
  check(`region.${region}`, '§2.1', `Region ${region} is one`, async (client) => {
    if (!client.bench.offers.regions.includes(region)) throw new Skip(`the target does not serve ${region}`)
    expect.status(await requestList(client, { region }), 200)
  })
}
check('region.required', '§4.2', 'GET /offers without region is refused', async (client) =>
  expect.status(await requestList(client, { region: undefined }), ...client.bench.statuses.offersRefused),
)
check('region.unknown', '§2.1', 'An unknown region is refused', async (client) =>
  expect.status(await requestList(client, { region: 'XX' }), ...client.bench.statuses.offersRefused),
)
check('region.list', '§8', 'Two regions are refused: exactly one value', async (client) =>
  expect.status(await requestList(client, { region: 'ON,QC' }), ...client.bench.statuses.offersRefused),
)
check('region.repeated', '§8', 'A repeated region is refused: exactly one value', async (client) =>
  expect.status(await requestList(client, { region: ['ON', 'QC'] }), ...client.bench.statuses.offersRefused),
)

for (const [field, pattern] of Object.entries(FIELDS)) {
  check(`field.${field}`, '§2.2', `Every offer has a valid ${field}`, async (client) => {
    for (const offer of await all(client)) expect.matches(offer[field], pattern, field)
  })
}
check('field.images', '§2.2', 'partnerLogo and image are objects with a url', async (client) => {
  for (const offer of await all(client))
    for (const field of ['partnerLogo', 'image'])
      expect.matches(expect.record(offer[field], field).url, /^https?:\/\//, `${field}.url`)
})
check(
  'field.booleans',
  '§2.2',
  'massOffer is a boolean, eventBasedOffer too where present, displayPriority an integer',
  async (client) => {
    for (const offer of await all(client)) {
      expect.assertThat(
        typeof offer.massOffer === 'boolean' && ['boolean', 'undefined'].includes(typeof offer.eventBasedOffer),
        `the booleans of ${String(offer.id)}`,
      )
      expect.assertThat(Number.isInteger(offer.displayPriority), `displayPriority of ${String(offer.id)}`)
    }
  },
)
check('field.promotion', '§2.2', 'promotionLabel is present with promotionId and only with it', async (client) => {
  const offers = await all(client)
  expect.assertThat(
    offers.some(({ promotionId }) => promotionId !== undefined),
    'some offer belongs to a promotion',
  )
  for (const offer of offers) {
    expect.same(typeof offer.promotionLabel, typeof offer.promotionId, `promotionLabel of ${String(offer.id)}`)
    if (offer.promotionId !== undefined) expect.matches(offer.promotionId, expect.UUID, 'promotionId')
  }
})
check('field.tiers', '§2.2', 'Every tier has awardLong and qualifierLong; its values are numbers', async (client) => {
  for (const offer of await all(client))
    for (const tier of expect.list(offer.tiers, 'tiers')) {
      expect.assertThat(
        typeof tier.awardLong === 'string' && typeof tier.qualifierLong === 'string',
        `the texts of a tier of ${String(offer.id)}`,
      )
      for (const field of ['awardValue', 'qualifierValue'])
        expect.assertThat(['number', 'undefined'].includes(typeof tier[field]), field)
    }
})
check('field.mechanisms', '§2.2', 'A button has a URL, a coupon code a code', async (client) => {
  for (const offer of await all(client))
    for (const { mechanismType, mechanismValue } of expect.list(offer.mechanisms, 'mechanisms')) {
      expect.assertThat(typeof mechanismType === 'string', 'mechanismType')
      if (mechanismType === 'button') expect.matches(mechanismValue, /^https?:\/\//, 'mechanismValue of a button')
      if (mechanismType === 'couponCode') expect.matches(mechanismValue, /\S/, 'mechanismValue of a coupon code')
    }
})
check('field.cardType', '§2.2', 'Card-linked offers list their card types', async (client) => {
  const linked = await all(client, { program_type: 'cardlinked' })
  if (linked.length === 0) throw new Skip('the region has no card-linked offer')
  for (const { cardType } of linked)
    expect.assertThat(
      Array.isArray(cardType) && cardType.length > 0 && cardType.every((one) => typeof one === 'string'),
      'cardType is a list of strings',
    )
})
check('field.cta', '§2.2', 'ctaLabel and ctaUrl are objects by locale', async (client) => {
  for (const offer of await all(client))
    for (const field of ['ctaLabel', 'ctaUrl']) {
      if (offer[field] !== undefined)
        for (const [locale, text] of Object.entries(expect.record(offer[field], field)))
          expect.assertThat(
            /^[a-z]{2}-[A-Z]{2}$/.test(locale) && typeof text === 'string',
            `${field} of ${String(offer.id)}`,
          )
    }
})
check('field.dates', '§3', 'Only visible offers that have not ended are listed', async (client) => {
  // The check allows one day of tolerance, because the offers’ times have no time zone.
  const [from, to] = [
    new Date(Date.now() - 86_400_000).toISOString().slice(0, 19),
    new Date(Date.now() + 86_400_000).toISOString().slice(0, 19),
  ]
  for (const { displayDate, endDate } of await all(client))
    expect.assertThat(String(displayDate) <= to && String(endDate) >= from, 'the dates')
})
check('public.states', '§4.2', 'The public flow returns no states', async (client) => {
  for (const offer of await all(client)) expect.assertThat(offer.states === undefined, 'no states')
})

check('limit.default', '§8', 'limit is 20 by default', async (client) => {
  const received = await requestList(client)
  expect.same(offersOf(received).length, Math.min(20, totalOf(received)), 'offers')
})
check('limit.1', '§8', 'limit 1 returns one offer', async (client) =>
  expect.same(offersOf(await requestList(client, { limit: 1 })).length, 1, 'offers'),
)
check('limit.96', '§8', 'limit 96 is accepted', async (client) => {
  const received = await requestList(client, { limit: 96 })
  expect.same(offersOf(received).length, Math.min(96, totalOf(received)), 'offers')
})
for (const limit of ['0', '97', '-1', 'many', '1.5'])
  check(`limit.${limit}`, '§8', `limit ${limit} is refused: 1 to 96`, async (client) =>
    expect.status(await requestList(client, { limit }), ...client.bench.statuses.offersRefused),
  )
check('offset', '§4.2', 'offset counts offers: offset 2 starts at the third', async (client) => {
  const whole = idsOf(offersOf(await requestList(client, { limit: 5 })))
  expect.same(idsOf(offersOf(await requestList(client, { limit: 3, offset: 2 }))), whole.slice(2), 'the page')
})
check('offset.pages', '§4.2', 'All pages together contain each offer once', async (client) => {
  const [whole, pages] = [await all(client), await all(client, { limit: 7 })]
  expect.same(idsOf(pages), idsOf(whole), 'the pages')
  expect.same(new Set(idsOf(whole)).size, whole.length, 'distinct offers')
})
check('offset.beyond', '§4.2', 'Beyond the end there are no offers, and the total is unchanged', async (client) => {
  const received = await requestList(client, { offset: 9_999 })
  expect.same([offersOf(received).length, totalOf(received) > 0], [0, true], 'offers and total', received)
})
for (const offset of ['-1', 'x'])
  check(`offset.${offset}`, '§4.2', `offset ${offset} is refused`, async (client) =>
    expect.status(await requestList(client, { offset }), ...client.bench.statuses.offersRefused),
  )
check('total', '§2.3', 'metadata.total counts the offers that match', async (client) =>
  expect.same((await all(client)).length, totalOf(await requestList(client)), 'offers'),
)

for (const [parameter, field] of [
  ['partner_id', 'partnerId'],
  ['category_id', 'categoryId'],
  ['program_type', 'programType'],
] as const) {
  check(`filter.${parameter}`, '§4.2', `${parameter} filters; its values are ORed`, async (client) => {
    const whole = await all(client)
    const values = distinct(whole, field).slice(0, 2)
    const idsWith = (wanted: readonly string[]): string[] =>
      idsOf(whole.filter((offer) => wanted.includes(String(offer[field])))).toSorted()
    for (const wanted of [values.slice(0, 1), values])
      expect.same(
        idsOf(await all(client, { [parameter]: wanted.join(',') })).toSorted(),
        idsWith(wanted),
        `offers of ${wanted.join(' or ')}`,
      )
  })
}
check('filter.promotion_id', '§4.2', 'promotion_id filters by promotion', async (client) => {
  const whole = await all(client)
  const id = need(distinct(whole, 'promotionId')[0], 'the region has no promotion')
  expect.same(
    idsOf(await all(client, { promotion_id: id })).toSorted(),
    idsOf(whole.filter(({ promotionId }) => promotionId === id)).toSorted(),
    'offers',
  )
})
check('filter.promotion_id.single', '§4.2', 'promotion_id is a single value', async (client) => {
  const id = need(distinct(await all(client), 'promotionId')[0], 'the region has no promotion')
  expect.status(await requestList(client, { promotion_id: `${id},${id}` }), ...client.bench.statuses.offersRefused)
})
check('filter.exclude_partner_id', '§4.2', 'exclude_partner_id excludes a partner', async (client) => {
  const whole = await all(client)
  const id = need(distinct(whole, 'partnerId')[0], 'the region has no partner')
  expect.same(
    idsOf(await all(client, { exclude_partner_id: id })),
    idsOf(whole.filter(({ partnerId }) => partnerId !== id)),
    'offers',
  )
})
for (const [parameter, values] of [
  ['type', ['buy', 'spend']],
  ['availability', ['online', 'in-store']],
] as const) {
  check(`filter.${parameter}`, '§4.2', `${parameter} filters; its values are ORed`, async (client) => {
    const [first, second, both, whole] = [
      await all(client, { [parameter]: values[0] }),
      await all(client, { [parameter]: values[1] }),
      await all(client, { [parameter]: values.join(',') }),
      await all(client),
    ]
    expect.assertThat(first.length > 0 && first.length < whole.length, `some, but not all, are ${values[0]}`)
    expect.same(
      idsOf(both).toSorted(),
      [...new Set([...idsOf(first), ...idsOf(second)])].toSorted(),
      'offers of either',
    )
  })
}
check('filter.and', '§4.2', 'Different parameters are ANDed', async (client) => {
  const whole = await all(client)
  const [one] = whole
  const { partnerId, programType } = need(one, 'the region has no offer')
  expect.same(
    idsOf(await all(client, { partner_id: partnerId, program_type: programType })),
    idsOf(whole.filter((offer) => offer.partnerId === partnerId && offer.programType === programType)),
    'offers',
  )
})
check('filter.event_based', '§4.2', 'event_based is accepted as a filter', async (client) => {
  for (const offer of await all(client, { event_based: true }))
    expect.same(offer.eventBasedOffer, true, 'eventBasedOffer')
})
check('filter.experiment', '§4.2', 'experiment is accepted as a filter', async (client) =>
  expect.status(await requestList(client, { experiment: 'any' }), 200),
)
for (const parameter of ['partner_id', 'category_id', 'subcategory_id', 'promotion_id'])
  check(`filter.${parameter}.uuid`, '§4.2', `${parameter} that is not a UUID is refused`, async (client) =>
    expect.status(await requestList(client, { [parameter]: 'nobody' }), ...client.bench.statuses.offersRefused),
  )
check('filter.program_type.unknown', '§4.2', 'An unknown program_type is refused', async (client) =>
  expect.status(await requestList(client, { program_type: 'barter' }), ...client.bench.statuses.offersRefused),
)
check('filter.availability.unknown', '§4.2', 'An unknown availability is refused', async (client) =>
  expect.status(await requestList(client, { availability: 'by-mail' }), ...client.bench.statuses.offersRefused),
)
for (const [parameter, value] of [
  ['states', 'SAVED'],
  ['mass_offer', 'false'],
] as const)
  check(`filter.${parameter}.public`, '§4.2', `${parameter} without a token is refused`, async (client) =>
    expect.status(await requestList(client, { [parameter]: value }), ...client.bench.statuses.offersForbidden),
  )

interface Count {
  id: string
  label: string
  count: number
}
const counts = (value: unknown, what: string): Count[] =>
  expect.list(value, what).map((one) => {
    const { id, label, count } = one
    expect.matches(id, expect.UUID, `an id of ${what}`)
    expect.assertThat(
      typeof label === 'string' && typeof count === 'number' && Number.isInteger(count),
      `label and count of ${what}`,
    )
    return { id, label, count }
  })
check('metadata.default', '§4.2', 'extended_metadata is false by default', async (client) => {
  const received = await requestList(client)
  expect.same(Object.keys(expect.record(received.body.metadata, 'metadata', received)), ['total'], 'metadata', received)
})
check('metadata.partners', '§2.3', "Partners have the counts of the region's offers", async (client) => {
  const received = await requestList(client, { extended_metadata: true })
  const whole = await all(client)
  for (const { id, count } of counts(expect.record(received.body.metadata, 'metadata').partners, 'partners'))
    expect.same(whole.filter(({ partnerId }) => partnerId === id).length, count, `offers of partner ${id}`)
})
check('metadata.categories', '§2.3', 'Categories do not depend on the region', async (client) => {
  const notify = async (region: string): Promise<unknown> =>
    expect.record((await requestList(client, { region, extended_metadata: true })).body.metadata, 'metadata').categories
  const [one, other] = client.bench.offers.regions
  expect.same(await notify(need(one, 'no region')), await notify(need(other, 'one region')), 'categories')
})
check('metadata.subcategories', '§2.3', 'An id of subCategories filters by subcategory_id', async (client) => {
  const received = await requestList(client, { extended_metadata: true })
  const categories = expect.list(expect.record(received.body.metadata, 'metadata').categories, 'categories')
  const subs = categories.flatMap(({ subCategories }) =>
    subCategories === undefined ? [] : counts(subCategories, 'subCategories'),
  )
  expect.assertThat(subs.length > 0, 'some category has sub-categories', received)
  for (const { id, count } of subs.slice(0, 3))
    expect.assertThat(
      (await all(client, { subcategory_id: id })).length <= count,
      `at most ${count} offers of every region are of this one`,
    )
})
check('metadata.counts', '§2.3', 'Counts follow the filters', async (client) => {
  const partner = need(distinct(await all(client), 'partnerId')[0], 'the region has no partner')
  const received = await requestList(client, { extended_metadata: true, partner_id: partner })
  const listed = counts(expect.record(received.body.metadata, 'metadata').partners, 'partners')
  expect.same(
    listed.filter(({ count }) => count > 0).map(({ id, count }) => [id, count]),
    [[partner, totalOf(received)]],
    'partners',
    received,
  )
})
check('metadata.boolean', '§4.2', 'extended_metadata is a boolean', async (client) =>
  expect.status(await requestList(client, { extended_metadata: 'perhaps' }), ...client.bench.statuses.offersRefused),
)

check('sort.default', '§4.2', 'The default order groups the offers of a promotion', async (client) => {
  const groups = (await all(client)).map(({ promotionId }) => String(promotionId))
  const runs = groups.filter((id, index) => id !== groups[index - 1])
  expect.same(runs.length, new Set(groups).size, 'promotions that are adjacent')
})
check('sort.endingSoon', '§4.2', 'Ending soon sorts by end date', async (client) => {
  const ends = (
    await all(client, { sort: need(client.bench.offers.endingSoon, 'the bench has no token for ending soon') })
  ).map(({ endDate }) => String(endDate))
  expect.same(ends, ends.toSorted(), 'end dates')
})
check(
  'sort.regionRelevance',
  '§4.2',
  'regionRelevance is accepted without a token and keeps every offer',
  async (client) =>
    expect.same(
      idsOf(await all(client, { sort: 'regionRelevance' })).toSorted(),
      idsOf(await all(client)).toSorted(),
      'offers',
    ),
)
check('sort.collectorRelevance', '§4.2', 'collectorRelevance requires a token', async (client) => {
  expect.status(await requestList(client, { sort: 'collectorRelevance' }), ...client.bench.statuses.offersForbidden)
  expect.status(await requestList(client, { sort: 'collectorRelevance' }, await asPartner(client)), 200)
})
check('sort.unknown', '§4.2', 'An unknown sort is refused', async (client) =>
  expect.status(await requestList(client, { sort: 'astrology' }), ...client.bench.statuses.offersRefused),
)

check('correlation.echo', '§4.1', 'X-Correlation-Id is echoed', async (client) => {
  const id = crypto.randomUUID()
  expect.same(
    (await requestList(client, {}, { headers: { 'x-correlation-id': id } })).headers['x-correlation-id'],
    id,
    'X-Correlation-Id',
  )
})
check('correlation.made', '§4.1', 'Without X-Correlation-Id the service generates one', async (client) =>
  expect.matches((await requestList(client)).headers['x-correlation-id'], expect.UUID, 'X-Correlation-Id'),
)
check('correlation.shape', '§4.1', 'An X-Correlation-Id that is not a UUID is refused', async (client) =>
  expect.status(
    await requestList(client, {}, { headers: { 'x-correlation-id': 'trace-me' } }),
    ...client.bench.statuses.offersRefused,
  ),
)
check('correlation.error', '§4.1', 'A refused request also returns X-Correlation-Id', async (client) =>
  expect.matches(
    (await requestList(client, { region: 'XX' })).headers['x-correlation-id'],
    expect.UUID,
    'X-Correlation-Id',
  ),
)
check('origin.required', '§4.1', 'X-Origin-Client is required', async (client) =>
  expect.status(
    await requestList(client, {}, { headers: { 'x-origin-client': undefined } }),
    ...client.bench.statuses.offersRefused,
  ),
)
for (const value of ['milepost', 'pos:milepost', 'sideways:pos:milepost', 'internal::milepost']) {
  check(
    `origin.${value}`,
    '§4.1',
    `X-Origin-Client ${value} is refused: <internal or external>:<channel>:<client>`,
    async (client) =>
      expect.status(
        await requestList(client, {}, { headers: { 'x-origin-client': value } }),
        ...client.bench.statuses.offersRefused,
      ),
  )
}
check('origin.external', '§4.1', 'An external X-Origin-Client is accepted', async (client) =>
  expect.status(await requestList(client, {}, { headers: { 'x-origin-client': 'external:web:tester' } }), 200),
)
check('origin.feed', '§4.1', 'A feed mapping applies its parameters to its client', async (client) => {
  const feed = need(client.bench.offers.feedClient, 'the bench has no feed mapping')
  const mapped = await all(client, {}, { headers: { 'x-origin-client': feed.value } })
  expect.same(idsOf(mapped), idsOf(await all(client, feed.parameters)), 'offers')
  expect.assertThat(mapped.length < (await all(client)).length, 'the mapping excludes offers')
})
check('language.fr', '§4.1', 'fr-CA and en-US return the same offers in two languages', async (client) => {
  const [english, french] = [
    await all(client, {}, { headers: { 'accept-language': 'en-US' } }),
    await all(client, {}, { headers: { 'accept-language': 'fr-CA' } }),
  ]
  const texts = (offers: readonly Offer[]): unknown[] =>
    offers.map(({ awardShort, legalText }) => [awardShort, legalText])
  expect.same(idsOf(french), idsOf(english), 'offers')
  expect.assertThat(JSON.stringify(texts(french)) !== JSON.stringify(texts(english)), 'the texts differ')
})
check('language.other', '§4.1', 'Another Accept-Language is refused', async (client) =>
  expect.status(
    await requestList(client, {}, { headers: { 'accept-language': 'de-DE' } }),
    ...client.bench.statuses.offersRefused,
  ),
)

check('token.invalid', '§5', 'A list with an invalid token is refused', async (client) =>
  expect.status(await requestList(client, {}, { token: 'nonsense' }), ...client.bench.statuses.offersToken),
)
check(
  'partner.collector',
  '§5',
  "A machine's token with Collector-Number lists the collector's targeted offers",
  async (client) => {
    const offers = await all(client, {}, await asPartner(client))
    expect.assertThat(
      offers.some(({ massOffer }) => massOffer === false),
      'some targeted offer',
    )
  },
)
check('partner.other', '§1', 'Another collector does not see them', async (client) => {
  const mine = await all(client, { mass_offer: false }, await asPartner(client))
  const theirs = new Set(idsOf(await all(client, {}, await asPartner(client, 'second'))))
  expect.assertThat(
    mine.some(({ id }) => !theirs.has(String(id))),
    'targeted to one collector only',
  )
})
check('partner.states', '§4.2', 'An authenticated list contains states', async (client) => {
  for (const offer of await all(client, {}, await asPartner(client)))
    expect.assertThat(offer.states === undefined || Array.isArray(offer.states), 'states is a list')
})
check('member.targeted', '§1', "A member's token lists the member's targeted offers", async (client) =>
  expect.assertThat(
    (await all(client, { mass_offer: false }, await asMember(client))).length > 0,
    'some targeted offer',
  ),
)
check('member.mass_offer', '§4.2', 'mass_offer=false returns only targeted offers', async (client) => {
  for (const offer of await all(client, { mass_offer: false }, await asMember(client)))
    expect.same(offer.massOffer, false, 'massOffer')
})
check('member.collector-number', '§4.1', "A member's token with Collector-Number is refused", async (client) =>
  expect.status(
    await requestList(
      client,
      {},
      { ...(await asMember(client)), headers: { 'collector-number': client.collector('fine') } },
    ),
    ...client.bench.statuses.offersForbidden,
  ),
)
check('one.extended', '§4.2', 'Only the list supports extended_metadata', async (client) => {
  const id = String(need(offersOf(await requestList(client, { limit: 1 }))[0], 'no offer').id)
  const received = await ask(client, `/offers/${id}`, { extended_metadata: true })
  expect.assertThat(received.status === 400 || received.body.metadata === undefined, 'refused or ignored', received)
})
