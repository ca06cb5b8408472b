import type { z } from 'zod'

/** The fields of a call, by name. */
export type Shape = Readonly<Record<string, z.ZodType>>

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))

/**
 * What a refusal echoes of a request that could be read but not accepted (specification 3 §2.3, §2.4): the call's own
 * fields, values of one piece as they came, lists and objects only where they have their shape.
 */
export function readableFields(body: unknown, shape: Shape): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {}
  const sent = body as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, field]) => {
      if (!Object.hasOwn(sent, name)) return []
      const value = sent[name]
      if (isScalar(value)) return [[name, value]]
      const parsed = field.safeParse(value)
      return parsed.success ? [[name, parsed.data]] : []
    }),
  )
}
