import type { z } from 'zod'

type Schema = z.core.$ZodType

/**
 * Required authorization of a route. public: every client that passes the checks of host and origin; window: a window
 * that proves its key; staff: a signed-in person; manager: a signed-in manager.
 */
export type Access = 'public' | 'window' | 'staff' | 'manager'

/**
 * One route of the lane's local API. The server's route, the window's call and the API description are derived from it.
 */
export interface Route {
  readonly summary?: string
  readonly description?: string
  readonly access?: Access
  /**
   * Whether the screen calls the route on a timer: such a call does not count as activity, so it does not keep the
   * person signed in.
   */
  readonly byItself?: true
  /**
   * How a call other than GET is made idempotent. Default: the handler answers immediately, and its effect and answer
   * are stored with the idempotency key in one transaction. `awaited`: the effect ends later or is in no table, so the
   * answer is not stored. `reading`: changes nothing and needs no key.
   */
  readonly command?: 'awaited' | 'reading'
  readonly params?: Readonly<Record<string, Schema>>
  readonly query?: Schema
  readonly body?: Schema
  /** Schema of the answer; default: 204 without a body, unless the route returns a file. */
  readonly answer?: Schema
  /** Status of a successful answer; default: 200, or 204 without an answer. */
  readonly status?: 202
  readonly file?: readonly string[]
}

export type NamedRoute = Route & { readonly name: string; readonly tag: string }

type Placeholders<Path> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | Placeholders<`/${More}`>
    : Rest
  : never

type Declared<Name> = Name extends `${'GET' | 'POST' | 'PUT'} /${string}`
  ? Route & (Placeholders<Name> extends never ? unknown : { readonly params: Record<Placeholders<Name>, Schema> })
  : never

type Named<Routes> = {
  readonly [Name in keyof Routes]: Routes[Name] & { readonly name: Name; readonly tag: string }
}

/** Declares routes by their names. `tag` groups them in the OpenAPI description. */
export const routes = <const Routes extends { readonly [Name in keyof Routes]: Declared<Name> }>(
  tag: string,
  declared: Routes,
): Named<Routes> =>
  Object.fromEntries(
    Object.entries<Route>(declared).map(([name, route]) => [name, { ...route, name, tag }]),
  ) as unknown as Named<Routes>

export type AnswerOf<One extends Route> = One extends { answer: infer Answer } ? z.output<Answer> : void
