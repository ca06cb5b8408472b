import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { asCash, openRehearsal } from './rehearsal.fixture.ts'
import { ImportError, readImport } from './import-files.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'milepost-import-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text)
const problemsOf = async (): Promise<readonly string[]> => {
  try {
    const client = await openRehearsal({ importFrom: folder, seed: null })
    await client.close()
    return []
  } catch (error) {
    if (error instanceof ImportError) return error.problems
    throw error
  }
}
const COPY =
  '{ awardShort: 5 miles, qualifierShort: Buy tea, categoryLabel: Tea, tiers: [{ awardLong: 5 miles, ' +
  'qualifierLong: Buy tea }] }'

async function writeAll(): Promise<void> {
  await write('sponsors.yaml', '- { code: TEA, nameEn: Tea House, nameFr: Maison de thé, locationRequired: true }\n')
  await write(
    'locations.yml',
    '- { sponsorCode: TEA, code: T001, storeId: tea-1, region: YT, timeZone: America/Whitehorse, description: ' +
      'Whitehorse }\n',
  )
  await write(
    'redemption-offers.json',
    '[{ "id": "RGL-95", "type": "RGL", "unitMiles": 95, "unitCents": 1000, "dailyUnitLimit": 75, "descEn": ' +
      '"ten", "descFr": "dix" }]',
  )
  await write('collectors.yaml', '# ours\n- number: "81234567890"\n  cash: 500\n  dream: 20\n')
  await write(
    'issuance-offers.yaml',
    '- { sponsorCode: TEA, code: TEABASE, offerId: TEABASE, descriptionEn: a, descriptionFr: b, rule: { kind: ' +
      'base, miles: 2, perCents: 100 } }\n',
  )
  await write('feeds.yaml', '- originClient: external:web:tea\n  parameters: { type: buy }\n')
  await write(
    'offers.yaml',
    `- id: 5b1a9f8e-2c3d-4e5f-8a6b-7c8d9e0f1a2b
  partnerId: 6b1a9f8e-2c3d-4e5f-8a6b-7c8d9e0f1a2b
  partnerLabel: Tea House
  partnerSlug: tea-house
  categoryId: 7b1a9f8e-2c3d-4e5f-8a6b-7c8d9e0f1a2b
  type: buy
  programType: traditionalcore
  availability: [in-store]
  regions: [YT]
  displayDate: "2020-01-01T00:00:00"
  startDate: "2020-01-01T00:00:00"
  endDate: "2090-01-01T00:00:00"
  tiers: [{ awardValue: 5, qualifierValue: 1 }]
  mechanism: { type: noAction }
  copy:
    en-US: ${COPY}
    fr-CA: ${COPY}
`,
  )
}

it('an imported collector can sign in with the PIN in the import file', async () => {
  await writeAll()
  await write('collectors.yaml', '- number: "81234567890"\n  pin: "135790"\n')
  const client = await openRehearsal({ importFrom: folder, seed: null })
  const seen = async (pin: string) =>
    (
      await client.get('/offers?region=YT', {
        authorization: `Bearer ${await client.memberToken('81234567890', pin)}`,
        'x-origin-client': 'internal:pos:milepost',
      })
    ).status
  expect([await seen('135790'), await seen('2468')]).toEqual([200, 401])
  await client.close()
})
it('imported data is served without seed data, and balances survive a restart', async () => {
  await writeAll()
  const client = await openRehearsal({ importFrom: folder, seed: null })
  const collector = { collectorNumber: '81234567890', sponsorCode: 'TEA' }
  expect(
    (
      await client.issue(
        { ...collector, locationCode: 'T001', basketPreTaxAmount: 10, basketPostTaxAmount: 10 },
        { key: 'a' },
      )
    ).body,
  ).toMatchObject({ issuances: [{ issuanceOfferCode: 'TEABASE', milesAmount: 20 }] })
  expect(
    asCash(await client.redeem({ ...collector, storeId: 'tea-1', dollarRedeemRequest: '10.00' }, { key: 'b' }))
      .responseCode,
  ).toBe('0000')
  expect((await client.get('/offers?region=YT', { 'x-origin-client': 'internal:pos:milepost' })).body).toMatchObject({
    metadata: { total: 1 },
    offers: [{ partnerLabel: 'Tea House' }],
  })
  expect((await client.issue({}, { key: 'c' })).body.responseCode).toBe('221')
  const { balances } = await client.ledger('81234567890')
  await client.restart()
  expect((await client.ledger('81234567890')).balances).toEqual(balances)
  expect(balances).toEqual({ cash: 415, dream: 30 })
  await client.close()
})
it('an imported entry replaces the seed entry with the same key, and other seed entries stay', async () => {
  await write('collectors.yaml', '- number: "80000000011"\n  state: closed\n')
  const client = await openRehearsal({ importFrom: folder })
  expect(asCash(await client.inquire()).responseCode).toBe('0002')
  expect(asCash(await client.inquire({ collectorNumber: '80000000022' })).responseCode).toBe('0001')
  await client.close()
})
it('an import reports the file and line of every mistake', async () => {
  await writeAll()
  await write(
    'collectors.yaml',
    '# ours\n- number: "81234567890"\n  cash: many\n- number: "7"\n\n- number: "81234567891"\n  colour: red\n',
  )
  await write('feeds.yaml', '- originClient: external:web:tea\n')
  await write('people.yaml', '[]')
  expect(await problemsOf()).toEqual([
    expect.stringMatching(/^collectors\.yaml:3: 0\.cash: /) as string,
    expect.stringMatching(/^collectors\.yaml:4: 1\.number: /) as string,
    expect.stringMatching(/^collectors\.yaml:6: 2: .*colour/) as string,
    expect.stringMatching(/^feeds\.yaml:1: 0\.parameters: /) as string,
    expect.stringMatching(/^people\.yaml: unknown name; expected/) as string,
  ])
})
it('an import reports the line of a reference to a missing entry', async () => {
  await writeAll()
  await write(
    'locations.yml',
    '- { sponsorCode: TEA, code: T001, region: YT, timeZone: America/Whitehorse, description: Whitehorse }\n- ' +
      'sponsorCode: COFFEE\n  code: C001\n  region: YT\n  timeZone: America/Whitehorse\n  description: Nowhere\n',
  )
  expect(await problemsOf()).toEqual(['locations.yml:2: there is no sponsor COFFEE'])
})
const OFFER = {
  sponsors: '- { code: TEA, nameEn: a, nameFr: b }\n',
  base: 'sponsorCode: TEA, code: TEABASE, offerId: T, descriptionEn: a, descriptionFr: b, rule: { kind: partner }',
}
const changed =
  (from: string | RegExp, to: string) =>
  (text: string): string =>
    text.replace(from, to)
