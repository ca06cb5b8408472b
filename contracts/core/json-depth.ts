/**
 * Maximum nesting of JSON: deeper than any message of the program, and far below the depth at which recursive functions
 * overflow the stack.
 */
export const MAX_JSON_LEVELS = 64

const [QUOTE, BACKSLASH, ARRAY, OBJECT, ARRAY_END, OBJECT_END] = [0x22, 0x5c, 0x5b, 0x7b, 0x5d, 0x7d]

/**
 * Reports whether JSON text nests arrays and objects deeper than `MAX_JSON_LEVELS`. `JSON.parse` reads any depth, but
 * recursive functions (schemas, `JSON.stringify`) overflow the stack.
 */
export function nestsTooDeep(json: string): boolean {
  let level = 0
  let isText = false
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index)
    if (isText) {
      if (code === BACKSLASH) index += 1
      else if (code === QUOTE) isText = false
    } else if (code === QUOTE) isText = true
    else if (code === ARRAY || code === OBJECT) {
      level += 1
      if (level > MAX_JSON_LEVELS) return true
    } else if (code === ARRAY_END || code === OBJECT_END) level -= 1
  }
  return false
}
