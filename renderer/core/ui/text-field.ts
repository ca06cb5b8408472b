export type TextField = HTMLInputElement | HTMLTextAreaElement

const TEXTUAL = new Set(['text', 'search', 'tel', 'email', 'url', 'password'])

/** An enabled field for letters or digits. */
export const isTextField = (element: unknown): element is TextField =>
  (element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && TEXTUAL.has(element.type))) &&
  !element.disabled &&
  !element.readOnly

/** The focused text field, which the keys on the screen type into. */
export const focusedField = (): TextField | null =>
  isTextField(document.activeElement) ? document.activeElement : null

/**
 * Ref of a group of keys: touching them keeps the focus in the field. A browser moves the focus with the mouse event
 * that it derives from a touch.
 */
export function keepFocus(group: HTMLElement | null): (() => void) | undefined {
  const keepFocused = (event: Event): void => event.preventDefault()
  group?.addEventListener('mousedown', keepFocused)
  return () => group?.removeEventListener('mousedown', keepFocused)
}

/** Focuses the field and scrolls it into view, so that keys never type out of sight. */
export function reach(field: TextField): void {
  if (document.activeElement !== field) field.focus()
  field.scrollIntoView({ block: 'nearest' })
}

// The only way to insert text that keeps the selection, the field's limits, undo, and the framework's events.
export function typeInto(field: TextField, text: string): void {
  reach(field)
  document.execCommand('insertText', false, text)
}

export function eraseIn(field: TextField): void {
  reach(field)
  document.execCommand('delete')
}
