import type { Page } from '@playwright/test'

/**
 * Words that a person cannot read whole: past the window, past the edge of what cuts them off, past the box or the
 * button that they stand on, or under something else. What can be scrolled to is not cut; nor is what is shortened and
 * says itself whole in a name or a title.
 */
export const cutText = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = new Map<string, number>()
    const scrolls = (way: string): boolean => way === 'auto' || way === 'scroll'
    const inside = (box: DOMRect, element: Element): { x: [number, number]; y: [number, number] } => ({
      x: [box.left + element.clientLeft, box.left + element.clientLeft + element.clientWidth],
      y: [box.top + element.clientTop, box.top + element.clientTop + element.clientHeight],
    })
    const called = (element: Element): string => {
      const [style] = [...element.classList].map((name) => name.replace(/^_|_[\w-]{4,8}(_\d+)?$/g, ''))
      return style ? `${element.tagName.toLowerCase()}.${style}` : element.tagName.toLowerCase()
    }
    /** Said to those who listen alone, or behind a dialog: nobody looks at it. */
    const unseen = (element: Element): boolean => {
      for (let around: Element | null = element; around; around = around.parentElement) {
        const { width, height } = around.getBoundingClientRect()
        if (width <= 1 || height <= 1) return getComputedStyle(around).display !== 'contents'
      }
      return !element.checkVisibility({ visibilityProperty: true }) || element.closest('.spoken, [inert]') !== null
    }
    const saysItself = (element: Element, words: string): boolean => {
      for (let around: Element | null = element; around; around = around.parentElement) {
        for (const name of ['title', 'aria-label'])
          if (around.getAttribute(name)?.replaceAll(/\s+/g, ' ').includes(words)) return true
      }
      return false
    }
    /** How many pixels of this box nobody can bring into view. */
    const hidden = (holder: Element, box: DOMRect, slack: number): { by: string; pixels: number } => {
      const worst = { by: '', pixels: 0 }
      const x: [number, number] = [box.left, box.right]
      const y: [number, number] = [box.top + slack, box.bottom - slack]
      let [pageX, pageY, nearest] = [false, false, true]
      const cut = (by: string, [from, to]: [number, number], [least, most]: [number, number]): void => {
        const pixels = Math.round(Math.max(least - from, to - most))
        if (pixels > worst.pixels) Object.assign(worst, { by, pixels })
      }
      for (let around: Element | null = holder; around && around !== document.body; around = around.parentElement) {
        const style = getComputedStyle(around)
        if (style.display === 'inline' || style.display === 'contents') continue
        const room = inside(around.getBoundingClientRect(), around)
        // Out of the box of its own paragraph or cell a word lies on what is beside it.
        if (nearest && !scrolls(style.overflowX)) cut(called(around), x, room.x)
        nearest = false
        if (/^(BUTTON|A)$/.test(around.tagName)) {
          // On a button that has an edge the words stay off it.
          const { left, right, top, bottom } = around.getBoundingClientRect()
          const edge = Math.min(2, Number.parseFloat(style.paddingLeft))
          if (!pageX) cut(called(around), x, [left + edge, right - edge])
          if (!pageY) cut(called(around), y, [top, bottom])
        }
        // What scrolls brings all of it into its own box; further out, that box is what must be seen.
        if (scrolls(style.overflowX)) pageX = true
        else if (style.overflowX !== 'visible' && !pageX) cut(called(around), x, room.x)
        if (scrolls(style.overflowY)) pageY = true
        else if (style.overflowY !== 'visible' && !pageY) cut(called(around), y, room.y)
        if (style.position === 'fixed') break
      }
      const root = document.scrollingElement ?? document.documentElement
      if (!pageX) cut('the window', x, [0, innerWidth])
      if (!pageY && root.scrollHeight <= root.clientHeight) cut('the window', y, [0, innerHeight])
      return worst
    }
    /** What lies over the words where they stand, and is not open for a moment only, or left behind by scrolling. */
    const opened = [...document.querySelectorAll('[role$="dialog"], [role="listbox"]')].at(-1)
    const over = (holder: Element, { left, right, top, bottom }: DOMRect): Element | null => {
      if (opened && !opened.contains(holder)) return null
      for (let around: Element | null = holder; around; around = around.parentElement)
        if (scrolls(getComputedStyle(around).overflowY) && around.scrollHeight > around.clientHeight + 1) return null
      for (const x of [left + 2, right - 2]) {
        const hit = document.elementFromPoint(x, (top + bottom) / 2)
        if (!hit || holder.contains(hit)) continue
        // What has no ground of its own only takes the touch: a button over a whole row.
        for (let cover: Element | null = hit; cover && !cover.contains(holder); cover = cover.parentElement)
          if (getComputedStyle(cover).backgroundColor !== 'rgba(0, 0, 0, 0)') return cover
      }
      return null
    }
    const note = (words: string, { by, pixels }: { by: string; pixels: number }): void => {
      if (pixels > 1) found.set(`${by}: ${words}`, Math.max(pixels, found.get(`${by}: ${words}`) ?? 0))
    }
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const holder = node.parentElement
      const words = (node.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
      if (!holder || words === '' || unseen(holder) || saysItself(holder, words)) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      const lineHeight = Number.parseFloat(getComputedStyle(holder).lineHeight)
      for (const box of range.getClientRects()) {
        if (box.width <= 1) continue
        // A line's box may be lower than the letters' own, which have room above and below for accents.
        const slack = Number.isNaN(lineHeight) ? 0 : Math.max(0, (box.height - lineHeight) / 2)
        note(words, hidden(holder, box, slack))
        const cover = holder.closest('[aria-hidden="true"]') ? null : over(holder, box)
        if (cover) note(words, { by: `under ${called(cover)}`, pixels: Math.round(box.width) })
      }
    }
    for (const field of document.querySelectorAll<HTMLInputElement>('input[placeholder]')) {
      if (field.value !== '' || unseen(field)) continue
      const ink = document.createElement('canvas').getContext('2d')
      const { font, paddingLeft, paddingRight } = getComputedStyle(field)
      if (!ink) continue
      ink.font = font
      const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
      note(field.placeholder, { by: 'input', pixels: Math.round(ink.measureText(field.placeholder).width - room) })
    }
    return [...found].map(([where, pixels]) => `${where} (${pixels} px)`)
  })
