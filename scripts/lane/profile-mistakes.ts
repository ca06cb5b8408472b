import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Locale } from '../../contracts/locales.ts'
import { ProfileCheckAnswer, type ProfileCheckRequest } from '../../contracts/profile-check.ts'
import { mistakeLine } from '../check-profile.ts'

const CHECKER = fileURLToPath(new URL('../../backend/profile-check/main.ts', import.meta.url))
/** A catalog of a hundred thousand items takes some seconds. */
const LONGEST_MS = 300_000

/**
 * What a lane of this program would refuse of a profile and its files, a line each: the backend's own readers answer,
 * in a process of their own. Throws where they cannot.
 */
export function profileMistakes(profileFile: string, locale: Locale): string[] {
  const request: ProfileCheckRequest = { kind: 'store', file: profileFile }
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [CHECKER], {
    input: `${JSON.stringify(request)}\n`,
    encoding: 'utf8',
    timeout: LONGEST_MS,
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`The profile could not be checked: ${error?.message ?? stderr.trim()}`)
  const { mistakes } = ProfileCheckAnswer.parse(JSON.parse(stdout))
  // Nobody knows the folder of a bundle by its name.
  const folder = path.dirname(profileFile) + path.sep
  return mistakes.map((mistake) => mistakeLine(mistake, locale).replaceAll(folder, ''))
}
