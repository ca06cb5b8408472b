import { z } from 'zod'
import { Region } from '../core/regions.ts'

/** Wire of the offer-state service: specification 2 §4.1. */
export const OFFER_STATE_PATHS = {
  health: '/offers/state-reader/health',
  find: '/offers/state-reader/v1/find',
  get: '/offers/state-reader/v1/get',
  count: '/offers/state-reader/v1/count',
  put: '/offers/state-writer/v1/put',
} as const

const single = z.string({ error: 'exactly one value is expected' })
const whole = (low: number, high: number) =>
  single
    .regex(/^\d{1,9}$/, 'a whole number')
    .transform(Number)
    .pipe(z.int().min(low).max(high))
const flag = single.pipe(z.enum(['true', 'false'])).transform((value) => value === 'true')

/** An action of a collector: one state type of specification 2 §2.1. */
export const StateType = z.enum(['SAVE:SAVED', 'OPT_IN:OPTED_IN'])
export type StateType = z.infer<typeof StateType>

/** The specification defines no sort fields (2 §4.1); these names are an assumption. */
const StateSortField = z.enum(['offerId', 'updatedAt', 'startDate', 'endDate', 'displayPriority', 'partnerLabel'])
export type StateSortField = z.infer<typeof StateSortField>

const filters = {
  state: single
    .transform((value) => value.split(','))
    .pipe(z.array(StateType))
    .optional()
    .describe('`SAVE:SAVED`, `OPT_IN:OPTED_IN`, or both separated by a comma: any of them'),
  partnerId: single
    .transform((value) => value.split(','))
    .pipe(z.array(z.uuid()))
    .optional()
    .describe('UUIDs by commas'),
  region: single.pipe(Region).optional().describe('A region code'),
}

export const CountQuery = z.strictObject(filters)
export type CountQuery = z.infer<typeof CountQuery>

const sortBy = single.pipe(StateSortField).optional().describe(StateSortField.options.join(', '))
const descending = flag.optional().describe('true or false')

export const FindQuery = z
  .strictObject({
    ...filters,
    firstSortBy: sortBy,
    firstSortByDescending: descending,
    secondSortBy: sortBy,
    secondSortByDescending: descending,
    pageNumber: whole(0, 1_000_000).optional().describe('Zero-based'),
    pageSize: whole(1, 500).optional().describe('Records a page'),
  })
  .superRefine((query, context) => {
    const needs = (name: keyof typeof query, other: keyof typeof query): void => {
      if (query[name] !== undefined && query[other] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: `needs ${other}`, input: query[name] })
    }
    needs('firstSortByDescending', 'firstSortBy')
    needs('secondSortBy', 'firstSortBy')
    needs('secondSortByDescending', 'secondSortBy')
  })
export type FindQuery = z.infer<typeof FindQuery>

export const GetQuery = z.strictObject({
  offerId: z
    .union([z.uuid(), z.array(z.uuid()).min(1)], { error: 'one or more UUIDs are required, one per parameter' })
    .meta({ description: 'A UUID; repeated', examples: ['3f7c1d52-8a41-4c0e-9b6d-5e2f4a6b8c0d'] })
    .transform((ids) => (typeof ids === 'string' ? [ids] : ids)),
})

/** PUT: the two changes of specification 2 §3. */
export const PutRequest = z.object({
  stateChanges: z
    .array(
      z.object({
        offerId: z.uuid(),
        states: z
          .array(
            z.discriminatedUnion('name', [
              z.object({ name: z.literal('SAVE'), value: z.literal('SAVED') }),
              z.object({ name: z.literal('OPT_IN'), value: z.literal('OPTED_IN') }),
            ]),
          )
          .min(1)
          .max(20),
      }),
    )
    .min(1)
    .max(500),
})
export type PutRequest = z.infer<typeof PutRequest>

const State = z.object({
  name: z.string(),
  value: z.string(),
  updatedAt: z.string().describe('UTC with microseconds and Z'),
})

/**
 * Answer of find and get; `offers` is left out when it is empty, only get returns `requestedCount` (specification 2
 * §2.1).
 */
export const StateListResponse = z.object({
  offers: z.array(z.object({ offerId: z.uuid(), collectorId: z.string(), states: z.array(State) })).optional(),
  requestedCount: z.int().optional(),
  returnedCount: z.int(),
})
export const CountResponse = z.object({ count: z.int() })
export const StateHealthResponse = z.array(z.object({ healthy: z.boolean(), timestamp: z.string() }))
