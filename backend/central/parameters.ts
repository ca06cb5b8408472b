type Value = string | number | boolean | readonly string[] | undefined

/** A query as these services read it: a list by commas (specification 1 §4.2); nothing, and an empty list, left out. */
export function parametersOf(named: Readonly<Record<string, Value>>): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(named)) {
    const text = typeof value === 'object' ? value.join(',') : String(value ?? '')
    if (text !== '') parameters.set(name, text)
  }
  return parameters
}
