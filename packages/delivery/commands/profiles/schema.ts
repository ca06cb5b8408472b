import { z } from 'zod'
import { Profile } from '../../../../contracts/core/profile.ts'
import type { ListKey } from './merge.ts'

type Schema = z.core.JSONSchema.JSONSchema

export const profileSchema = (): Schema => ({
  ...z.toJSONSchema(Profile, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => {
      // Bounds that only state the limits of the number type are omitted.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  }),
  title: 'Milepost: the profile of a store',
})
const PROFILE = profileSchema()

function schemasAt(path: readonly string[]): readonly Schema[] {
  const name = path.join('\n')
  const known = found.get(name)
  if (known !== undefined) return known
  const schemas =
    path.length === 0
      ? choices(PROFILE)
      : schemasAt(path.slice(0, -1)).flatMap((schema) => under(schema, path.at(-1) ?? '').flatMap(choices))
  found.set(name, schemas)
  return schemas
}
const found = new Map<string, readonly Schema[]>()

export const listKey: ListKey = (path) => keyOf(schemasAt(path))

export const typesAt = (path: readonly string[]): ReadonlySet<string> =>
  new Set(schemasAt(path).flatMap((schema) => schema.type ?? typeof schema.const))

export const namesAt = (path: readonly string[]): readonly string[] =>
  schemasAt(path).flatMap(({ properties }) => Object.keys(properties ?? {}))

function under(schema: Schema, key: string): Schema[] {
  if (key === '[]') return itemsOf(schema)
  const property = schema.properties?.[key] ?? schema.additionalProperties
  return typeof property === 'object' ? [property] : []
}

export const choices = (schema: Schema): Schema[] => {
  const options = [schema.oneOf ?? [], schema.anyOf ?? []].flat()
  return options.length === 0 ? [schema] : options.flatMap(choices)
}

export const itemsOf = ({ items }: Schema): Schema[] =>
  [items ?? []].flat().filter((item): item is Schema => typeof item === 'object')

export function keyOf(schemas: readonly Schema[]): string | null {
  const entries = schemas.flatMap(itemsOf)
  return ['id', 'code'].find((key) => entries.some(({ required }) => required?.includes(key) === true)) ?? null
}
