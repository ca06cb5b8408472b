import { checksOf } from '../check.ts'
import { need } from '../expect.ts'
import * as expect from '../expect.ts'
import type { Client } from '../client.ts'
import { all, requestList, asMember, asPartner, distinct, idsOf, offersOf, totalOf, type Offer } from './offer-shape.ts'

const { checks, check } = checksOf('offers', 1)
export const offersOrderChecks = checks

const order = (offers: readonly Offer[], keys: (offer: Offer) => readonly (string | number)[], what: string): void => {
  const compare = (a: Offer, b: Offer): number => {
    const [x, y] = [keys(a), keys(b)]
    const at = x.findIndex((key, index) => key !== y[index])
    if (at < 0) return 0
    return (x[at] ?? 0) < (y[at] ?? 0) ? -1 : 1
  }
  expect.same(idsOf(offers.toSorted(compare)), idsOf(offers), what)
}
/**
 * Returns a function that gives the sort values of an offer: partner priority, then offer priority. They are the last
 * criteria of every sort order except those by relevance.
 */
const priorities = (client: Client): ((offer: Offer) => [number, number]) => {
  const partners = need(client.bench.offers.partners, 'the bench does not define the priority of the partners')
  return (offer) => [partners.indexOf(String(offer.partnerId)), Number(offer.displayPriority)]
}
const otherRegion = (client: Client): string => {
  const { region, regions } = client.bench.offers
  return need(
    ['QC', 'BC', ...regions].find((one) => one !== region && regions.some((served) => served === one)),
    'the target serves one region',
  )
}
const groupOf = ({ promotionId, massOffer }: Offer): string => `${String(promotionId)} ${String(massOffer)}`
const endingSoon = (client: Client): string =>
  need(client.bench.offers.endingSoon, 'the bench has no token for ending soon')

check(
  'sort.default.mass',
  '§4.2',
  'The default order separates targeted and mass offers of a promotion',
  async (client) => {
    const groups = (await all(client, {}, await asMember(client))).map(groupOf)
    expect.same(
      groups.filter((group, index) => group !== groups[index - 1]).length,
      new Set(groups).size,
      'groups that are adjacent',
    )
  },
)
check(
  'sort.default.priorities',
  '§4.2',
  'The default order ranks a group by partner priority, then by offer priority',
  async (client) => {
    const [offers, keys] = [await all(client), priorities(client)]
    for (const group of new Set(offers.map(groupOf)))
      order(
        offers.filter((offer) => groupOf(offer) === group),
        keys,
        `the offers of ${group}`,
      )
  },
)
check(
  'sort.endingSoon.priorities',
  '§4.2',
  'Offers with the same end are sorted by partner priority, then by offer priority',
  async (client) => {
    const keys = priorities(client)
    order(
      await all(client, { sort: endingSoon(client) }),
      (offer) => [String(offer.endDate), ...keys(offer)],
      'ending soon',
    )
  },
)
check(
  'sort.regionRelevance.order',
  '§4.2',
  'regionRelevance starts with the most popular offers of the region',
  async (client) => {
    const popular = need(client.bench.offers.popular, 'the bench does not define the popularity')
    expect.same(
      idsOf(offersOf(await requestList(client, { sort: 'regionRelevance', limit: popular.length }))),
      popular,
      'the first offers',
    )
  },
)
check('sort.regionRelevance.region', '§4.2', 'regionRelevance depends on the region', async (client) => {
  const [here, there] = [
    idsOf(await all(client, { sort: 'regionRelevance' })),
    idsOf(await all(client, { sort: 'regionRelevance', region: otherRegion(client) })),
  ]
  const shared = here.filter((id) => there.includes(id))
  expect.assertThat(shared.length > 1, 'the regions share offers')
  expect.assertThat(
    shared.join() !== there.filter((id) => shared.includes(id)).join(),
    'the shared offers have another order',
  )
})
check(
  'sort.collectorRelevance.order',
  '§4.2',
  'collectorRelevance starts with the preferred categories of the collector',
  async (client) => {
    const favourites = need(
      client.bench.offers.favourites,
      'the bench does not define the preferences of the collector',
    )
    for (const options of [await asPartner(client), await asMember(client)]) {
      const places = (await all(client, { sort: 'collectorRelevance' }, options)).map(({ categoryId }) =>
        favourites.includes(String(categoryId)) ? favourites.indexOf(String(categoryId)) : favourites.length,
      )
      expect.assertThat(new Set(places).size === favourites.length + 1, 'there are offers of each category')
      expect.same(
        places,
        places.toSorted((a, b) => a - b),
        'the positions of the categories',
      )
    }
  },
)
check('sort.several', '§4.2', 'sort accepts several values: the second breaks ties', async (client) => {
  const sort = `${endingSoon(client)},regionRelevance`
  const ends = (await all(client, { sort })).map(({ endDate }) => String(endDate))
  expect.same(ends, ends.toSorted(), 'end dates')
  expect.status(
    await requestList(client, { sort: `${endingSoon(client)},astrology` }),
    ...client.bench.statuses.offersRefused,
  )
})
check('sort.total', '§4.2', 'No order drops an offer', async (client) => {
  const whole = idsOf(await all(client)).toSorted()
  expect.same(idsOf(await all(client, { sort: endingSoon(client) })).toSorted(), whole, 'offers')
})

