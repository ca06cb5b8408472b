export type TextField = HTMLInputElement | HTMLTextAreaElement

const TEXTUAL = new Set(['text', 'search', 'tel', 'email', 'url', 'password'])

/** A field that takes letters or digits, and takes them now. */
export const isTextField = (element: unknown): element is TextField =>
  (element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && TEXTUAL.has(element.type))) &&
  !element.disabled &&
  !element.readOnly

/** The text field that has the focus: what keys on the screen write into. */
export const focusedField = (): TextField | null =>
  isTextField(document.activeElement) ? document.activeElement : null

/**
 * The ref of a group of keys: a finger on one of them leaves the focus where it is. A browser moves it with the mouse
 * event that it makes of a touch.
 */
export function keepFocus(group: HTMLElement | null): (() => void) | undefined {
  const keep = (event: Event): void => event.preventDefault()
  group?.addEventListener('mousedown', keep)
  return () => group?.removeEventListener('mousedown', keep)
}

/** What a key writes into, in sight: a finger may have scrolled it away since, and nothing goes in unseen. */
export function reach(field: TextField): void {
  if (document.activeElement !== field) field.focus()
  field.scrollIntoView({ block: 'nearest' })
}

// The one way in that keeps the selection, the field's limits, undo, and what the framework hears.
export function typeInto(field: TextField, text: string): void {
  reach(field)
  document.execCommand('insertText', false, text)
}

export function eraseIn(field: TextField): void {
  reach(field)
  document.execCommand('delete')
}
