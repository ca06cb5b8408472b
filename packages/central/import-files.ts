import { z } from 'zod'
import { CollectorNumber } from '../../contracts/core/ids.ts'
import { Region } from '../../contracts/core/regions.ts'
import { isKnownZone } from './clock.ts'
import { EarningRule } from './issuance/earning.ts'
import { OfferQuery } from './offers/query.ts'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { LineCounter, isNode, parseDocument } from 'yaml'

/** Formats of the files to import, documented in docs/reference-services.md. */
const code = z.string().min(1).max(64)
const miles = z.int().min(0).max(1_000_000_000)
const switchAnswer = z.enum(['0008', '0092', '0096'])
const localDateTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/, 'YYYY-MM-DDTHH:MM:SS without a zone is expected')
  .refine((text) => {
    const read = new Date(`${text}Z`)
    return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(text)
  }, 'is not a valid date and time')

const SponsorEntry = z.strictObject({
  code,
  nameEn: code,
  nameFr: code,
  state: z.enum(['active', 'expired']).default('active'),
  locationRequired: z.boolean().default(false),
  switchAnswer: switchAnswer.optional(),
})
const LocationEntry = z.strictObject({
  sponsorCode: code,
  code: z.string().regex(/^[A-Za-z0-9]{1,4}$/, 'at most 4 letters and digits'),
  storeId: code.optional(),
  region: Region,
  timeZone: z.string().refine(isKnownZone, 'is not a time zone such as America/Toronto'),
  description: z.string().min(1),
  active: z.boolean().default(true),
})
const RedemptionOfferEntry = z.strictObject({
  id: code,
  type: z.enum(['RGL', 'SPL']),
  unitMiles: z.int().min(1),
  unitCents: z.int().min(1),
  dailyUnitLimit: z.int().min(1),
  descEn: z.string().min(1),
  descFr: z.string().min(1),
})
const CollectorEntry = z.strictObject({
  number: CollectorNumber,
  cash: miles.default(0),
  dream: miles.default(0),
  state: z.enum(['active', 'closed', 'deleted']).default('active'),
  balancesSuppressed: z.boolean().default(false),
  redemptionAllowed: z.boolean().default(true),
  offerAvailable: z.boolean().default(true),
  redemptionOfferId: code.default('RGL-95'),
  cashSharePercent: z.int().min(0).max(100).default(50),
  redeemedElsewhereCents: z.int().min(0).default(0),
  issuanceDelayed: z.boolean().default(false),
  switchAnswer: switchAnswer.optional(),
  pin: z
    .string()
    .regex(/^\d{4,8}$/, 'four to eight digits, quoted')
    .default('2468'),
  preferences: z.array(z.uuid()).default([]),
})
const IssuanceOfferEntry = z
  .strictObject({
    sponsorCode: code,
    code,
    offerId: code,
    descriptionEn: z.string().min(1),
    descriptionFr: z.string().min(1),
    rule: EarningRule,
    validFrom: z.iso.datetime({ offset: true }).default('2000-01-01T00:00:00Z'),
    validTo: z.iso.datetime({ offset: true }).default('2100-01-01T00:00:00Z'),
    unitMiles: z.int().min(1).optional(),
    maxMiles: z.int().min(1).optional(),
  })
  .refine((one) => Date.parse(one.validTo) > Date.parse(one.validFrom), {
    path: ['validTo'],
    message: 'is not after validFrom',
  })
/** The parameters bound to an X-Origin-Client must be a valid query of GET /offers. */
function checkParameters(parameters: Readonly<Record<string, string>>, context: z.core.$RefinementCtx): void {
  for (const { path, message } of OfferQuery.partial().safeParse(parameters).error?.issues ?? [])
    context.addIssue({ code: 'custom', path: [...path], message, input: parameters })
}
const FeedEntry = z.strictObject({
  originClient: z
    .string()
    .regex(/^(internal|external):[^:\s]+:[^:\s]+$/, '<internal or external>:<channel>:<client> is expected'),
  parameters: z.record(z.string(), z.string()).superRefine(checkParameters),
})

