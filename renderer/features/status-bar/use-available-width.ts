import { useLayoutEffect, useRef, type RefObject } from 'react'

/** Who gives up words, in this order: nobody, what is well, everybody. */
const YIELDS = ['none', 'well', 'all'] as const

/**
 * Marks a row with how much of its words has to give way, as `data-yields`: the least with which everything in it is in
 * sight, and `all` where even that is too little. Counting places cannot tell: how long the words are depends on the
 * language, on what is wrong and on who is signed in. Done before it is drawn, so that nothing is seen to jump.
 */
export function useAvailableWidth<Row extends HTMLElement>(): RefObject<Row | null> {
  const ref = useRef<Row>(null)
  useLayoutEffect(() => {
    const row = ref.current
    if (!row) return undefined
    const yieldWords = (): void => {
      for (const yields of YIELDS) {
        row.dataset['yields'] = yields
        if (row.scrollWidth <= row.clientWidth) return
      }
    }
    // The room changes with the window, the words with what they say, and their width with the letters they are set in.
    const resized = new ResizeObserver(yieldWords)
    resized.observe(row)
    const reworded = new MutationObserver(yieldWords)
    reworded.observe(row, { subtree: true, childList: true, characterData: true, attributeFilter: ['class'] })
    document.fonts.addEventListener('loadingdone', yieldWords)
    yieldWords()
    return () => {
      resized.disconnect()
      reworded.disconnect()
      document.fonts.removeEventListener('loadingdone', yieldWords)
    }
  }, [])
  return ref
}
