/**
 * Distributes equivalent variants (a language, keyboard or touch) over the scenarios, one each; with
 * `MILEPOST_CAMPAIGN=1` each scenario plays all of them.
 */
export const variantsFor = <Variant>(variants: readonly Variant[], index: number): readonly Variant[] =>
  process.env['MILEPOST_CAMPAIGN'] === '1'
    ? variants
    : variants.slice(index % variants.length, (index % variants.length) + 1)
