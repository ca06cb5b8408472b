export const statementsOf = (sql: string): string =>
  sql
    .replaceAll(/('(?:[^']|'')*'|"[^"]*")|(?:--[^\n]*|\s)+/gu, (_, literal: string | undefined) => literal ?? ' ')
    .trim()
