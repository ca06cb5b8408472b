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

/** The backend's own checker, in a process of its own. */
export interface ProfileChecker {
  /** Rejects where the checker itself cannot run, with what it said. */
  ask(request: ProfileCheckRequest): Promise<ProfileCheckAnswer>
  close(): void
}

/** What the lane will refuse is refused here, in the same words: the backend's own readers answer. */
export function startProfileChecker(): ProfileChecker {
  const child = spawn(process.execPath, [CHECKER], { stdio: ['pipe', 'pipe', 'pipe'] })
  // What it says at its end is told by whoever asks; that its input has gone is told by its end.
  child.stdin.on('error', () => {})
  const complaint = endOf(child, text(child.stderr))
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  // Who asks while another answer is awaited has the next: answers come in the order of the questions.
  const answer = async (): Promise<ProfileCheckAnswer> => {
    const line = await answers.next()
    if (line.done === true) throw new Error(`The profile could not be checked: ${await complaint}`)
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
    child.once('close', (code) => void complaint.then((said) => resolve(said.trim() || `exit code ${code}`)))
  })

/** One mistake a line: `stores/quebec.yaml:12:3  lanes[0].id: …`. */
export const mistakeLine = ({ file, line, column, path, messages }: ProfileMistake, locale: Locale): string => {
  const place = [file, ...(line === null ? [] : [line]), ...(column === null ? [] : [column])].join(':')
  return `${place}  ${path === '' ? '' : `${path}: `}${messages[locale]}`
}

/** Null when the profile and its catalog are good, else everything that is wrong with them, a line each. */
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
