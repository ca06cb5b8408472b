import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { findingsIn } from './phrases.ts'
import { faultOf, subjectsSince } from './subjects.ts'
import { textsOfDocument, textsOfSource, textsOfSql, textsOfStyles } from './texts.ts'

const found = (text: string): string[] => findingsIn(text).map((finding) => finding.found)

describe('the list of phrases that no text may use', () => {
  test.each([
    ['Nobody hears of what is not on the disk.', ['Nobody', 'hears']],
    ['Whoever asks is told so.', ['Whoever', 'told']],
    ['The store’s word stands.', ['word', 'stands']],
    ['What is told once it stands', ['What is told once it stands', 'told', 'stands']],
    ['Who asks waits.', ['Who asks waits.']],
    ['A queue that takes in more', ['takes in']],
    ['in the hour of need', ['hour of need']],
  ])('rejects the text %j', (text, expected) => {
    expect(found(text)).toEqual(expected)
  })

  test.each([
    'Publishes the event after commit.',
    'What does the cashier see?',
    'Returns the highest tier reached and the next better one.',
    'The password is a keyword of the background worker.',
    'A decision record has at most 300 words.',
    'A standalone server understands the outstanding calls.',
    'turned off in the profile',
  ])('accepts the text %j', (text) => {
    expect(found(text)).toEqual([])
  })
})

describe('the texts extracted from a file', () => {
  test('are comments, test titles and messages, each with its line', () => {
    const source = `
// One comment
// over two lines.
/** A docstring. */
export const message = 'The printer is out of paper.'
const key = 'printer.out'
test.each([1])(\`a title of #\`, () => {})
describe.skipIf(true)('a group', () => {})
`
    expect(textsOfSource('some.ts', source)).toEqual([
      { line: 2, kind: 'comment', text: 'One comment\nover two lines.' },
      { line: 4, kind: 'comment', text: 'A docstring.' },
      { line: 5, kind: 'message', text: 'The printer is out of paper.' },
      { line: 7, kind: 'title', text: 'a title of #' },
      { line: 8, kind: 'title', text: 'a group' },
    ])
  })

  test('are the comments of SQL, not its string literals', () => {
    const source = `-- One comment
-- over two lines.
CREATE TABLE sale (
  at   INTEGER,                -- milliseconds
  name TEXT DEFAULT '-- told', -- the cashier's
  -- NULL: open
  end  INTEGER
);
`
    expect(textsOfSql(source)).toEqual([
      { line: 1, kind: 'comment', text: 'One comment\nover two lines.' },
      { line: 4, kind: 'comment', text: 'milliseconds' },
      { line: 5, kind: 'comment', text: "the cashier's" },
      { line: 6, kind: 'comment', text: 'NULL: open' },
    ])
  })

  test('are the comments of a style sheet, and the prose of a document without its code and links', () => {
    expect(textsOfStyles('a { }\n/* why */\n')).toEqual([{ line: 2, kind: 'comment', text: 'why' }])
    expect(textsOfDocument('Text [link](told.md) `told`\n\n```\ntold\n```\nend')).toEqual([
      { line: 1, kind: 'document', text: 'Text [link] `code`' },
      { line: 6, kind: 'document', text: 'end' },
    ])
  })
})

describe('the rule for commit subjects', () => {
  test.each([
    'feat(catalog): price by weight',
    'fix: retry pushes whose response cannot be parsed',
    'refactor(store)!: replace the reservation protocol',
  ])('accepts the subject %j', (subject) => {
    expect(faultOf(subject)).toBeNull()
  })

  test.each([
    ['Merge branch lang-core', 'is a merge commit: rebase or squash'],
    ['add a page', 'does not have the form "type(scope): imperative summary"'],
    ['feat(catalog): Price by weight.', 'starts with a capital or ends with a full stop'],
    [`feat(catalog): ${'x'.repeat(70)}`, 'has more than 71 characters'],
    ['feat(store): tell nobody of it', 'contains "tell"'],
  ])('rejects the subject %j', (subject, fault) => {
    expect(faultOf(subject)).toBe(fault)
  })

  test('accepts the subject of every commit since the rule exists', ({ skip }) => {
    const root = path.join(import.meta.dirname, '../..')
    const isClone = execFileSync('git', ['rev-parse', '--is-shallow-repository'], { cwd: root, encoding: 'utf8' })
    if (isClone.trim() !== 'false') skip('a shallow clone has no history')
    const faults = subjectsSince(root).flatMap((subject) => {
      const fault = faultOf(subject)
      return fault === null ? [] : [`"${subject}" ${fault}`]
    })
    expect(faults).toEqual([])
  })
})
