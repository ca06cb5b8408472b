import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { smallestOf, type ScreenFixture } from './screen-fixture.ts'
import { wear, type Language, type FixtureBrowser } from './fixture-browser.ts'

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** What a theme or a size can change; the rest of the page is the same page. */
const LOOKS = ['color-contrast', 'target-size', 'scrollable-region-focusable']
const NORMAL = { width: 1280, height: 800 }
const LARGE = { width: 1920, height: 1080 }
/** 1024×768 at 200 %. */
const ZOOMED = { width: 512, height: 384 }

/**
 * Every page in full in both languages and in both themes at the smallest size; at the usual one what its size cuts
 * off; what a size or a theme changes, at the other sizes, each in the theme that the other language does not show it
 * in.
 */
const VIEWS = {
  en: [
    [NORMAL, 'light', null],
    ['smallest', 'light', undefined],
    ['smallest', 'dark', ['color-contrast']],
    [LARGE, 'dark', LOOKS],
    [ZOOMED, 'light', LOOKS],
  ],
  fr: [
    [NORMAL, 'light', null],
    ['smallest', 'dark', undefined],
    ['smallest', 'light', ['color-contrast']],
    [LARGE, 'light', LOOKS],
    [ZOOMED, 'dark', LOOKS],
  ],
} as const

/** What axe finds, each with the words of the element so that it can be found. */
async function axe(page: Page, rules?: readonly string[]): Promise<string[]> {
  const scan = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] })
  const { violations } = await (rules ? scan.withRules([...rules]) : scan.withTags(WCAG)).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any, all }) => `${id}: ${html.slice(0, 300)} ${[...any, ...all][0]?.message ?? ''}`),
  )
}

/** Buttons smaller than a finger: 48 px in the smaller side, our own rule above the 24 px of WCAG 2.5.8. */
const small = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('button')].flatMap((button) => {
      const { width, height } = button.getBoundingClientRect()
      // React Aria keeps a dismiss button for screen readers in every dialog: what holds it is one pixel, and it is no
      // target.
      const hidden = (element: Element | null): boolean =>
        element !== null && (element.getBoundingClientRect().width <= 1 || hidden(element.parentElement))
      const seen = !hidden(button) && button.checkVisibility({ visibilityProperty: true })
      return seen && Math.min(width, height) < 47.5
        ? [`${Math.round(width)}×${Math.round(height)} px: ${button.getAttribute('aria-label') ?? button.textContent}`]
        : []
    }),
  )

/**
 * Words and buttons that reach past the window, or past the edge of what holds them, where no scrolling brings them
 * back.
 */
const lost = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const out: string[] = []
    const scrolls = (element: Element, axis: 'X' | 'Y'): boolean =>
      /auto|scroll/.test(getComputedStyle(element)[`overflow${axis}`])
    for (const element of document.querySelectorAll('button, h1, h2, input, output, p, dd, dt, li, label')) {
      const box = element.getBoundingClientRect()
      if (
        box.width <= 1 ||
        box.height <= 1 ||
        !element.checkVisibility({ visibilityProperty: true }) ||
        element.closest('.spoken, [inert], [aria-hidden="true"]') ||
        (element.parentElement?.getBoundingClientRect().width ?? 0) <= 1
      )
        continue
      let [left, top, right, bottom] = [0, 0, innerWidth, innerHeight]
      let [freeX, freeY] = [false, false]
      for (let parent = element.parentElement; parent; parent = parent.parentElement) {
        freeX ||= scrolls(parent, 'X')
        freeY ||= scrolls(parent, 'Y')
        if (getComputedStyle(parent).overflow !== 'hidden') continue
        const clip = parent.getBoundingClientRect()
        if (!freeX) [left, right] = [Math.max(left, clip.left), Math.min(right, clip.right)]
        if (!freeY) [top, bottom] = [Math.max(top, clip.top), Math.min(bottom, clip.bottom)]
      }
      if (
        (!freeX && (box.left < left - 1 || box.right > right + 1)) ||
        (!freeY && (box.top < top - 1 || box.bottom > bottom + 1))
      ) {
        out.push(
          `${element.tagName.toLowerCase()} at ` +
            `${Math.round(box.left)},${Math.round(box.top)}–${Math.round(box.right)},${Math.round(box.bottom)}: ` +
            `${(element.getAttribute('aria-label') ?? element.textContent).slice(0, 60)}`,
        )
      }
    }
    return out
  })

