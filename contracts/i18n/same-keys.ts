export type SameKeys<Catalog> = {
  readonly [Key in keyof Catalog]: Catalog[Key] extends string ? string : SameKeys<Catalog[Key]>
}
