export type TextField = HTMLInputElement | HTMLTextAreaElement

const TEXTUAL = new Set(['text', 'search', 'tel', 'email', 'url', 'password'])

export const isTextField = (element: unknown): element is TextField =>
  (element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && TEXTUAL.has(element.type))) &&
  !element.disabled &&
  !element.readOnly

export const focusedField = (): TextField | null =>
  isTextField(document.activeElement) ? document.activeElement : null

/**
 * Ref callback of a group of keys whose touch leaves the focus in the field. A browser moves the focus with the mouse
 * event that it derives from a touch.
 */
export function keepFocus(group: HTMLElement | null): (() => void) | undefined {
  const keepFocused = (event: Event): void => event.preventDefault()
  group?.addEventListener('mousedown', keepFocused)
  return () => group?.removeEventListener('mousedown', keepFocused)
}

/** Focuses the field and scrolls it into view, so that touched keys never type out of sight. */
export function focusInView(field: TextField): void {
  if (document.activeElement !== field) field.focus()
  field.scrollIntoView({ block: 'nearest' })
}

// Only `execCommand` inserts text with the selection, the field's limits, undo, and the framework's events intact.
export function typeInto(field: TextField, text: string): void {
  focusInView(field)
  document.execCommand('insertText', false, text)
}

export function eraseIn(field: TextField): void {
  focusInView(field)
  document.execCommand('delete')
}
