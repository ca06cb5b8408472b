import { fileURLToPath } from 'node:url'
import { chainSchema } from './chain-schema.ts'
import { profileSchema } from './schema.ts'

const stores = (name: string): string => fileURLToPath(new URL(`../../stores/${name}`, import.meta.url))
const asFile = (schema: unknown): string => `${JSON.stringify(schema, null, 2)}\n`

/** The schemas that editors read, and what has to be in them. */
export const SCHEMA_FILES = [
  { file: stores('profile.schema.json'), text: () => asFile(profileSchema()) },
  { file: stores('chain.schema.json'), text: () => asFile(chainSchema()) },
] as const
