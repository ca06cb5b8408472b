import type { z } from 'zod'
import { choices, itemsOf, keyOf, profileSchema } from './schema.ts'
import { fileURLToPath } from 'node:url'

type Schema = z.core.JSONSchema.JSONSchema

/**
 * Returns the schema of a chain's files for editors. Files are merged, so every setting is optional, `null` removes a
 * setting, and a list whose entries have an `id` or a `code` may be a group of entries by that key.
 */
export function chainSchema(): Schema {
  const { $schema, ...profile } = profileSchema()
  const entries: Record<string, Schema> = {}
  const body = partial(profile, entries, 'profile')
  return {
    ...($schema === undefined ? {} : { $schema }),
    ...body,
    title: 'Milepost: settings of the stores of a chain',
    definitions: entries,
  }
}

function partial(schema: Schema, entries: Record<string, Schema>, name: string): Schema {
  const { required: _required, default: _default, minItems, oneOf, anyOf, ...rest } = schema
  const inner = (one: Schema): Schema => partial(one, entries, name)
  const removable = (one: Schema | boolean, of: string): Schema =>
    typeof one === 'boolean' ? {} : nullable(partial(one, entries, of))
  if (oneOf !== undefined || anyOf !== undefined) return { ...rest, anyOf: choices(schema).map(inner) }
  const [item] = itemsOf(schema)
  const key = keyOf([schema])
  if (item !== undefined && key !== null) {
    entries[name] = inner(item)
    const named: Schema = { type: 'object', properties: { [key]: { type: 'string' } }, required: [key] }
    const entry: Schema = { $ref: `#/definitions/${name}` }
    return {
      ...(rest.description === undefined ? {} : { description: rest.description }),
      anyOf: [
        { type: 'array', items: { allOf: [entry, named] } },
        { type: 'object', additionalProperties: { anyOf: [entry, { type: 'null' }] } },
      ],
    }
  }
  return {
    ...rest,
    ...(minItems === undefined ? {} : { minItems }),
    ...(item === undefined ? {} : { items: inner(item) }),
    ...(schema.properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(schema.properties).map(([setting, one]) => [setting, removable(one, nameOf(name, setting))]),
          ),
        }),
    ...(typeof schema.additionalProperties === 'object'
      ? { additionalProperties: removable(schema.additionalProperties, name) }
      : {}),
  }
}

const nameOf = (group: string, setting: string): string => (group === 'profile' ? setting : `${group}-${setting}`)

function nullable(schema: Schema): Schema {
  if (schema.anyOf !== undefined) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
  const { description, type, ...rest } = schema
  const documentation = description === undefined ? {} : { description }
  if (typeof type === 'string' && rest.enum === undefined && rest.const === undefined)
    return { ...documentation, type: [type, 'null'], ...rest }
  return { ...documentation, anyOf: [{ ...(type === undefined ? {} : { type }), ...rest }, { type: 'null' }] }
}

const stores = (name: string): string => fileURLToPath(new URL(`../../../../stores/${name}`, import.meta.url))
const asFile = (schema: unknown): string => `${JSON.stringify(schema, null, 2)}\n`

export const SCHEMA_FILES = [
  { file: stores('profile.schema.json'), text: () => asFile(profileSchema()) },
  { file: stores('chain.schema.json'), text: () => asFile(chainSchema()) },
] as const
