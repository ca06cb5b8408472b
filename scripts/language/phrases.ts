export interface Phrase {
  readonly pattern: RegExp
  readonly instead: string
  readonly except?: RegExp
}

const words = (forms: string, instead: string, except: readonly string[] = []): Phrase => ({
  pattern: new RegExp(`(?<![\\w-])(?:${forms})(?![\\w-])`, 'giu'),
  instead,
  ...(except.length === 0 ? {} : { except: new RegExp(except.join('|'), 'iu') }),
})

const ACTOR = 'the actor: caller, client, server, worker, lane, cashier, request, row'

export const PHRASES: readonly Phrase[] = [
  words("nobody|nobody[’']s|somebody|somebody[’']s|anybody|anybody[’']s|everybody|everybody[’']s", ACTOR),
  words('whoever|whomever|whosoever|whom', ACTOR),
  words('whatever|whichever|wherever|whenever|whence|whither', 'any, each, every, all … that'),
  words('nowhere|somewhere', 'the place, or "not … anywhere"'),
  words('tell|tells|told|telling|untold', 'send, report, publish, notify, show, return', ['told: ']),
  words('say|says|said|saying', 'return, report, show, state, contain, print'),
  words('hear|hears|heard|hearing|unheard', 'receive'),
  words('speak|speaks|spoke|spoken|speaking', 'use (a protocol), send, announce'),
  words('stand|stands|stood|standing', 'is, exists, is stored, remains, holds'),
  words('lie|lies|lay|lays|laid|lying', 'is, is stored, put, place, arrange'),
  words('away', 'offline, unavailable, absent, removed', ['away: ']),
  words('beside|besides', 'next to, in addition to, in a worker, in the background'),
  words('anew', 'again, from the start'),
  words('turn|turns|turned|turning', 'order, lock, queue position, convert, become', [
    'turn(s|ed|ing)? (it |them )?(on|off)',
  ]),
  words('word|words', 'message, result, confirmation, text', [
    'reserved words?',
    'words? lists?',
    '\\d words',
    'words? of a (name|text)',
  ]),
  words('care|cares|cared', 'handle, check, need'),
  words('door|doors', 'endpoint, entry point, check'),
  words('hand|hands|handed|handing', 'pass, give, return; manually', ['cheques on hand', 'hand: ']),
  words('aside', 'rename, move, save', ['aside (settle|lists)', '(store|use|of) aside']),
  words('meanwhile', 'in the meantime, while …, until then'),
  words('twain|thereof|therein|thereby|herein|hereby|hence|thus|lest|ere|albeit|anon|forsooth', 'a plain connective'),
  words('nought|aught|naught', 'nothing, zero'),
  { pattern: /\bhours? of need\b/giu, instead: 'outage' },
  { pattern: /\b(?:take|takes|took|taken|taking) in\b/giu, instead: 'accept, import, receive' },
  { pattern: /\b(?:go|goes|went|gone|going) on\b/giu, instead: 'continue' },
  { pattern: /\b(?:come|comes|came|coming) (?:of|to nothing|to be|to pass)\b/giu, instead: 'result, cause, fail' },
  { pattern: /\b(?:give|gives|gave|given|giving) way\b/giu, instead: 'yield, stop, fail' },
  { pattern: /\b(?:is|are|was|were|has|have|had) (?:to be had|none)\b/giu, instead: 'does not exist, there is no …' },
  { pattern: /\b(?:as|than) it was to\b|\b(?:is|are|was|were) to come\b/giu, instead: 'should, future' },
  { pattern: /\bthe one (?:that|which|who) is\b/giu, instead: 'the noun itself' },
  {
    pattern: /\b(?:so|as) it stays\b|\bnever (?:is|are|was|does|do|did|has|have) (?:a|an|the)\b/giu,
    instead: 'a sentence in plain order',
  },
]

/** A sentence that begins with a clause of "what" or "who" hides its subject; a question is fine. */
const HEADLESS = /(?:^|[.!:;]\s+|—\s*)(?:What|Who|Whose|Of what|Where what|How what|That which)\b[^?.!]*(?:[.!]|$)/gu

export interface Finding {
  readonly at: number
  readonly found: string
  readonly instead: string
}

/** Finds every rejected word and pattern of one text, in the order of the text. Code in backticks is ignored. */
export function findingsIn(prose: string): Finding[] {
  const text = prose.replaceAll(/`[^`\n]*`/gu, (code) => '`'.repeat(code.length))
  const findings: Finding[] = []
  for (const { pattern, instead, except } of PHRASES)
    for (const match of text.matchAll(pattern)) {
      const around = text.slice(Math.max(0, match.index - 16), match.index + match[0].length + 16)
      if (except === undefined || !except.test(around)) findings.push({ at: match.index, found: match[0], instead })
    }
  for (const match of text.matchAll(HEADLESS))
    findings.push({ at: match.index, found: match[0].slice(0, 40), instead: 'a sentence with a subject' })
  return findings.toSorted((one, other) => one.at - other.at)
}
