/** What a service answers to a call, before it is bytes. */
export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  /**
   * True: a retry under the same key hears these bytes again. False: nothing happened that could be doubled, a retry is
   * tried anew.
   */
  readonly final: boolean
  /**
   * Takes the effect back when the answer could not be returned (specification 3 §4.5 rule 6). Runs in a transaction.
   */
  readonly cancel?: () => void
}

/** One way in which a request breaks the specification: where, and what was expected. */
export interface Flaw {
  readonly path: string
  readonly message: string
}

/** Drops what is null, undefined or an empty list. */
export function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  ) as Present<Fields>
}

type MayBeMissing<Value> = null extends Value ? true : undefined extends Value ? true : false
/** What may be null or undefined may be missing. A list is taken to have something in it. */
export type Present<Fields> = {
  [Name in keyof Fields as MayBeMissing<Fields[Name]> extends true ? never : Name]: Fields[Name]
} & {
  [Name in keyof Fields as MayBeMissing<Fields[Name]> extends true ? Name : never]?: Exclude<
    Fields[Name],
    null | undefined
  >
}

/**
 * What a body says without its null and empty elements, at any depth (specifications 2 §1, 3 §1). Zero and false are
 * neither. Undefined when nothing is left.
 */
export function withoutEmpty(value: unknown): unknown {
  if (value === null || value === undefined || value === '') return undefined
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) {
    const kept = value.map(withoutEmpty).filter((element) => element !== undefined)
    return kept.length > 0 ? kept : undefined
  }
  const kept = Object.entries(value)
    .map(([name, part]) => [name, withoutEmpty(part)] as const)
    .filter(([, part]) => part !== undefined)
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}
