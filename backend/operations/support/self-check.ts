import { z } from 'zod'
import { SUPPORT_SECTIONS, type SupportSection } from '../../../contracts/operations/support-values.ts'
import { holdsCardNumber } from '../../../contracts/core/card-numbers.ts'
import { SupportFile } from '../../../contracts/operations/support.ts'
import type { HeldValue } from './log-lines.ts'

/**
 * The last look at a support file before anybody gets it: whatever looks like a secret, or is one that the lane holds,
 * keeps the whole file back. It trusts nothing that came before it.
 */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const COLLECTOR = /(?<!\d)8(?:[ -]?\d){10}(?!\d)/
const TOKEN = /eyJ[\w-]{6,}\.[\w-]*|(?<![\w])Bearer\s+\S/i
const NAMED_SECRET = /\b(pin|nip|pass(word|phrase)?|secret|token|authorization|mot de passe)\b["']?\s*[:=]\s*\S/i
const HEX = /[0-9a-f]{24,}/i
const BASE64 = /[A-Za-z0-9+/_-]{20,}/g
const HOME = /(\/home\/|\/Users\/|\/root\b|[A-Z]:\\|file:\/\/)/
const ADDRESS_WITH_QUERY = /\?[\w.-]+=/

const isMixed = (run: string): boolean => /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run)

/** Whether a text could be, or hold, what must not leave the store. */
export const looksSecret = (text: string): boolean =>
  COLLECTOR.test(text) ||
  holdsCardNumber(text) ||
  TOKEN.test(text) ||
  NAMED_SECRET.test(text) ||
  HEX.test(text) ||
  [...text.matchAll(BASE64)].some(([run]) => isMixed(run)) ||
  HOME.test(text) ||
  ADDRESS_WITH_QUERY.test(text)

/** The program's own words: values of the lists that the contract declares, and the names of its fields. */
const ownWords = onlyOnce((): ReadonlySet<string> => new Set(wordsIn(z.toJSONSchema(SupportFile))))

function onlyOnce<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null
  return () => (made ??= { value: make() }).value
}

function wordsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === 'enum' ? z.array(z.unknown()).parse(value).map(String) : wordsIn(value)),
    ...(key === 'properties' ? Object.keys(z.looseObject({}).parse(value)) : []),
  ])
}

/** All texts of a value, with the names of its fields. Numbers are shorter than those of cards, by the contract. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, part]) => [...(Array.isArray(value) ? [] : [name]), ...textsIn(part)])
  return typeof value === 'string' ? [value] : []
}

const isId = (text: string): boolean => UUID.test(text) || INSTANT.test(text)

/** A number is somewhere in every longer one, and in most ids: it is found where it stands by itself. */
const holds = (text: string, value: string): boolean =>
  /^\d+$/.test(value) ? !isId(text) && text.split(/\D+/).includes(value) : text.includes(value)

/**
 * The section in which something was found that must not leave the store; null: nothing was. `known`: facts of the lane
 * that the file is meant to say (its store, its version) and that the environment may say too.
 */
export function sectionWithSecret(
  file: SupportFile,
  held: readonly HeldValue[],
  known: ReadonlySet<string>,
): SupportSection | null {
  const own = ownWords()
  const secrets = held.filter(({ kind }) => kind === 'secret')
  const others = held.filter(({ value, kind }) => kind === 'plain' && !known.has(value))
  const found = SUPPORT_SECTIONS.find((section) => {
    const texts = textsIn(file[section])
    const free = texts.filter((text) => !own.has(text))
    return (
      texts.some((text) => !isId(text) && looksSecret(text)) ||
      free.some((text) => secrets.some(({ value }) => holds(text, value))) ||
      free.some((text) => !isId(text) && others.some(({ value }) => holds(text, value)))
    )
  })
  return found ?? null
}
