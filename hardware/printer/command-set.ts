import type { PrinterLanguage } from '../../contracts/core/profile.ts'

/** Printer languages that share their commands for text, pictures and codes; they differ in how they answer. */
export type CommandSet = 'esc-pos' | 'star'

const COMMAND_SETS = {
  'esc-pos': 'esc-pos',
  'star-prnt': 'star',
  'star-line': 'star',
} as const satisfies Record<PrinterLanguage, CommandSet>

export const commandSetOf = (language: PrinterLanguage): CommandSet => COMMAND_SETS[language]
