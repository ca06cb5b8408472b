import { z } from 'zod'
import { Localized } from './locales.ts'

/**
 * Questions of the scripts to the backend's checker of profiles (backend/operations/profile-check), one JSON object a
 * line, and its answers in the same order: it refuses what a lane would refuse, in the same words.
 */
const SettingPath = z.array(z.union([z.string(), z.int()]))
export type SettingPath = z.infer<typeof SettingPath>

export const ProfileMistake = z.strictObject({
  file: z.string(),
  /** From 1; null for the file as a whole. */
  line: z.int().nullable(),
  /** From 1; null for the line as a whole. */
  column: z.int().nullable(),
  /** The setting, e.g. "lanes[0].deviceId"; empty where it is none. */
  path: z.string(),
  at: SettingPath,
  /** Whether it stands at the last key of the path or at its value. */
  what: z.enum(['key', 'value']),
  messages: Localized,
})
export type ProfileMistake = z.infer<typeof ProfileMistake>

export const ProfileCheckRequest = z.discriminatedUnion('kind', [
  /** A profile of one store and the files that it names, as a lane reads them. */
  z.strictObject({ kind: z.literal('store'), file: z.string() }),
  /** A file with some settings of stores: whether it can be read as YAML. It may be empty. */
  z.strictObject({ kind: z.literal('layer'), file: z.string() }),
  /** A table of settings, a store a row: its cells. */
  z.strictObject({ kind: z.literal('table'), file: z.string() }),
  /**
   * The text of a store's whole profile; mistakes are told of the name. The catalog is checked with it, if given, and
   * so are logo and certificates where it is said from which folder they are named.
   */
  z.strictObject({
    kind: z.literal('profile'),
    name: z.string(),
    text: z.string(),
    catalog: z.string().nullable(),
    folder: z.string().nullable(),
  }),
])
export type ProfileCheckRequest = z.infer<typeof ProfileCheckRequest>

export const TableCell = z.strictObject({ text: z.string(), line: z.int(), column: z.int() })
export type TableCell = z.infer<typeof TableCell>

export const ProfileCheckAnswer = z.strictObject({
  mistakes: z.array(ProfileMistake),
  /** The rows of a table with the first, which names the columns. None where they could not be told apart. */
  rows: z.array(z.array(TableCell)).default([]),
})
export type ProfileCheckAnswer = z.infer<typeof ProfileCheckAnswer>