const Copy = z.strictObject({
  awardShort: z.string().min(1),
  qualifierShort: z.string().min(1),
  description: z.string().default(''),
  legalText: z.string().default(''),
  categoryLabel: z.string().min(1),
  subCategoryLabel: z.string().nullable().default(null),
  promotionLabel: z.string().nullable().default(null),
  mechanismLabel: z.string().nullable().default(null),
  ctaLabel: z.string().nullable().default(null),
  tiers: z.array(z.strictObject({ awardLong: z.string().min(1), qualifierLong: z.string().min(1) })).default([]),
})
const OfferEntry = z
  .strictObject({
    id: z.uuid(),
    partnerId: z.uuid(),
    partnerLabel: z.string().min(1),
    partnerSlug: z.string().regex(/^[a-z0-9-]+$/),
    partnerPriority: z.int().min(1).default(1),
    categoryId: z.uuid(),
    subCategoryId: z.uuid().nullable().default(null),
    promotionId: z.uuid().nullable().default(null),
    type: z.enum(['buy', 'spend']),
    programType: z.enum(['traditionalcore', 'cardlinked', 'loyaltyshops', 'bankpreapp']),
    availability: z.array(z.enum(['online', 'in-store'])).min(1),
    regions: z.array(Region).min(1),
    popularity: z.partialRecord(Region, z.number()).default({}),
    experiment: z.string().nullable().default(null),
    cardTypes: z.array(z.string()).default([]),
    displayDate: localDateTime,
    startDate: localDateTime,
    endDate: localDateTime,
    massOffer: z.boolean().default(true),
    eligible: z.array(CollectorNumber).default([]),
    eventBasedOffer: z.boolean().default(false),
    displayPriority: z.int().min(1).default(1),
    tiers: z.array(z.strictObject({ awardValue: z.number().optional(), qualifierValue: z.number().optional() })).min(1),
    mechanism: z.strictObject({
      type: z.enum(['button', 'couponCode', 'noAction', 'optIn']),
      value: z.string().nullable().default(null),
    }),
    copy: z.strictObject({ 'en-US': Copy, 'fr-CA': Copy }),
  })
  .superRefine((offer, context) => {
    for (const start of ['displayDate', 'startDate'] as const) {
      if (offer.endDate <= offer[start])
        context.addIssue({ code: 'custom', path: ['endDate'], message: `is not after ${start}`, input: offer.endDate })
    }
    // If neither language has tier texts, every tier uses the short texts of the offer.
    if (offer.copy['en-US'].tiers.length + offer.copy['fr-CA'].tiers.length === 0) return
    for (const language of ['en-US', 'fr-CA'] as const) {
      const { tiers } = offer.copy[language]
      if (tiers.length !== offer.tiers.length) {
        context.addIssue({
          code: 'custom',
          path: ['copy', language, 'tiers'],
          message: `${offer.tiers.length} expected, one for each tier; ${tiers.length} found`,
          input: tiers,
        })
      }
    }
  })

export const IMPORT_FILES = {
  sponsors: z.array(SponsorEntry),
  locations: z.array(LocationEntry),
  'redemption-offers': z.array(RedemptionOfferEntry),
  collectors: z.array(CollectorEntry),
  'issuance-offers': z.array(IssuanceOfferEntry),
  offers: z.array(OfferEntry),
  feeds: z.array(FeedEntry),
} as const
export type ImportName = keyof typeof IMPORT_FILES
export const IMPORT_KEYS = {
  sponsors: ['code'],
  locations: ['sponsorCode', 'code'],
  'redemption-offers': ['id'],
  collectors: ['number'],
  'issuance-offers': ['sponsorCode', 'code'],
  offers: ['id'],
  feeds: ['originClient'],
} as const satisfies Record<ImportName, readonly string[]>
export type ImportData = { readonly [Name in ImportName]?: z.infer<(typeof IMPORT_FILES)[Name]> }

/** Each problem names its file and line, e.g. `collectors.yaml:12: 0.cash: …`. */
export class ImportError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`the data cannot be imported:\n  ${problems.join('\n  ')}`)
    this.name = 'ImportError'
    this.problems = problems
  }
}