const filters = async (client: Client): Promise<readonly (readonly [string, string])[]> => {
  const whole = await all(client)
  const [partner, category, promotion] = ['partnerId', 'categoryId', 'promotionId'].map((field) =>
    need(distinct(whole, field)[0], `the region has no ${field}`),
  )
  const categories = expect.list(
    expect.record((await requestList(client, { extended_metadata: true })).body.metadata, 'metadata').categories,
    'categories',
  )
  const [sub] = categories.flatMap(({ subCategories }) =>
    subCategories === undefined ? [] : expect.list(subCategories, 'subCategories'),
  )
  return [
    ['partner_id', String(partner)],
    ['exclude_partner_id', String(partner)],
    ['category_id', String(category)],
    ['subcategory_id', String(need(sub, 'no category has sub-categories').id)],
    ['promotion_id', String(promotion)],
    ['type', 'buy'],
    ['program_type', 'traditionalcore'],
    ['availability', 'online'],
    ['event_based', 'true'],
    ['mass_offer', 'false'],
    ['states', 'OPTED_IN'],
    ...(client.bench.offers.experiment === null ? [] : [['experiment', client.bench.offers.experiment] as const]),
  ]
}
for (const parameter of [
  'partner_id',
  'exclude_partner_id',
  'category_id',
  'subcategory_id',
  'promotion_id',
  'type',
  'program_type',
  'availability',
  'event_based',
  'mass_offer',
  'states',
  'experiment',
]) {
  check(
    `metadata.counts.${parameter}`,
    '§2.3',
    `The counts of partners and categories follow ${parameter}`,
    async (client) => {
      const [, value] = need(
        (await filters(client)).find(([name]) => name === parameter),
        `the bench has no value of ${parameter}`,
      )
      const options = await asMember(client)
      const received = await requestList(client, { extended_metadata: true, [parameter]: value }, options)
      const metadata = expect.record(received.body.metadata, 'metadata', received)
      const sum = (name: string): number =>
        expect.list(metadata[name], name, received).reduce((total, { count }) => total + Number(count), 0)
      expect.same(sum('partners'), totalOf(received), 'the sum over the partners', received)
      expect.assertThat(
        sum('categories') >= totalOf(received),
        'the sum over the categories, for every region',
        received,
      )
      expect.assertThat(
        totalOf(received) < totalOf(await requestList(client, {}, options)),
        `${parameter} excludes offers`,
        received,
      )
    },
  )
}
check('filter.experiment.value', '§4.2', 'experiment filters', async (client) => {
  const value = need(client.bench.offers.experiment, 'the bench has no experiment')
  const [found, whole] = [await all(client, { experiment: value }), new Set(idsOf(await all(client)))]
  expect.assertThat(
    found.length > 0 && found.length < whole.size && idsOf(found).every((id) => whole.has(id)),
    'some of the offers',
  )
})
check(
  'filter.event_based.false',
  '§4.2',
  'event_based=false and event_based=true partition the offers',
  async (client) => {
    const [yes, no] = [await all(client, { event_based: true }), await all(client, { event_based: false })]
    expect.same([...idsOf(yes), ...idsOf(no)].toSorted(), idsOf(await all(client)).toSorted(), 'offers')
  },
)
check('filter.mass_offer.true', '§4.2', 'mass_offer=true returns only mass offers', async (client) => {
  for (const { massOffer } of await all(client, { mass_offer: true }, await asMember(client)))
    expect.same(massOffer, true, 'massOffer')
})
for (const parameter of ['event_based', 'mass_offer'])
  check(`filter.${parameter}.bad`, '§4.2', `${parameter} is a boolean`, async (client) =>
    expect.status(
      await requestList(client, { [parameter]: 'perhaps' }, await asMember(client)),
      ...client.bench.statuses.offersRefused,
    ),
  )