it.each([
  [
    'a collector that occurs twice',
    'collectors.yaml',
    () => '- number: "81234567890"\n- number: "81234567891"\n- number: "81234567890"\n',
    ['collectors.yaml:3: 2: 81234567890 is already on line 1; delete one of them'],
  ],
  [
    'a sponsor that occurs twice',
    'sponsors.yaml',
    () => `${OFFER.sponsors}${OFFER.sponsors}`,
    ['sponsors.yaml:2: 1: TEA is already on line 1; delete one of them'],
  ],
  [
    'an issuance offer that ends before it begins',
    'issuance-offers.yaml',
    () => `- { ${OFFER.base}, validFrom: "2026-03-01T00:00:00Z", validTo: "2026-02-01T00:00:00Z" }\n`,
    ['issuance-offers.yaml:1: 0.validTo: is not after validFrom'],
  ],
  [
    'an offer that ends before it starts',
    'offers.yaml',
    changed('startDate: "2020', 'startDate: "2091'),
    ['offers.yaml:12: 0.endDate: is not after startDate'],
  ],
  [
    'an invalid day',
    'offers.yaml',
    changed('endDate: "2090-01-01', 'endDate: "2090-02-31'),
    ['offers.yaml:12: 0.endDate: is not a valid date and time'],
  ],
  [
    'an invalid day with a zone',
    'issuance-offers.yaml',
    () => `- { ${OFFER.base}, validTo: "2026-02-31T00:00:00Z" }\n`,
    [expect.stringMatching(/^issuance-offers\.yaml:1: 0\.validTo: /)],
  ],
  [
    'a French tier without text',
    'offers.yaml',
    changed(/(fr-CA: .*), tiers: \[.*\] \}/, '$1 }'),
    ['offers.yaml:17: 0.copy.fr-CA.tiers: 1 expected, one for each tier; 0 found'],
  ],
  [
    'a feed with an unknown parameter',
    'feeds.yaml',
    () => '- originClient: external:web:tea\n  parameters: { colour: red }\n',
    [expect.stringMatching(/^feeds\.yaml:2: 0\.parameters: .*colour/)],
  ],
  [
    'a feed with an unknown region',
    'feeds.yaml',
    () => '- originClient: external:web:tea\n  parameters: { region: XX }\n',
    [expect.stringMatching(/^feeds\.yaml:2: 0\.parameters\.region: /)],
  ],
  [
    'a feed of too many offers',
    'feeds.yaml',
    () => '- originClient: external:web:tea\n  parameters: { limit: "97" }\n',
    [expect.stringMatching(/^feeds\.yaml:2: 0\.parameters\.limit: /)],
  ],
] as const)('an import reports invalid entries in its files: %s', async (_case, name, change, problems) => {
  await writeAll()
  await write(name, change(await readFile(join(folder, name), 'utf8')))
  expect(await problemsOf()).toEqual(problems)
})
it.each([
  ['not valid YAML', 'collectors.yaml', '- number: "8\n', /^collectors\.yaml:\d+: /],
  ['a map instead of a list', 'sponsors.yaml', 'code: TEA\n', /^sponsors\.yaml:1: /],
])('an import refuses a file that is %s', async (_case, name, text, problem) => {
  await write(name, text)
  expect((await problemsOf())[0]).toMatch(problem)
})
it('an import refuses an empty or missing folder', async () => {
  expect((await problemsOf())[0]).toContain('contains none of')
  expect(() => readImport(join(folder, 'nothing'))).toThrow(/is not a folder/)
})