/** Buttons that reach over the edge of the bar or the card that they stand on, into what is beside it. */
const astray = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('button')].flatMap((button) => {
      const holder = button.closest('footer, header, section, li, dl, [role="dialog"], [role="group"]')
      if (!holder || !button.checkVisibility({ visibilityProperty: true })) return []
      const [own, room] = [button.getBoundingClientRect(), holder.getBoundingClientRect()]
      const scrolls = (element: Element | null): boolean =>
        element !== null &&
        (/auto|scroll/.test(getComputedStyle(element).overflowX) ||
          (element !== holder && scrolls(element.parentElement)))
      const over = own.width > 1 && room.width > 1 && (own.right > room.right + 1 || own.left < room.left - 1)
      return over && !scrolls(button.parentElement)
        ? [
            `${Math.round(own.left)}–${Math.round(own.right)} over ` +
              `${Math.round(room.left)}–${Math.round(room.right)} px: ` +
              `${button.getAttribute('aria-label') ?? button.textContent}`,
          ]
        : []
    }),
  )

/**
 * What holds everything at once at every usual size, and does not: a word that must be scrolled for is not read. While
 * a field is written into, the keys on the screen take their room from below: then only what holds that field counts.
 */
const clipped = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll(
        document.documentElement.dataset['keys'] === undefined ? '[data-whole]' : '[data-whole]:has(:focus)',
      ),
    ].flatMap((element) =>
      element.scrollHeight > element.clientHeight + 1
        ? [`holds ${element.scrollHeight} px in ${element.clientHeight} px: ${element.textContent.slice(0, 60)}`]
        : [],
    ),
  )

/** Placeholders of messages that stand raw on the screen or in what is read out: "Name ({language})". */
export const rawPlaceholders = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const said = [...document.querySelectorAll('[aria-label], [title], [placeholder], [alt]')].flatMap((element) =>
      ['aria-label', 'title', 'placeholder', 'alt'].map((name) => element.getAttribute(name) ?? ''),
    )
    return [document.body.innerText, ...said].flatMap((text) =>
      (text.match(/\{\w[^}\n]*\}?/g) ?? []).map((raw) => `a raw placeholder: ${raw}`),
    )
  })

/** Words whose hyphens have the width of a figure, and sums in a column whose figures have different widths. */
const figures = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const out: string[] = []
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const [text, holder] = [node.textContent ?? '', node.parentElement]
      if (!holder?.checkVisibility({ visibilityProperty: true })) continue
      const tabular = getComputedStyle(holder).fontVariantNumeric.includes('tabular-nums')
      if (tabular && /\p{L}{3,}-\p{L}{3,}/u.test(text) && !/[0-9a-f]{4}-[0-9a-f]{4}/.test(text))
        out.push(`a torn hyphen: ${text.slice(0, 60)}`)
      if (
        !tabular &&
        /^-?\$?[\d,\u00a0]+[.,]\d\d(\u00a0\$)?$/.test(text.trim()) &&
        holder.closest('[role="row"], [role="option"], table, dl')
      )
        out.push(`figures that do not align: ${text}`)
    }
    return out
  })

/**
 * Parts of a screen that must be moved sideways to be read: enlarged words go on below one another. A table may be
 * moved.
 */
const sideways = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main, section, article, [role="dialog"]')].flatMap((part) =>
      /auto|scroll/.test(getComputedStyle(part).overflowX) &&
      part.clientWidth > 1 &&
      part.scrollWidth > part.clientWidth + 1
        ? [`holds ${part.scrollWidth} px in ${part.clientWidth} px across: ${part.textContent.slice(0, 60)}`]
        : [],
    ),
  )

/**
 * What keeps somebody from using a fixture: of axe, of its buttons, and of what no scrolling brings into the window.
 * Empty when nothing does.
 */
export async function findBarriers(
  fixtureBrowser: FixtureBrowser,
  fixture: ScreenFixture,
  language: Language,
): Promise<string[]> {
  const { page, faults } = await fixtureBrowser.show(fixture, language, NORMAL)
  const found = new Set(faults)
  for (const [view, theme, rules] of VIEWS[language]) {
    const size = view === 'smallest' ? smallestOf(fixture) : view
    await wear(page, theme)
    await page.setViewportSize(size)
    // With less motion every change of a size takes a millisecond: what is measured is where it ends.
    await page.waitForFunction(() => document.getAnimations().every((running) => !(running instanceof CSSTransition)))
    const seen = [
      ...(await small(page)),
      ...(await lost(page)),
      ...(await astray(page)),
      ...(size === NORMAL ? [...(await figures(page)), ...(await rawPlaceholders(page))] : []),
      ...(size === ZOOMED ? await sideways(page) : await clipped(page)),
      ...(rules === null ? [] : await axe(page, rules)),
    ]
    for (const each of seen) found.add(`at ${size.width}, ${theme}: ${each}`)
  }
  return [...found]
}