check('filter.type.one', '§4.2', 'Every offer has exactly one type', async (client) => {
  const [buy, spend] = [idsOf(await all(client, { type: 'buy' })), new Set(idsOf(await all(client, { type: 'spend' })))]
  expect.assertThat(buy.length > 0 && spend.size > 0 && !buy.some((id) => spend.has(id)), 'two kinds of offers')
})
check('filter.three', '§4.2', 'Three parameters with two values each: OR inside, AND across', async (client) => {
  const whole = await all(client)
  const [partners, programs] = [distinct(whole, 'partnerId').slice(0, 2), distinct(whole, 'programType').slice(0, 2)]
  const online = new Set(idsOf(await all(client, { availability: 'online,in-store' })))
  const wanted = whole.filter(
    (offer) =>
      partners.includes(String(offer.partnerId)) &&
      programs.includes(String(offer.programType)) &&
      online.has(String(offer.id)),
  )
  expect.same(
    idsOf(
      await all(client, {
        partner_id: partners.join(','),
        program_type: programs.join(','),
        availability: 'online,in-store',
      }),
    ),
    idsOf(wanted),
    'offers',
  )
})
check('filter.nothing', '§4.2', 'Filters without a match: no offers, a total of 0', async (client) => {
  const received = await requestList(client, { partner_id: '00000000-0000-4000-8000-000000000000' })
  expect.same([offersOf(received).length, totalOf(received)], [0, 0], 'offers and total', received)
})
check('opted.filters', '§4.2', 'states=OPTED_IN can be combined with other filters', async (client) => {
  const received = await requestList(
    client,
    { states: 'OPTED_IN', partner_id: '00000000-0000-4000-8000-000000000000' },
    await asMember(client),
  )
  expect.same(totalOf(received), 0, 'total', received)
})

check('offset.last', '§4.2', 'The last offer is at offset total − 1, and none at total', async (client) => {
  const total = totalOf(await requestList(client))
  expect.same(
    [
      offersOf(await requestList(client, { offset: total - 1 })).length,
      offersOf(await requestList(client, { offset: total })).length,
    ],
    [1, 0],
    'offers',
  )
})
for (const [name, query] of [
  ['offset.1.5', { offset: '1.5' }],
  ['offset.empty', { offset: '' }],
  ['limit.empty', { limit: '' }],
  ['limit.twice', { limit: ['1', '2'] }],
  ['offset.twice', { offset: ['1', '2'] }],
] as const) {
  check(`page.${name}`, '§4.2', `${JSON.stringify(query)} is refused`, async (client) =>
    expect.status(await requestList(client, query), ...client.bench.statuses.offersRefused),
  )
}
check('offset.sort', '§4.2', 'All pages of another order together are in that order', async (client) => {
  const sort = endingSoon(client)
  expect.same(idsOf(await all(client, { sort, limit: 13 })), idsOf(await all(client, { sort })), 'the pages')
})
