export interface KeyPosition {
  /** The `code` of the keyboard event (W3C UI Events KeyboardEvent code Values). */
  readonly code: string
  readonly shiftKey: boolean
}

/** The group separator (GS) that ends a value in a GS1 code (FNC1): scanners type it as Ctrl and the key of `]`. */
export const GROUP_SEPARATOR = { key: '\u001d', code: 'GroupSeparator' } as const

/** Whether a key event is a group separator. A layout without brackets has another character on the key. */
export const isGroupSeparator = ({ ctrlKey, altKey, metaKey, code, key }: KeyboardEvent): boolean =>
  ctrlKey && !altKey && !metaKey && (code === 'BracketRight' || key === ']' || key === GROUP_SEPARATOR.key)
