import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyTitle, findingsIn, findingsInFrench } from './phrases.ts'
import { faultOf, subjectsSince } from './subjects.ts'
import { textsOfDocument, textsOfHashes, textsOfSource, textsOfSql, textsOfStyles } from './texts.ts'

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
    ['A queue that takes\nin more', ['takes in']],
    ['what is kept is what counts', ['what is kept is what counts']],
    ['The rest (who asks waits) is queued.', ['(who asks waits) is queued']],
    ['## What managers change', ['## What managers change']],
    ['- **what counts**', ['- **what counts**']],
    ['| row | what the row is for |', ['| what the row is for ']],
    ['Where it goes is stored.', ['Where it goes is']],
    ['That it works is enough.', ['That it works is']],
    ['Whether the sale counts is what the lane stores.', ['Whether the sale counts is what']],
    ['It is what it is.', ['is what it is']],
    ['The lane calls it a day, whereby the queue ends.', ['calls it a day', 'whereby']],
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
    'Sends the facts in turn; by hand, on the other hand, one by one.',
    'Reads a 16-bit word, and compares word by word: word count and word order.',
    'The drawer door is open.',
    'personal care and health care',
    'The amount lies between both limits.',
    'a standing order of a person who is coming of age',
    'What changed: the price. Who: the manager.',
    'What’s new in this version',
    'Whether the key is stored; how it was read.',
    'the action of the installer: what to do',
  ])('accepts the text %j', (text) => {
    expect(found(text)).toEqual([])
  })
})

describe('the list of phrases that no French text may use', () => {
  test.each([
    ['La sale est stale.', ['sale', 'stale']],
    ['Le montant is payé with des milles.', ['is', 'with']],
    ['Personne ne l’entend.', ['Personne ne l’entend']],
    ['Envoie ce qui est dit, pis attend.', ['ce qui est dit', 'pis']],
    ['Ce truc ne fonctionne pantoute.', ['truc', 'pantoute']],
  ])('rejects the text %j', (text, expected) => {
    expect(findingsInFrench(text).map((finding) => finding.found)).toEqual(expected)
  })

  test.each([
    'Mouvement noté : {sale, plural, one {# vente} other {# ventes}}.',
    'Donnez --from ADRESSE ou lancez `milepost till`.',
    'On voit que l’offre est dans le magasin.',
  ])('accepts the text %j', (text) => {
    expect(findingsInFrench(text)).toEqual([])
  })
})

test.each(['works', '1', 'handles edge cases correctly'])('the title %j of a test is rejected', (title) => {
  expect(emptyTitle(title)).not.toBeNull()
  expect(emptyTitle('works in one sale together with miles')).toBeNull()
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
bench.scan('80000000011')
throw new Error('The lane AND the server told it.')
const found = database.prepare('SELECT told FROM sale WHERE told = 0')
export const short = 'Nobody'
export const screen = <p>Nobody asked.</p>
`
    expect(textsOfSource('some.tsx', source)).toEqual([
      { line: 2, kind: 'comment', text: 'One comment\nover two lines.' },
      { line: 4, kind: 'comment', text: 'A docstring.' },
      { line: 5, kind: 'message', text: 'The printer is out of paper.' },
      { line: 7, kind: 'title', text: 'a title of #' },
      { line: 8, kind: 'group', text: 'a group' },
      { line: 10, kind: 'message', text: 'The lane AND the server told it.' },
      { line: 12, kind: 'message', text: 'Nobody' },
      { line: 13, kind: 'message', text: 'Nobody asked.' },
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

  test('are whole paragraphs of a document, with each heading, list item and row as a text of its own', () => {
    expect(
      textsOfDocument('# Title\nA queue that takes\nin more\n- one\n  item\n- two').map(({ text }) => text),
    ).toEqual(['# Title', 'A queue that takes\nin more', '- one\n  item', '- two'])
  })

  test('are the comments of YAML and of shell scripts, not the values', () => {
    expect(textsOfHashes('#!/bin/sh\n# why\nkey: "a # b" # a reason\nurl: a#b\n')).toEqual([
      { line: 2, kind: 'comment', text: 'why\na reason' },
    ])
  })
})

describe('the rule for commit subjects', () => {
  test.each([
    'feat(catalog): price by weight',
    'fix: retry pushes whose response cannot be parsed',
    'refactor(store)!: replace the reservation protocol',
    'test: PostgreSQL 18 in the store tests',
    'docs: PDF files of the quick card',
  ])('accepts the subject %j', (subject) => {
    expect(faultOf(subject)).toBeNull()
  })

  test.each([
    ['Merge branch lang-core', 'is a merge commit: rebase or squash'],
    ['add a page', 'does not have the form "type(scope): imperative summary"'],
    ['feat(catalog): Price by weight.', 'starts with a capital or ends with a full stop'],
    [`feat(catalog): ${'x'.repeat(70)}`, 'has more than 71 characters'],
    ['feat(store): tell nobody of it', 'contains "tell"'],
    ['feat(store): what is stored counts', 'contains "what is stored counts"'],
    ['feat(store): A page of lanes', 'starts with a capital or ends with a full stop'],
    ['feat(store): add a page!', 'ends with punctuation'],
    ['feat(store): add a page…', 'ends with punctuation'],
    ['feat(store): add a page。', 'ends with punctuation'],
    ['feat(store): add  a page', 'has double or trailing spaces'],
    ['feat(store): add a page ', 'has double or trailing spaces'],
    ['feat(store): added a page', 'does not begin with a verb in the imperative'],
    ['feat(store): adding a page', 'does not begin with a verb in the imperative'],
    ['fix(store): fixes the page', 'does not begin with a verb in the imperative'],
    ['fix(store): wip', 'does not state the change'],
    ['fix(store): fix stuff', 'does not state the change'],
    ['fix: x', 'does not state the change'],
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
