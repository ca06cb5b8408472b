import { execFileSync } from 'node:child_process'
import { findingsIn } from './phrases.ts'

/** Time of the rule for commit subjects: commits after it follow the rule; older ones are history. */
const SINCE = '2026-11-30T03:50:00Z'
const FORM =
  /^(?:feat|fix|docs|refactor|perf|test|build|ci|chore|style|revert)(?:\([a-z0-9-]+\))?!?: (?<summary>\S.*)$/u
const MAX_CHARACTERS = 71

/** Returns why a commit subject is rejected; null if it is accepted (CONTRIBUTING.md, Commits). */
export function faultOf(subject: string): string | null {
  if (subject.startsWith('Merge ')) return 'is a merge commit: rebase or squash'
  const summary = FORM.exec(subject)?.groups?.['summary']
  if (summary === undefined) return 'does not have the form "type(scope): imperative summary"'
  if (/^[A-Z][a-z]|\.$/u.test(summary)) return 'starts with a capital or ends with a full stop'
  if (subject.length > MAX_CHARACTERS) return `has more than ${MAX_CHARACTERS} characters`
  const [finding] = findingsIn(summary)
  return finding === undefined ? null : `contains "${finding.found}"`
}

export const subjectsSince = (root: string): string[] =>
  execFileSync('git', ['log', `--since=${SINCE}`, '--format=%s'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')
