import { expect, test } from 'vitest'
import { readStates } from './member-offers.ts'

const SERVED = 100
const ok = <Body>(body: Body) => ({ kind: 'ok', body, status: 200, correlationId: null, latencyMs: 1 }) as const
const access = { memberToken: 'member', signal: new AbortController().signal }
const list = async () => ok({ offers: [], received: 0, leftOut: [], metadata: { total: 0 } })

function service(records: number, counted: number) {
  const pages: number[] = []
  const of = (at: number) => ({
    offerId: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    states: [{ name: 'OPT_IN', value: 'OPTED_IN', updatedAt: '' }],
  })
  return {
    pages,
    offerState: {
      find: async ({ pageNumber = 0 }) => {
        pages.push(pageNumber)
        const from = pageNumber * SERVED
        const size = Math.max(0, Math.min(SERVED, records - from))
        const page = Array.from({ length: size }, (_, index) => of(from + index))
        return ok({ records: page, returnedCount: size, requestedCount: null })
      },
      count: async () => ok(counted),
    },
  }
}

test('all offer states are read although the pages of the service are smaller than requested', async () => {
  const { offerState, pages } = service(250, 250)
  const found = await readStates({ offers: { list }, offerState, region: 'ON' }, access)
  expect(found).toMatchObject({ kind: 'found', optedIn: 250 })
  expect(found.kind === 'found' && found.states.size).toBe(250)
  expect(pages).toEqual([0, 1, 2])
})

test.each([
  ['the first page has all states', 40, 40, [0]],
  ['other states are of another region', 40, 45, [0, 1]],
  ['there are no states', 0, 0, [0]],
])('no unnecessary page of offer states is requested if %s', async (_what, records, counted, expected) => {
  const { offerState, pages } = service(records, counted)
  await readStates({ offers: { list }, offerState, region: 'ON' }, access)
  expect(pages).toEqual(expected)
})
