import { useEffect, useRef, useState, type RefObject } from 'react'

/** What of a form is wrong first: the field itself, or the first place within it that takes the focus. */
function firstInvalid(form: HTMLElement): HTMLElement | null {
  const wrong = form.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid]')
  if (!wrong) return null
  const takes = 'input:not([disabled]), textarea:not([disabled]), [tabindex="0"]'
  return wrong.matches(takes) ? wrong : wrong.querySelector<HTMLElement>(takes)
}

/** How often a form was sent with something missing. Each time the focus goes to what is wrong: nobody has to look for it. */
export function useTries(): { readonly tried: boolean; readonly attempt: () => void; readonly form: RefObject<HTMLFormElement | null> } {
  const [tries, setTries] = useState(0)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => { if (tries > 0 && form.current) firstInvalid(form.current)?.focus() }, [tries])
  return { tried: tries > 0, attempt: () => setTries((count) => count + 1), form }
}
