import { execFileSync } from 'node:child_process'
import { findingsIn } from './phrases.ts'

/** Time of the rule for commit subjects: commits after it follow the rule; older ones are history. */
const SINCE = '2026-11-30T03:50:00Z'
const FORM =
  /^(?:feat|fix|docs|refactor|perf|test|build|ci|chore|style|revert)(?:\([a-z0-9-]+\))?!?: (?<summary>\S.*)$/u
const MAX_CHARACTERS = 71
/** Acronyms and proper names, which may begin a summary with a capital. */
const CAPITALIZED = /^(?:[A-Z][A-Z\d]+s?|PostgreSQL|SQLite|Node|Electron|React|Chromium|Québec|Windows)(?![\p{L}\d])/u
/** Forms of frequent verbs that are not imperative. */
const NOT_IMPERATIVE = new RegExp(
  `^(?:${[
    '(?:add|fix|correct|test|check|print|reject|accept|return|show|support|allow)(?:s|ed|ing)',
    '(?:report|explain|read|send|keep)(?:s|ed|ing)',
    '(?:remov|chang|updat|mov|renam|replac|us|handl|improv|stor|mak|delet|creat|refus|writ|describ|stat)(?:es|ed|ing)',
    'fixes|kept|sent|made|wrote|written|(?:drop|stop)(?:s|ped|ping)',
  ].join('|')})\\b`,
  'u',
)
const EMPTY =
  /^\S*$|^(?:fix|add|update|change|do|more|some|various|misc)?\s*(?:wip|fixes|bugs?|changes|stuff|things|tweaks)\b/u

/** Returns why a commit subject is rejected; null if it is accepted (CONTRIBUTING.md, Commits). */
export function faultOf(subject: string): string | null {
  if (subject.startsWith('Merge ')) return 'is a merge commit: rebase or squash'
  const summary = FORM.exec(subject)?.groups?.['summary']
  if (summary === undefined) return 'does not have the form "type(scope): imperative summary"'
  if ((/^\p{Lu}/u.test(summary) && !CAPITALIZED.test(summary)) || summary.endsWith('.'))
    return 'starts with a capital or ends with a full stop'
  if (/[!…。?:;,]$/u.test(summary)) return 'ends with punctuation'
  if (/\s{2}|\s$/u.test(subject)) return 'has double or trailing spaces'
  if (NOT_IMPERATIVE.test(summary)) return 'does not begin with a verb in the imperative'
  if (subject.length > MAX_CHARACTERS) return `has more than ${MAX_CHARACTERS} characters`
  if (EMPTY.test(summary)) return 'does not state the change'
  const [finding] = findingsIn(summary)
  return finding === undefined ? null : `contains "${finding.found}"`
}

export const subjectsSince = (root: string): string[] =>
  execFileSync('git', ['log', `--since=${SINCE}`, '--format=%s'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')
