import type { z } from 'zod'

type Schema = z.core.$ZodType

/**
 * Who may call a route. public: anybody who passes the guards; window: a window that proves its key;
 * staff: a signed-in person; manager: a signed-in manager.
 */
export type Access = 'public' | 'window' | 'staff' | 'manager'

/** One route of the lane's local API: its Fastify route, the window's call and its description derive from it. */
export interface Route {
  readonly summary?: string
  readonly description?: string
  /** Left out means `staff`: a route that does not name its callers is closed. */
  readonly access?: Access
  /** The screen calls it on a timer: a call does not show that a person is there. */
  readonly byItself?: true
  /**
   * How a call that is no GET is kept from being done twice. Left out, it is stored: its handler answers at once, and
   * its effect commits with its key. `awaited`: it ends later, or its effect is in no table. `reading`: it changes
   * nothing and needs no key.
   */
  readonly command?: 'awaited' | 'reading'
  /** One schema for each `:name` of the path. */
  readonly params?: Readonly<Record<string, Schema>>
  readonly query?: Schema
  readonly body?: Schema
  /** Left out: 204 without a body, unless the route answers with a file. */
  readonly answer?: Schema
  /** Left out: 200, or 204 without an answer. */
  readonly status?: 202
  /** Media types of the file that the route answers with. */
  readonly file?: readonly string[]
}

/** A route that knows its own name: method and path below `/api`, as in `POST /sales/:id/tenders`. */
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

/** As its handler returns it and the window receives it. */
export type AnswerOf<One extends Route> = One extends { answer: infer Answer } ? z.output<Answer> : void
