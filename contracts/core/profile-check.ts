import { z } from 'zod'
import { Localized } from './locales.ts'

/**
 * Requests of the scripts to the backend's profile checker (backend/operations/profile-check), one JSON object per
 * line, and its answers in the same order. The checker reports the same errors as a lane.
 */
const SettingPath = z.array(z.union([z.string(), z.int()]))
export type SettingPath = z.infer<typeof SettingPath>

export const ProfileMistake = z.strictObject({
  file: z.string(),
  /** Line number, from 1; null for the file as a whole. */
  line: z.int().nullable(),
  /** Column number, from 1; null for the line as a whole. */
  column: z.int().nullable(),
  /** The setting with the error, e.g. "lanes[0].deviceId"; empty for other errors. */
  path: z.string(),
  at: SettingPath,
  /** Whether the error is at the last key of the path or at its value. */
  what: z.enum(['key', 'value']),
  messages: Localized,
})
export type ProfileMistake = z.infer<typeof ProfileMistake>

export const ProfileCheckRequest = z.discriminatedUnion('kind', [
  /** Request: checks the profile of one store with the files that it names, read as a lane reads them. */
  z.strictObject({ kind: z.literal('store'), file: z.string() }),
  /** Request: checks a file with some settings of stores, which may be empty, only for being YAML. */
  z.strictObject({ kind: z.literal('layer'), file: z.string() }),
  /** Request: returns the cells of a table of settings with one store per row. */
  z.strictObject({ kind: z.literal('table'), file: z.string() }),
  /**
   * Request: checks the text of a whole store profile; errors name the file `name`. Checks the catalog when it is
   * given, and logo and certificates when `folder` is given.
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
  /** Rows of the table, the first with the column names; empty when the file could not be parsed. */
  rows: z.array(z.array(TableCell)).default([]),
})
export type ProfileCheckAnswer = z.infer<typeof ProfileCheckAnswer>
