import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { LOCALES } from '../../contracts/i18n/languages.ts'
import type { UpdateManifest } from '../../delivery/updates/formats.ts'
import { UpdateManifest as Manifest } from '../../delivery/updates/formats.ts'
import { PublishRefusal } from './refusal.ts'

const Given = z.record(z.string(), z.unknown())

/**
 * What is new in a version: a YAML file with a text for each language, a line for each point. Throws PublishRefusal
 * where one is missing: half of the stores could not read it.
 */
export function readNotes(file: string): UpdateManifest['notes'] {
  const given = Given.safeParse(parsed(file))
  if (!given.success) throw new PublishRefusal('notes-form', { file })
  for (const language of LOCALES) {
    const text = given.data[language]
    if (text === undefined || (typeof text === 'string' && text.trim() === ''))
      throw new PublishRefusal('notes-language', { file, language })
  }
  const notes = Manifest.shape.notes.safeParse(given.data)
  if (!notes.success) throw new PublishRefusal('notes-form', { file })
  return notes.data
}

function parsed(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new PublishRefusal('notes-unreadable', { file, reason })
  }
}