export interface Read {
  readonly data: ImportData
  readonly placeOf: (name: ImportName, index: number, field?: string) => string
}

const ENDINGS = ['.yaml', '.yml', '.json'] as const

/** Reads the files `<name>.yaml`, `.yml` or `.json` of a folder, at least one. Throws ImportError. */
export function readImport(folder: string): Read {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new ImportError([`${folder}: is not a folder`])
  const problems: string[] = []
  const data: Record<string, unknown> = {}
  const places = new Map<ImportName, (path: readonly PropertyKey[]) => string>()
  const known = new Set<string>()
  for (const name of Object.keys(IMPORT_FILES) as ImportName[]) {
    const files = ENDINGS.map((ending) => `${name}${ending}`).filter((file) => existsSync(join(folder, file)))
    const [file, second] = files
    if (file === undefined) continue
    if (second !== undefined) problems.push(`${second}: duplicates ${file}; delete one of them`)
    for (const one of files) known.add(one)
    const { value, lineOf, broken } = readFile(join(folder, file))
    const place = (path: readonly PropertyKey[]): string => `${file}:${lineOf(path)}`
    places.set(name, place)
    if (broken.length > 0) {
      problems.push(...broken.map(({ line, message }) => `${file}:${line}: ${message}`))
      continue
    }
    const parsed = IMPORT_FILES[name].safeParse(value)
    if (parsed.success) {
      data[name] = parsed.data
      problems.push(
        ...repeated(name, parsed.data).map(
          ({ index, first, key }) =>
            `${place([index])}: ${index}: ${key} is already on line ${lineOf([first])}; delete one of them`,
        ),
      )
    } else
      problems.push(
        ...parsed.error.issues.map(
          (issue) =>
            `${place(issue.path)}: ` +
            `${issue.path.length > 0 ? `${issue.path.map(String).join('.')}: ` : ''}${issue.message}`,
        ),
      )
  }
  for (const file of readdirSync(folder)) {
    if (!known.has(file) && ENDINGS.some((ending) => file.endsWith(ending)))
      problems.push(`${file}: unknown name; expected ${Object.keys(IMPORT_FILES).join(', ')}`)
  }
  if (known.size === 0 && problems.length === 0)
    problems.push(
      `${folder}: contains none of ${Object.keys(IMPORT_FILES)
        .map((name) => `${name}.yaml`)
        .join(', ')}`,
    )
  if (problems.length > 0) throw new ImportError(problems)
  return {
    data: data as ImportData,
    placeOf: (name, index, field) => places.get(name)?.(field === undefined ? [index] : [index, field]) ?? name,
  }
}

function repeated(name: ImportName, entries: readonly object[]): { index: number; first: number; key: string }[] {
  const seen = new Map<string, number>()
  return entries.flatMap((entry, index) => {
    const fields: Readonly<Record<string, unknown>> = { ...entry }
    // Ids are hexadecimal, so they are compared without case.
    const key = IMPORT_KEYS[name]
      .map((field) => (name === 'offers' ? String(fields[field]).toLowerCase() : String(fields[field])))
      .join(' ')
    const first = seen.get(key)
    if (first === undefined) seen.set(key, index)
    return first === undefined ? [] : [{ index, first, key }]
  })
}

interface ReadFile {
  readonly value: unknown
  readonly lineOf: (path: readonly PropertyKey[]) => number
  readonly broken: readonly { readonly line: number; readonly message: string }[]
}

function readFile(path: string): ReadFile {
  const counter = new LineCounter()
  const document = parseDocument(readFileSync(path, 'utf8'), { lineCounter: counter, prettyErrors: false })
  const broken = document.errors.map((error) => ({ line: counter.linePos(error.pos[0]).line, message: error.message }))
  const lineOf = (wanted: readonly PropertyKey[]): number => {
    for (let length = wanted.length; length >= 0; length -= 1) {
      const node: unknown = document.getIn(wanted.slice(0, length), true)
      if (isNode(node) && node.range) return counter.linePos(node.range[0]).line
    }
    return 1
  }
  return { value: broken.length > 0 ? undefined : (document.toJS() as unknown), lineOf, broken }
}
