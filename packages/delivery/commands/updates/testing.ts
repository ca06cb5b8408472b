import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export function writeProgram(folder: string, version: string, files: Readonly<Record<string, string>> = {}): string {
  const all = {
    'package.json': JSON.stringify({ name: 'milepost', version }),
    'app/backend/main.js': `version ${version}\n`,
    'app/backend/core/db/migrations/0001_baseline.sql': 'CREATE TABLE sale (id TEXT) STRICT;\n',
    'app/shared/the same in all.js': 'never changes\n',
    ...files,
  }
  for (const [name, text] of Object.entries(all)) {
    const file = path.join(folder, ...name.split('/'))
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return folder
}

export const NOTES = {
  'en-CA': 'Returns are found by the card.\nThe drawer count starts with the coins.\n',
  'fr-CA': 'Les retours se trouvent par la carte.\nLe compte du tiroir commence par les pièces.\n',
}

export const NOTES_FILE = Object.entries(NOTES)
  .map(([locale, text]) => `${locale}: |\n${text.replace(/^(?=.)/gm, '  ')}`)
  .join('')
