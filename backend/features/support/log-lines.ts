import { z } from 'zod'
import { LOG_FIELDS, LogFacts, type LogEntry, type LogField, type SupportFile } from '../../../contracts/api/support.ts'
import { LOG_MESSAGES } from '../../../contracts/log-messages.ts'
import { LOG_LEVELS } from '../../../contracts/support-values.ts'

/** So many entries of the log are taken over, the newest. */
const MOST_ENTRIES = 400
const WARN = 40
/** Written by the logger itself. */
const FRAME: ReadonlySet<string> = new Set(['level', 'time', 'msg'])

const Line = z.looseObject({ level: z.int(), time: z.iso.datetime(), msg: z.string().optional() })
type Line = z.infer<typeof Line>
const Thrown = z.looseObject({ type: z.unknown(), code: z.unknown() })

const MESSAGES = new Map<string, (typeof LOG_MESSAGES)[number]>(LOG_MESSAGES.map((message) => [message, message]))
/** The program's own message, as it stands in its sources: never the text of the log. */
const messageOf = (text: string | undefined): LogEntry['message'] =>
  text === undefined ? null : (MESSAGES.get(text) ?? MESSAGES.get(text.replaceAll(/\d+/g, '#')) ?? null)

const LEVELS = new Map<number, LogEntry['level']>(
  Object.entries(LOG_LEVELS).map(([number, level]) => [Number(number), level]),
)

const isField = (name: string): name is LogField => Object.hasOwn(LOG_FIELDS, name)

/** What may be said of one fact of a line; undefined: nothing. */
const factOf = (name: LogField, value: unknown): unknown => LOG_FIELDS[name].safeParse(value).data

/** The facts of a line that have their declared shape, and how many others it has. */
function factsOf(line: Line): { facts: LogFacts; dropped: number } {
  const facts: Record<string, unknown> = {}
  let dropped = 0
  const take = (name: string, value: unknown): void => {
    const fact = isField(name) ? factOf(name, value) : undefined
    if (fact === undefined) dropped += 1
    else facts[name] = fact
  }
  for (const [name, value] of Object.entries(line)) {
    if (FRAME.has(name)) continue
    const thrown = name === 'err' ? Thrown.safeParse(value).data : undefined
    if (!thrown) {
      take(name, value)
      continue
    }
    take('errorType', thrown.type)
    if (thrown.code !== undefined) take('errorCode', thrown.code)
    dropped += Object.keys(thrown).filter((part) => part !== 'type' && part !== 'code').length
  }
  return { facts: LogFacts.parse(facts), dropped }
}

type Counted = SupportFile['errors']['counts'][number]

/** Reads lines of the log, oldest first, and keeps of each only what is declared. */
export function createLogReading() {
  const entries: LogEntry[] = []
  const counts = new Map<string, Counted>()
  const log = { lines: 0, unreadable: 0, unknownMessages: 0, droppedFields: 0 }
  let since: string | null = null

  function count(level: LogEntry['level'], message: LogEntry['message'], lastAt: string): void {
    const key = `${level} ${message}`
    counts.set(key, { level, message, count: (counts.get(key)?.count ?? 0) + 1, lastAt })
  }

  return {
    take(text: string): void {
      log.lines += 1
      const line = lineOf(text)
      const level = line && LEVELS.get(line.level)
      if (!line || level === undefined) {
        log.unreadable += 1
        return
      }
      const message = messageOf(line.msg)
      if (message === null) log.unknownMessages += 1
      const { facts, dropped } = factsOf(line)
      log.droppedFields += dropped
      const at = new Date(line.time).toISOString()
      since ??= at
      if (line.level >= WARN) count(level, message, at)
      // What neither says anything nor warns of anything is counted, and no more.
      if (message === null && line.level < WARN) return
      entries.push({ at, level, message, ...facts })
      if (entries.length > MOST_ENTRIES) entries.shift()
    },
    end: (): Pick<SupportFile, 'log' | 'errors'> => ({
      log: { ...log, entries },
      errors: { since, counts: [...counts.values()].toSorted((one, other) => other.count - one.count) },
    }),
  }
}

function lineOf(text: string): Line | undefined {
  try {
    return Line.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
