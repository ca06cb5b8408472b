import { z } from 'zod'
import { SUPPORT_SECTIONS, type SupportSection } from '../../../contracts/operations/support-values.ts'
import { holdsCardNumber } from '../../../contracts/core/card-numbers.ts'
import { LOG_FIELDS, type LogField, SupportFile } from '../../../contracts/operations/support.ts'
import type { HeldValue } from './log-lines.ts'

/**
 * Last check of a support file, independent of all earlier ones: a value that looks like a secret, or is one of the
 * lane's, refuses the whole file.
 */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const COLLECTOR = /(?<!\d)8(?:[ -]?\d){10}(?!\d)/
const TOKEN = /eyJ[\w-]{6,}\.[\w-]*|(?<![\w])Bearer\s+\S/i
const NAMED_SECRET = /\b(pin|nip|pass(word|phrase)?|secret|token|authorization|mot de passe)\b["']?\s*[:=]\s*\S/i
const HEX = /[0-9a-f]{24,}/i
const BASE64 = /[A-Za-z0-9+/_-]{20,}/g
const HOME = /(\/home\/|\/Users\/|\/root\b|[A-Z]:\\|file:\/\/)/
const ADDRESS_WITH_QUERY = /\?[\w.-]+=/

const isMixed = (run: string): boolean => /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run)

/** Whether a text could contain data that must not leave the store. */
export const looksSecret = (text: string): boolean =>
  COLLECTOR.test(text) ||
  holdsCardNumber(text) ||
  TOKEN.test(text) ||
  NAMED_SECRET.test(text) ||
  HEX.test(text) ||
  [...text.matchAll(BASE64)].some(([run]) => isMixed(run)) ||
  HOME.test(text) ||
  ADDRESS_WITH_QUERY.test(text)

/** Texts of the program itself: values of the contract's enums, and its field names. */
const ownTexts = onlyOnce((): ReadonlySet<string> => new Set(stringsIn(z.toJSONSchema(SupportFile))))

function onlyOnce<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null
  return () => (made ??= { value: make() }).value
}

function stringsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === 'enum' ? z.array(z.unknown()).parse(value).map(String) : stringsIn(value)),
    ...(key === 'properties' ? Object.keys(z.looseObject({}).parse(value)) : []),
  ])
}

interface Text {
  readonly text: string
  /** Whether the text is an id or an instant, which contains digits and letters by chance. */
  readonly isId: boolean
}

/** A trace id has the form of a hexadecimal key, so it is an id only in its own field. */
const TRACE: LogField = 'trace'
const isId = (text: string, field: string): boolean =>
  UUID.test(text) || INSTANT.test(text) || (field === TRACE && LOG_FIELDS[TRACE].safeParse(text).success)

/** Returns the names and values in a part of the file. `field`: the name of the part. */
function textsIn(value: unknown, field = ''): Text[] {
  if (Array.isArray(value)) return value.flatMap((part) => textsIn(part))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, part]) => [{ text: name, isId: false }, ...textsIn(part, name)])
  return typeof value === 'string' ? [{ text: value, isId: isId(value, field) }] : []
}

/** A short number is part of many longer ones and of most ids, so only a whole number counts. */
const holds = ({ text, isId }: Text, value: string): boolean =>
  /^\d+$/.test(value) ? !isId && text.split(/\D+/).includes(value) : text.includes(value)

/**
 * Returns the section that contains a value that must not leave the store, or null. `known`: values that the file
 * should contain (its store, its version), although the environment may contain them too.
 */
export function sectionWithSecret(
  file: SupportFile,
  held: readonly HeldValue[],
  known: ReadonlySet<string>,
): SupportSection | null {
  const own = ownTexts()
  const secrets = held.filter(({ kind }) => kind === 'secret')
  const others = held.filter(({ value, kind }) => kind === 'plain' && !known.has(value))
  const found = SUPPORT_SECTIONS.find((section) => {
    const texts = textsIn(file[section])
    const free = texts.filter(({ text }) => !own.has(text))
    return (
      texts.some(({ text, isId }) => !isId && looksSecret(text)) ||
      free.some((text) => secrets.some(({ value }) => holds(text, value))) ||
      free.some((text) => !text.isId && others.some(({ value }) => holds(text, value)))
    )
  })
  return found ?? null
}
