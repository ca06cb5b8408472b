import { z } from 'zod'
import { Problem, type ProblemCode } from '../../contracts/core/errors.ts'
import { LANE_ROUTES } from '../../contracts/core/lane-routes.ts'
import type { NamedRoute } from '../../contracts/core/route.ts'
import english from '../../contracts/i18n/en-CA/errors.ts'
import french from '../../contracts/i18n/fr-CA/errors.ts'

type Schema = z.core.$ZodType

/** The fields of a value that a fixture gives; `exampleOf` adds the others. */
export type Named<Value> = Value extends readonly (infer One)[]
  ? readonly Named<One>[]
  : Value extends object
    ? { readonly [Key in keyof Value]?: Named<Value[Key]> | undefined }
    : Value

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const mapped = <One>(record: Readonly<Record<string, One>>, to: (one: One, key: string) => unknown): unknown =>
  Object.fromEntries(Object.entries(record).map(([key, one]) => [key, to(one, key)]))

function filled(schema: Schema, given: unknown): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const or = (plain: unknown): unknown => (given === undefined ? plain : given)
  switch (def.type) {
    case 'lazy':
      return filled(def.getter(), given)
    case 'nullable':
      return given === undefined || given === null ? null : filled(def.innerType, given)
    case 'optional':
    case 'default':
      return given === undefined ? undefined : filled(def.innerType, given)
    case 'object':
      return given === undefined || isRecord(given) ? filledObject(def.shape, given) : given
    case 'array':
      return Array.isArray(given) ? given.map((one) => filled(def.element, one)) : or([])
    case 'record':
      return isRecord(given) ? mapped(given, (value) => filled(def.valueType, value)) : or({})
    case 'union':
      return ofUnion(def.options, given)
    case 'enum':
      return or(Object.values(def.entries)[0])
    case 'literal':
      return or(def.values[0])
    default:
      return or(PLAIN[def.type])
  }
}
const PLAIN: Readonly<Record<string, unknown>> = { boolean: false, number: 0, string: '', null: null }

function filledObject(shape: Readonly<Record<string, Schema>>, given: Readonly<Record<string, unknown>> = {}): unknown {
  const unknown = Object.keys(given).filter((key) => !(key in shape))
  // Rejects unknown fields, because parsing would drop them, and a renamed field would get its default.
  if (unknown.length > 0) throw new Error(`no such field: ${unknown.join(', ')}`)
  return mapped(shape, (part, key) => filled(part, given[key]))
}

/** Completes a value of a union with the first option that fits it. */
function ofUnion(options: readonly Schema[], given: unknown): unknown {
  const reasons: unknown[] = []
  for (const option of options)
    try {
      return z.parse(option, filled(option, given))
    } catch (error) {
      reasons.push(error)
    }
  throw new Error(`fits no option: ${reasons.join('; ')}`)
}

/**
 * Makes an example of a schema: the given fields, and defaults for the others. Texts and numbers with a required format
 * must be given.
 */
export const exampleOf = <S extends z.ZodType>(schema: S, named?: Named<z.input<S>>): z.output<S> =>
  schema.parse(filled(schema, named))

const ROUTES = Object.values<NamedRoute>(LANE_ROUTES)
  .map((route) => ({ ...route, path: new RegExp(`^${route.name.replace(' ', ' /api').replace(/:\w+/g, '[^/]+')}$`) }))
  // Routes with literal path segments take precedence over routes with parameters.
  .sort((one, other) => Number(one.name.includes(':')) - Number(other.name.includes(':')))

export function answerTo(call: string, named: unknown): unknown {
  const route = ROUTES.find(({ path }) => path.test(call))
  if (!route) throw new Error(`The terminal has no route for ${call}`)
  try {
    return route.answer ? z.parse(route.answer, filled(route.answer, named)) : named
  } catch (error) {
    throw new Error(`The fixture of ${route.name} does not fit its schema: ${String(error)}`, { cause: error })
  }
}

export const ok = <Body>(body: Body): { readonly status: 200; readonly body: Body } => ({ status: 200, body })

export interface Refusal {
  readonly code: ProblemCode
  readonly details?: Problem['details']
  readonly approval?: object
}

/**
 * Makes the rejection of a call. Its status is always 403, because the fixture browser ignores only reports of the
 * statuses 403 and 503.
 */
export const refusal = (code: ProblemCode, more: Partial<Refusal> = {}) => ({
  status: 403,
  body: z.parse(
    Problem,
    filled(Problem, {
      code,
      messages: { 'en-CA': english[code], 'fr-CA': french[code] },
      correlationId: 'c0ffee00-0000-4000-8000-000000000001',
      ...more,
    }),
  ),
})
