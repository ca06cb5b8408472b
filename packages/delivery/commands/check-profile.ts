import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import {
  ProfileCheckAnswer,
  type ProfileCheckRequest,
  type ProfileMistake,
} from '../../../contracts/core/profile-check.ts'

const CHECKER = fileURLToPath(new URL('../../../backend/operations/profile-check/main.ts', import.meta.url))

export interface ProfileChecker {
  /** Checks a profile. Rejects with the checker's output if the checker cannot run. */
  ask(request: ProfileCheckRequest): Promise<ProfileCheckAnswer>
  close(): void
}

/** Starts the backend's own parsers, so that mistakes have the same messages as on the lane. */
export function startProfileChecker(): ProfileChecker {
  const child = spawn(process.execPath, [CHECKER], { stdio: ['pipe', 'pipe', 'pipe'] })
  // Ignore errors of writing to the checker: its exit and its error output report the failure.
  child.stdin.on('error', () => {})
  const errorOutput = endOf(child, text(child.stderr))
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const answer = async (): Promise<ProfileCheckAnswer> => {
    const line = await answers.next()
    if (line.done === true) throw new Error(`The profile could not be checked: ${await errorOutput}`)
    return ProfileCheckAnswer.parse(JSON.parse(line.value))
  }
  return {
    ask(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`)
      return answer()
    },
    close() {
      child.stdin.end()
    },
  }
}

const endOf = (child: ChildProcess, complaint: Promise<string>): Promise<string> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => void complaint.then((output) => resolve(output.trim() || `exit code ${code}`)))
  })

export const mistakeLine = ({ file, line, column, path, messages }: ProfileMistake, locale: Locale): string => {
  const place = [file, ...(line === null ? [] : [line]), ...(column === null ? [] : [column])].join(':')
  return `${place}  ${path === '' ? '' : `${path}: `}${messages[locale]}`
}

/** Returns null if a profile and its catalog are valid; else all mistakes, one per line, or why the checker failed. */
export async function checkProfile(file: string): Promise<string | null> {
  const checker = startProfileChecker()
  try {
    const { mistakes } = await checker.ask({ kind: 'store', file })
    return mistakes.length === 0 ? null : mistakes.map((mistake) => mistakeLine(mistake, FIRST_LOCALE)).join('\n')
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    checker.close()
  }
}
