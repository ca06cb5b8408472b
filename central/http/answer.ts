/** What a service answers to a call, before it is bytes. */
export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  /** True: a retry under the same key hears these bytes again. False: nothing happened that could be doubled, a retry is tried anew. */
  readonly final: boolean
  /** Takes the effect back when the answer could not be returned (specification 3 §4.5 rule 6). Runs in a transaction. */
  readonly cancel?: () => void
}

/** One way in which a request breaks the specification: where, and what was expected. */
export interface Flaw { readonly path: string, readonly message: string }

/** Drops what is null, undefined or an empty list: such elements are left out of bodies (specification 3 §1). */
export function present(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) =>
    value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)))
}
