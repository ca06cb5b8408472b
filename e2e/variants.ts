/**
 * Distributes equivalent variants of a scenario (a language, keyboard or touch) over scenarios, one each. With
 * `MILEPOST_CAMPAIGN=1` each scenario runs all variants.
 */
export const variantsFor = <Variant>(variants: readonly Variant[], index: number): readonly Variant[] =>
  process.env['MILEPOST_CAMPAIGN'] === '1'
    ? variants
    : variants.slice(index % variants.length, (index % variants.length) + 1)
