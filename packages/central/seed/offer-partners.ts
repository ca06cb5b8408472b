/** Partners, categories and promotions of the seed offers. All names are made up. */
export interface SeedText {
  readonly en: string
  readonly fr: string
}

export interface SeedProduct {
  readonly en: string
  readonly fr: string
  readonly sub: number | null
}

export interface SeedOfferPartner {
  readonly name: string
  readonly slug: string
  readonly category: number
  readonly online: boolean
  readonly products: readonly [SeedProduct, ...SeedProduct[]]
}

export const SEED_CATEGORIES: readonly { readonly label: SeedText; readonly subs: readonly SeedText[] }[] = [
  {
    label: { en: 'Grocery', fr: 'Épicerie' },
    subs: [
      { en: 'Fresh', fr: 'Produits frais' },
      { en: 'Pantry', fr: 'Garde-manger' },
    ],
  },
  { label: { en: 'Fuel', fr: 'Carburant' }, subs: [] },
  {
    label: { en: 'Home', fr: 'Maison' },
    subs: [
      { en: 'Garden', fr: 'Jardin' },
      { en: 'Tools', fr: 'Outils' },
    ],
  },
  { label: { en: 'Pharmacy and wellness', fr: 'Pharmacie et soins' }, subs: [] },
  { label: { en: 'Travel', fr: 'Voyage' }, subs: [] },
  { label: { en: 'Pets', fr: 'Animaux' }, subs: [] },
]

export const SEED_PROMOTIONS: readonly SeedText[] = [
  { en: 'Harvest Days', fr: 'Jours de récolte' },
  { en: 'Winter Warm-Up', fr: 'Réchauffe-hiver' },
  { en: 'Local Makers', fr: 'Artisans d’ici' },
]

export const SEED_OFFER_PARTNERS: readonly SeedOfferPartner[] = [
  {
    name: 'Northstar Markets',
    slug: 'northstar',
    category: 0,
    online: false,
    products: [
      { en: 'fresh apples', fr: 'pommes fraîches', sub: 0 },
      { en: 'whole bean coffee', fr: 'café en grains', sub: 1 },
      { en: 'maple syrup', fr: 'sirop d’érable', sub: 1 },
      { en: 'aged cheddar', fr: 'cheddar vieilli', sub: 0 },
      { en: 'paper towels', fr: 'essuie-tout', sub: 1 },
      { en: 'sourdough bread', fr: 'pain au levain', sub: 0 },
    ],
  },
  {
    name: 'Green Gable Grocers',
    slug: 'green-gable',
    category: 0,
    online: true,
    products: [
      { en: 'leafy greens', fr: 'légumes-feuilles', sub: 0 },
      { en: 'olive oil', fr: 'huile d’olive', sub: 1 },
      { en: 'free-run eggs', fr: 'œufs de poules en liberté', sub: 0 },
    ],
  },
  {
    name: 'Riverbend Fuels',
    slug: 'riverbend',
    category: 1,
    online: false,
    products: [
      { en: 'premium gasoline', fr: 'essence super', sub: null },
      { en: 'a car wash', fr: 'un lave-auto', sub: null },
    ],
  },
  {
    name: 'Cedar & Pine Home',
    slug: 'cedar-pine',
    category: 2,
    online: true,
    products: [
      { en: 'garden soil', fr: 'terre à jardin', sub: 0 },
      { en: 'hand tools', fr: 'outils à main', sub: 1 },
      { en: 'interior paint', fr: 'peinture d’intérieur', sub: 1 },
    ],
  },
  {
    name: 'Willowbrook Pharmacy',
    slug: 'willowbrook',
    category: 3,
    online: true,
    products: [
      { en: 'vitamins', fr: 'vitamines', sub: null },
      { en: 'sunscreen', fr: 'crème solaire', sub: null },
      { en: 'oral care', fr: 'soins buccaux', sub: null },
    ],
  },
  {
    name: 'Lakeshore Inns',
    slug: 'lakeshore',
    category: 4,
    online: true,
    products: [
      { en: 'a two-night stay', fr: 'un séjour de deux nuits', sub: null },
      { en: 'a weekend breakfast', fr: 'un déjeuner de fin de semaine', sub: null },
    ],
  },
  {
    name: 'Tall Spruce Outfitters',
    slug: 'tall-spruce',
    category: 4,
    online: true,
    products: [
      { en: 'camping gear', fr: 'matériel de camping', sub: null },
      { en: 'rain jackets', fr: 'vestes de pluie', sub: null },
    ],
  },
  {
    name: 'Paw & Feather',
    slug: 'paw-feather',
    category: 5,
    online: true,
    products: [
      { en: 'dry dog food', fr: 'nourriture sèche pour chiens', sub: null },
      { en: 'cat litter', fr: 'litière pour chats', sub: null },
    ],
  },
]
