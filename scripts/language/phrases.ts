export interface Phrase {
  readonly pattern: RegExp
  readonly instead: string
  readonly except?: RegExp
}

const words = (forms: string, instead: string, except: readonly string[] = []): Phrase => ({
  pattern: new RegExp(`(?<![\\p{L}\\d_-])(?:${forms})(?![\\p{L}\\d_-])`, 'giu'),
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
  words('stand|stands|stood|standing', 'is, exists, is stored, remains, holds', ['standing orders?']),
  words('lie|lies|lay|lays|laid|lying', 'is, is stored, put, place, arrange', ['(lie|lies|lay) between']),
  words('away', 'offline, unavailable, absent, removed', ['away: ']),
  words('beside|besides', 'next to, in addition to, in a worker, in the background'),
  words('anew', 'again, from the start'),
  words('turn|turns|turned|turning', 'order, lock, queue position, convert, become', [
    'turn(s|ed|ing)? (it |them )?(on|off)',
    'in turn',
  ]),
  words('word|words', 'message, result, confirmation, text', [
    'reserved words?',
    'words? lists?',
    '\\d words',
    'words? of a (name|text)',
    '\\d-bit words?',
    'word (by word|count|order)',
  ]),
  words('care|cares|cared', 'handle, check, need', ['(personal|health|oral) care']),
  words('door|doors', 'endpoint, entry point, check', ['drawer doors?']),
  words('hand|hands|handed|handing', 'pass, give, return; manually', [
    'cheques on hand',
    'hand: ',
    '(by|on the (one|other)) hand',
    'hand tools',
  ]),
  words('aside', 'rename, move, save', ['aside (settle|lists)', '(store|use|of) aside']),
  words('meanwhile', 'in the meantime, while …, until then'),
  words('twain|thereof|therein|thereby|herein|hereby|hence|thus|lest|ere|albeit|anon|forsooth', 'a plain connective'),
  words('henceforth|whereby|wherein|whereupon|whereof|hereafter|wherefore|heretofore|hitherto', 'a plain connective'),
  words('nought|aught|naught', 'nothing, zero'),
  { pattern: /\bhours? of need\b/giu, instead: 'outage' },
  { pattern: /\b(?:take|takes|took|taken|taking) in\b/giu, instead: 'accept, import, receive' },
  { pattern: /\b(?:go|goes|went|gone|going) on\b/giu, instead: 'continue' },
  {
    pattern: /\b(?:come|comes|came|coming) (?:of(?! age)|to nothing|to be|to pass)\b/giu,
    instead: 'result, cause, fail',
  },
  { pattern: /\b(?:give|gives|gave|given|giving) way\b/giu, instead: 'yield, stop, fail' },
  { pattern: /\b(?:is|are|was|were|has|have|had) (?:to be had|none)\b/giu, instead: 'does not exist, there is no …' },
  { pattern: /\b(?:as|than) it was to\b|\b(?:is|are|was|were) to come\b/giu, instead: 'should, future' },
  { pattern: /\bthe one (?:that|which|who) is\b/giu, instead: 'the noun itself' },
  {
    pattern: /(?:^|[.!:;]\s+|—\s*)(?:where|how|why|when|whether|that) (?:it|they) [\w-]+ (?:is|are|was|were)\b/giu,
    instead: 'a sentence with a subject',
  },
  {
    pattern: /\b(?:is|are|was|were) what (?:it|they) (?:is|are|was|were)\b|\bwhether\b[^.?!]* (?:is|are) what\b/giu,
    instead: 'the fact itself',
  },
  words(
    'kick\\w* the can|belt and braces|(?:bite|bites|bit|biting) the bullet|calls? it a day|under the hood|last legs',
    'the literal meaning',
  ),
  words('for good measure', 'the literal meaning'),
  {
    pattern: /\b(?:so|as) it stays\b|\bnever (?:is|are|was|does|do|did|has|have) (?:a|an|the)\b/giu,
    instead: 'a sentence in plain order',
  },
]

/** French texts contain no English function word, and no headless or colloquial phrase. */
export const FRENCH_PHRASES: readonly Phrase[] = [
  words('the|is|are|was|were|be|been|has|have|had|will|must|with|of|for|from|by|and|not', 'le mot français', [
    'Findings for the',
  ]),
  words('this|that|these|those|which|its|your', 'le mot français'),
  words('sale|sales|stale|till|cashier|drawer', 'vente, périmé, caisse, tiroir'),
  words('pis|truc|trucs|pantoute|ben|ouais|icitte|tantôt|patente|checker|canceller', 'un terme standard'),
  words("personne ne (?:l[’']entend|le sait|le dit)", 'le sujet : caissier, caisse, serveur'),
  words("(?:ce qui|ce que l[’']on|ce qu[’']on) (?:est dit|dit|entend)", 'le nom de la chose'),
]

/**
 * A sentence that begins with a clause of "what" or "who" hides its subject. Questions and labels ("What changed: …")
 * are fine.
 */
const HEADLESS = new RegExp(
  String.raw`(?:^|[.!:;]\s+|—\s*)(?:What|Who|Whose|Of what|Where what|How what|That which)\b` +
    String.raw`(?!$|[’']s new\b|(?: \w+)?:)[^?.!]*(?:[.!]|$)`,
  'gu',
)
/**
 * Finds such a clause in lower case, at the start of a title, heading, list item, table cell, bold text, quotation or
 * bracket.
 */
const HEADLESS_AT_START =
  /(?:^(?:[#>*+\s-]|\d+\.)*|[(|"“‘«]\s*|\*\*)(?:what|who|whose)\s+(?!to\b|\w+:)(?![^.!|]*\?)\w[^.!|]*/giu

export interface Finding {
  readonly at: number
  readonly found: string
  readonly instead: string
}

const readable = (prose: string): string =>
  prose.replaceAll(/`[^`\n]*`/gu, (code) => '`'.repeat(code.length)).replaceAll('\n', ' ')

const inOrder = (findings: readonly Finding[]): Finding[] => findings.toSorted((one, other) => one.at - other.at)

function matchesOf(phrases: readonly Phrase[], text: string): Finding[] {
  return phrases.flatMap(({ pattern, instead, except }) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const around = text.slice(Math.max(0, match.index - 16), match.index + match[0].length + 16)
      return except?.test(around) === true ? [] : [{ at: match.index, found: match[0], instead }]
    }),
  )
}

/** Finds every rejected word and pattern of one text, in the order of the text. Code in backticks is ignored. */
export function findingsIn(prose: string): Finding[] {
  const text = readable(prose)
  const headless = new Map<number, Finding>()
  for (const match of [...text.matchAll(HEADLESS), ...text.matchAll(HEADLESS_AT_START)])
    if (!headless.has(match.index))
      headless.set(match.index, { at: match.index, found: match[0].slice(0, 40), instead: 'a sentence with a subject' })
  return inOrder([...matchesOf(PHRASES, text), ...headless.values()])
}

/** Finds rejected words of a French text. Names of placeholders and options of commands are ignored. */
export const findingsInFrench = (prose: string): Finding[] => {
  const text = readable(prose).replaceAll(/\{\w+|--[\w-]+/gu, (name) => '-'.repeat(name.length))
  return inOrder(matchesOf(FRENCH_PHRASES, text))
}

/** Why the title of a test states no behaviour; null if it does. */
export const emptyTitle = (title: string): string | null =>
  /^\S*$|^(?:\S+ ){0,4}(?:works|correctly|properly|as expected|edge cases|fine)\W*$/iu.test(title)
    ? 'a sentence about the behaviour'
    : null
