/** SQL without comments and with one space for all white space between tokens. */
export const statementsOf = (sql: string): string =>
  sql
    .replaceAll(/('(?:[^']|'')*'|"[^"]*")|(?:--[^\n]*|\s)+/gu, (_, literal: string | undefined) => literal ?? ' ')
    .trim()
