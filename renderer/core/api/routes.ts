import type { z } from 'zod'
import type { AnswerOf } from '../../../contracts/core/route.ts'
import type { LaneRoutes } from '../../../contracts/core/lane-routes.ts'

export type RouteName = keyof LaneRoutes

/**
 * The routes of the lane by name. In an editor, `route['GET /sales/:id']` leads to the declaration, which the window
 * does not load. The type must be `keyof LaneRoutes`: with `RouteName` an editor finds no declaration.
 */
export const route = new Proxy({}, { get: (_routes, name) => name }) as { readonly [Name in keyof LaneRoutes]: Name }

type NamesWith<Part> = { [Name in RouteName]: LaneRoutes[Name] extends Part ? Name : never }[RouteName]
export type Files = NamesWith<{ file: unknown }>
export type GetRoutes = Exclude<Extract<RouteName, `GET ${string}`>, Files>
export type Readings = NamesWith<{ command: 'reading' }>
export type Changes = Exclude<RouteName, `GET ${string}`>

/**
 * Type of a query value in an address: a coerced number accepts any value, but addresses contain only texts and
 * numbers.
 */
type Shown<Value> = unknown extends Value ? string | number : Value
type Search<Query> = { readonly [Name in keyof Query]: Shown<Query[Name]> | undefined }

/** Options with the body of a call; `json` is optional where the schema accepts an empty object or nothing. */
type Body<Json> = undefined extends Json
  ? { readonly json?: Json }
  : Record<never, never> extends Json
    ? { readonly json?: Json }
    : { readonly json: Json }

interface Sending {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

export type OptionsOf<Name extends RouteName, Route = LaneRoutes[Name]> = Sending &
  (Route extends { params: infer Params }
    ? { readonly params: { readonly [Key in keyof Params]: string | number } }
    : { readonly params?: never }) &
  (Route extends { query: infer Query } ? { readonly search?: Search<z.input<Query>> } : { readonly search?: never }) &
  (Route extends { body: infer Json } ? Body<z.input<Json>> : { readonly json?: never; readonly body?: Blob })

export type SearchOf<Name extends RouteName> = LaneRoutes[Name] extends { query: infer Query }
  ? Search<z.input<Query>>
  : never

export type Arguments<Name extends RouteName> =
  Record<never, never> extends OptionsOf<Name> ? [options?: OptionsOf<Name>] : [options: OptionsOf<Name>]

export type AnswerTo<Name extends RouteName> = AnswerOf<LaneRoutes[Name]>

/**
 * Function that calls a route with one of these names. Throws ApiProblem, or the abort reason when the caller aborted.
 */
export type Call<Names extends RouteName> = <Name extends Names>(
  name: Name,
  ...options: Arguments<Name>
) => Promise<AnswerTo<Name>>
