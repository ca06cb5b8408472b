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
  line: z.int().nullable(),
  column: z.int().nullable(),
  path: z.string(),
  at: SettingPath,
  what: z.enum(['key', 'value']),
  messages: Localized,
})
export type ProfileMistake = z.infer<typeof ProfileMistake>

export const ProfileCheckRequest = z.discriminatedUnion('kind', [
  /** Request: checks the profile of one store with the files that it names, read as a lane reads them. */
  z.strictObject({ kind: z.literal('store'), file: z.string() }),
  /** Request: checks that a file with some settings of stores is YAML; it may be empty. */
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
  rows: z.array(z.array(TableCell)).default([]),
})
export type ProfileCheckAnswer = z.infer<typeof ProfileCheckAnswer>
